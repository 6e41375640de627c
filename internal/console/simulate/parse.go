package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/internal/console/locale"
	"recoup/program"
	"recoup/reward"
)

// saying is one thing that somebody says would happen.
type saying struct {
	line               int
	text               string
	verb               string // buy, return, dispute, redeem, wait, close, set
	amount             int64
	share              string // half or all, in place of an amount
	of                 int    // the purchase; zero: the latest
	days               int
	unlinked           bool
	merchant, category string
	mcc                reward.MCC
	code               string
	labels             reward.Labels
	items              reward.Items
	name, value        string
	day                func(p *reward.Program, now reward.Instant) reward.Instant
}

// details are what a purchase says of itself.
func (s *saying) details(l *locale.Locale) string {
	text := ""
	if s.merchant != "" {
		text += " " + l.Sprintf("at %s", s.merchant)
	}
	if s.category != "" {
		text += ", " + s.category
	}
	if s.code != "" {
		text += ", " + l.Sprintf("code %s", s.code)
	}
	for name, value := range s.labels.All() {
		text += ", " + name + "=" + value
	}
	n := 0
	for range s.items.All() {
		n++
	}
	if n > 0 {
		text += ", " + l.Sprintf("in %d {1:item|items}", n)
	}
	return text
}

// parse reads a story: things that happen, each on a line or parted by semicolons, by
// commas or by "then".
func parse(p *reward.Program, story string) (list []saying, err error) {
	if len(story) > MaxSize {
		return nil, fmt.Errorf("the story has %d bytes: expected at most %d", len(story), MaxSize)
	}
	for i, line := range strings.Split(strings.ReplaceAll(story, "\r\n", "\n"), "\n") {
		for _, text := range strings.Split(strings.NewReplacer(", then ", ";", " then ", ";", ", ", ";").Replace(line), ";") {
			words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), "."))
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			s := saying{line: i + 1, text: strings.Join(words, " ")}
			r := &reader{program: p, words: words, s: &s}
			if err := r.read(); err != nil {
				return nil, fmt.Errorf("line %d, %q: %w", s.line, s.text, err)
			}
			if list = append(list, s); len(list) > MaxSaid {
				return nil, fmt.Errorf("line %d: expected at most %d things that happen", i+1, MaxSaid)
			}
		}
	}
	return list, nil
}

// reader reads the words of one saying.
type reader struct {
	program *reward.Program
	words   []string
	s       *saying
	lines   []reward.Item // of a receipt
	labels  map[string]string
}

