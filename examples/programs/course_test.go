package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"recoup/event"
	"recoup/reward"
)

// course is a list of events as README.md describes it, with what must come of each.
type course struct {
	program *reward.Program
	steps   []*stage
}

// stage is one event. What is expected of it is text, as the course has it: the outcome,
// the postings in their order, and figures of the account.
type stage struct {
	line     int
	at, kind string
	data     map[string]any
	outcome  string
	postings []string
	figures  map[string]string
	really   map[string]int64 // what came back in truth where a refund does not say, by purchase or item
}

// account is whose courses are.
const account = "card-1"

// parse reads a course under a program.
func parse(text string, p *reward.Program) (*course, error) {
	c := &course{program: p}
	for i, line := range strings.Split(text, "\n") {
		content, _, _ := strings.Cut(line, "#")
		words := strings.Fields(content)
		var err error
		switch {
		case len(words) == 0:
		case line[0] != ' ':
			err = c.event(i+1, words)
		case len(c.steps) == 0:
			err = errors.New("expected an event, at the margin, before what comes of it")
		default:
			err = c.steps[len(c.steps)-1].expect(words, c.rewardDecimals(), c.decimals())
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if len(c.steps) == 0 {
		return nil, errors.New("no event")
	}
	return c, nil
}

// event reads the date, perhaps the time, the type, and data as a flow of YAML.
func (c *course) event(line int, words []string) error {
	at := words[0] + "T00:00:00Z"
	words = words[1:]
	if len(words) > 0 && strings.Contains(words[0], ":") {
		at = at[:11] + words[0] + ":00Z"
		words = words[1:]
	}
	if _, err := time.Parse(time.RFC3339, at); err != nil || len(words) == 0 {
		return errors.New("expected a date, perhaps a time, and the type of an event")
	}
	s := &stage{line: line, at: at, kind: words[0], data: map[string]any{}, figures: map[string]string{}, really: map[string]int64{}}
	var tree yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(words[1:], " ")), &tree); err != nil {
		return err
	}
	unit, decimals := c.program.Currency, c.decimals()
	if strings.HasPrefix(s.kind, "redemption.") || strings.HasPrefix(s.kind, "adjustment.") {
		unit, decimals = c.program.RewardUnit(), c.rewardDecimals()
	}
	if len(tree.Content) > 0 {
		v, err := value(tree.Content[0], decimals)
		if err != nil {
			return err
		}
		s.data = v.(map[string]any)
	}
	if _, ok := s.data["amount"]; ok && !strings.HasPrefix(s.kind, "chargeback.") && s.kind != "redemption.captured" {
		s.data["currency"] = unit
	}
	c.steps = append(c.steps, s)
	return nil
}

// value is what a node of YAML is in JSON: amounts are decimal here and minor units
// there, and everything else is text.
func value(n *yaml.Node, decimals int) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			v, err := value(n.Content[i+1], decimals)
			if text, isText := v.(string); err == nil && key == "amount" && isText {
				v, err = minor(text, decimals)
			}
			if err != nil {
				return nil, err
			}
			m[key] = v
		}
		return m, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, x := range n.Content {
			v, err := value(x, decimals)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	return n.Value, nil
}

// minor reads a decimal with exactly so many digits behind the point.
func minor(text string, decimals int) (int64, error) {
	point := strings.IndexByte(text, '.')
	if digits := len(text) - 1 - point; point < 0 && decimals > 0 || point >= 0 && (digits != decimals || decimals == 0) {
		return 0, fmt.Errorf("%q: expected an amount with %d decimals", text, decimals)
	}
	return strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
}

// decimal is what minor reads.
func decimal(n int64, decimals int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := fmt.Sprintf("%0*d", decimals+1, n)
	if decimals == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}