// next takes the next word, "" at the end.
func (r *reader) next() string {
	if len(r.words) == 0 {
		return ""
	}
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

// take takes the next word if it is this one, in whatever case.
func (r *reader) take(word string) bool {
	if len(r.words) == 0 || !strings.EqualFold(r.words[0], word) {
		return false
	}
	r.words = r.words[1:]
	return true
}

const verbs = "buy, return, dispute, redeem, wait, close or set"

func (r *reader) read() (err error) {
	s := r.s
	switch s.verb = strings.ToLower(r.next()); s.verb {
	case "buy":
		err = r.buy()
	case "return", "refund":
		s.verb = "return"
		err = r.back()
	case "dispute", "chargeback":
		s.verb, s.share = "dispute", "all"
		err = r.rest()
	case "redeem":
		if r.take("all") || len(r.words) == 0 || strings.EqualFold(r.words[0], "on") {
			s.share = "all"
		} else {
			s.amount, err = r.amount(r.program.Units().Reward)
		}
		if err == nil {
			err = r.rest()
		}
	case "wait":
		word := r.next()
		n, bad := strconv.Atoi(word)
		if bad != nil || n < 1 || n > MaxDays || !r.take("days") && !r.take("day") {
			return fmt.Errorf("expected wait N days, N from 1 to %d", MaxDays)
		}
		s.days = n
	case "close":
		_ = r.take("the") && r.take("month") || r.take("statement") || r.take("cycle")
	case "set":
		err = r.set()
	default:
		return fmt.Errorf("expected %s", verbs)
	}
	if err == nil && len(r.words) > 0 {
		err = fmt.Errorf("%q is not understood there", r.words[0])
	}
	return err
}

// buy reads a purchase, or several lines of a receipt with "and" between them.
func (r *reader) buy() error {
	s := r.s
	for {
		amount, err := r.amount(reward.Unit{Name: r.program.Currency})
		if err != nil {
			return err
		}
		if amount == 0 {
			return fmt.Errorf("expected an amount above zero")
		}
		r.labels = make(map[string]string)
		s.category, s.mcc, s.code = "", 0, ""
		more, err := r.about()
		if err != nil {
			return err
		}
		if more || len(r.lines) > 0 {
			r.lines = append(r.lines, reward.Item{ID: strconv.Itoa(len(r.lines) + 1), Amount: amount, Category: s.category, MCC: s.mcc, Labels: reward.MakeLabels(r.labels)})
		}
		if s.amount += amount; s.amount > reward.MaxAmount {
			return fmt.Errorf("expected at most %d minor units", reward.MaxAmount)
		}
		if more {
			continue
		}
		if s.labels = reward.MakeLabels(r.labels); len(r.lines) > 0 {
			s.labels, s.category, s.mcc, s.code = "", "", 0, ""
			s.items = reward.MakeItems(r.lines)
		}
		return nil
	}
}

// about reads what a purchase, or a line of its receipt, says of itself; more: another
// line follows.
func (r *reader) about() (more bool, err error) {
	s := r.s
	for len(r.words) > 0 {
		switch {
		case r.take("and"):
			if len(r.lines)+2 > reward.MaxItems {
				return false, fmt.Errorf("expected at most %d items", reward.MaxItems)
			}
			return true, nil
		case r.take("on"):
			err = r.day()
		case r.take("mcc"), r.take("code"):
			err = r.code()
		case r.take("in"):
			s.category = strings.ToUpper(r.next())
			if s.category == "" {
				err = fmt.Errorf("expected a category after in, such as GROCERY")
			}
		case r.take("at"):
			if r.take("mcc") || r.take("code") {
				err = r.code()
				break
			}
			if s.merchant = r.next(); s.merchant == "" || len(s.merchant) > program.MaxText {
				err = fmt.Errorf("expected a merchant after at, or mcc and a code")
			}
		case r.take("with"), r.take("labelled"), r.take("label"):
		default:
			name, value, is := strings.Cut(r.words[0], "=")
			if !is {
				return false, nil
			}
			r.next()
			if !reward.IsName(name) || value == "" || len(r.labels) >= reward.MaxLabels {
				return false, fmt.Errorf("%q: expected a label such as channel=app", name+"="+value)
			}
			r.labels[name] = value
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

func (r *reader) code() error {
	word := r.next()
	code, ok := reward.ParseMCC(word)
	if !ok {
		return fmt.Errorf("%q: expected a merchant category code of four digits, such as 5411", word)
	}
	r.s.mcc, r.s.code = code, word
	return nil
}

// back reads what comes back: half, all, the rest or an amount.
func (r *reader) back() (err error) {
	s := r.s
	_ = r.take("the")
	switch {
	case len(r.words) == 0, r.take("all"), r.take("rest"), r.take("everything"):
		s.share = "all"
	case r.take("half"):
		s.share = "half"
	case strings.EqualFold(r.words[0], "purchase"), strings.EqualFold(r.words[0], "on"):
		s.share = "all"
	default:
		if s.amount, err = r.amount(reward.Unit{Name: r.program.Currency}); err == nil && s.amount == 0 {
			err = fmt.Errorf("expected an amount above zero")
		}
	}
	if err == nil {
		err = r.rest()
	}
	return err
}

// rest reads which purchase it is about, and when.
func (r *reader) rest() error {
	for len(r.words) > 0 {
		switch {
		case r.take("of"), r.take("the"):
		case r.take("it"):
		case r.take("unlinked"):
			r.s.unlinked = true
		case r.take("purchase"):
			n, err := strconv.Atoi(r.next())
			if err != nil || n < 1 {
				return fmt.Errorf("expected the number of a purchase, such as purchase 1")
			}
			r.s.of = n
		case r.take("on"):
			if err := r.day(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// set reads what the account's attribute is to be.
func (r *reader) set() error {
	name, value, is := strings.Cut(r.next(), "=")
	if !is {
		_ = r.take("to")
		value = r.next()
	}
	if !reward.IsName(name) || value == "" || len(value) > program.MaxText {
		return fmt.Errorf("expected set NAME VALUE, such as set plan gold")
	}
	r.s.name, r.s.value = name, value
	return nil
}

// amount reads an amount, with a sign of a currency before it or its code after it.
func (r *reader) amount(unit reward.Unit) (int64, error) {
	word := r.next()
	digits := strings.TrimLeftFunc(word, func(c rune) bool { return c != '-' && (c < '0' || c > '9') })
	minor, err := program.ParseReward(digits, unit)
	if digits == "" {
		return 0, fmt.Errorf("%q: expected an amount such as 80 or 12.50", word)
	}
	if err != nil {
		return 0, err
	}
	if minor < 0 || minor > reward.MaxAmount {
		return 0, fmt.Errorf("%q: expected an amount from 0 to %d minor units", word, reward.MaxAmount)
	}
	_ = r.take(unit.Name)
	return minor, nil
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// day reads a weekday, of which the next one is meant, or a date.
func (r *reader) day() error {
	word := strings.ToLower(strings.TrimPrefix(strings.ToLower(r.next()), "a-"))
	if date, err := time.Parse(time.DateOnly, word); err == nil && date.Year() >= 1970 && date.Year() < 2199 {
		r.s.day = func(p *reward.Program, _ reward.Instant) reward.Instant {
			return reward.At(time.Date(date.Year(), date.Month(), date.Day(), 12, 0, 0, 0, zoneOf(p)))
		}
		return nil
	}
	at := slices.IndexFunc(weekdays, func(w string) bool { return word == w || word == w[:3] })
	if at < 0 {
		return fmt.Errorf("%q: expected a weekday such as Saturday, or a date such as 2026-03-01", word)
	}
	r.s.day = func(p *reward.Program, now reward.Instant) reward.Instant {
		local := now.Time().In(zoneOf(p))
		ahead := (at - int(local.Weekday()) + 7) % 7
		if ahead == 0 {
			return now
		}
		return reward.At(time.Date(local.Year(), local.Month(), local.Day()+ahead, 12, 0, 0, 0, local.Location()))
	}
	return nil
}

func zoneOf(p *reward.Program) *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}