// expect reads one line of what comes of an event.
func (s *stage) expect(words []string, rewardDecimals, decimals int) error {
	switch words[0] {
	case "applied", "rejected", "parked", "ignored", "duplicate":
		s.outcome = strings.Join(words, " ")
	case "balance", "held", "available":
		if len(words) != 2 {
			return fmt.Errorf("%s: expected an amount", words[0])
		}
		s.figures[words[0]] = words[1]
	case "really":
		if len(words) != 3 {
			return errors.New("really: expected a purchase and what of it came back")
		}
		amount, err := minor(words[2], decimals)
		s.really[words[1]] += amount
		return err
	default:
		if len(words) < 3 {
			return fmt.Errorf("%q: expected a kind of posting, its amount and what it is of", words[0])
		}
		if _, err := minor(words[1], rewardDecimals); err != nil {
			return err
		}
		s.postings = append(s.postings, strings.Join(words, " "))
	}
	return nil
}

// currencyDecimals are of the currencies that courses are in.
var currencyDecimals = map[string]int{"USD": 2, "EUR": 2, "GBP": 2, "JPY": 0}

func (c *course) decimals() int { return currencyDecimals[c.program.Currency] }

func (c *course) rewardDecimals() int {
	if c.program.Reward.Name != "" {
		return c.program.Reward.Decimals
	}
	return c.decimals()
}

// lines are the events as they go over the wire, one JSON object each.
func (c *course) lines() []byte {
	var text []byte
	for i, s := range c.steps {
		line, err := json.Marshal(struct {
			Version string         `json:"specversion"`
			ID      string         `json:"id"`
			Source  string         `json:"source"`
			Type    string         `json:"type"`
			Time    string         `json:"time"`
			Subject string         `json:"subject"`
			Data    map[string]any `json:"data"`
		}{"1.0", fmt.Sprintf("e%d", i+1), "gallery", s.kind, s.at, account, s.data})
		if err != nil {
			panic(err) // maps of text and numbers
		}
		text = append(append(text, line...), '\n')
	}
	return text
}

// play has the core apply the events, read from the wire's form, and compares what comes
// of each with what the course expects. It returns the account as it ends.
func (c *course) play() (end *reward.Account, wrong []string) {
	a := reward.NewAccount(account, c.program)
	decoder := event.NewDecoder()
	lines := strings.SplitAfter(string(c.lines()), "\n")
	for i, s := range c.steps {
		miss := func(format string, args ...any) {
			wrong = append(wrong, fmt.Sprintf("line %d: %s: ", s.line, s.kind)+fmt.Sprintf(format, args...))
		}
		var e reward.Event
		if err := decoder.Decode([]byte(lines[i]), &e); err != nil {
			miss("%v", err)
			return a, wrong
		}
		result, postings := a.Apply(&e, nil)
		said := strings.TrimSpace(fmt.Sprint(result.Outcome, " ", result.Code))
		if s.outcome != said && (s.outcome != "" || result.Outcome != reward.Applied) {
			miss("expected %q, got %q", s.outcome, said)
		}
		var got []string
		for _, p := range postings {
			whose := ""
			if p.Kind == reward.Expiry || p.Kind == reward.ExpiryRestored {
				whose = p.Period
			}
			of := slices.DeleteFunc([]string{p.Transaction, p.Item, p.Rule, p.Fact, whose}, func(s string) bool { return s == "" })
			got = append(got, fmt.Sprintf("%v %s %s", p.Kind, decimal(p.Amount, c.rewardDecimals()), strings.Join(of, " ")))
		}
		if !slices.Equal(got, s.postings) {
			miss("expected\n\t%s\n  got\n\t%s", strings.Join(s.postings, "\n\t"), strings.Join(got, "\n\t"))
		}
		b := a.Balances()
		for name, n := range map[string]int64{"balance": b.Balance, "held": b.Held, "available": b.Available} {
			if want, asked := s.figures[name]; asked && want != decimal(n, c.rewardDecimals()) {
				miss("%s: expected %s, got %s", name, want, decimal(n, c.rewardDecimals()))
			}
		}
	}
	for _, v := range a.Check() {
		wrong = append(wrong, fmt.Sprint(v))
	}
	return a, wrong
}
