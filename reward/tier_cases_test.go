package reward_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/program"
	"recoup/reward"
)

// tierCase is a file of testdata/cases-tiers: a program, what happens on one account, and
// what must come of it, worked out by hand from docs/terms.md.
type tierCase struct {
	program    *reward.Program
	trace, end []string
}

func readTierCase(t testing.TB, path string) (c tierCase) {
	t.Helper()
	text, err := os.ReadFile(path)
	noError(t, err)
	var terms strings.Builder
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			section = line
		case section == "program:":
			fmt.Fprintln(&terms, line[2:])
		case section == "trace:":
			c.trace = append(c.trace, line[2:])
		case section == "end:":
			c.end = append(c.end, line[2:])
		default:
			t.Fatalf("%s: %q is in no section", path, line)
		}
	}
	c.program, err = program.Parse(path, []byte(terms.String()))
	noError(t, err)
	return c
}

// tierEvent is what a line of a trace says, and whether it is to be denied.
func tierEvent(t testing.TB, c *tierCase, n int, line string) (e reward.Event, denied bool) {
	t.Helper()
	words := strings.Fields(line)
	day, what, words := words[0], words[1], append(words[2:], "", "")
	if !strings.Contains(day, "T") {
		day += "T12:00:00Z"
	}
	at, err := time.Parse(time.RFC3339, day)
	noError(t, err)
	e = reward.Event{Source: "case", ID: strconv.Itoa(n), Account: "a", Time: reward.At(at) + reward.Instant(n)}
	amount := func(text, currency string) {
		e.Amount, err = strconv.ParseInt(text, 10, 64)
		noError(t, err)
		e.HasAmount, e.Currency = true, currency
	}
	refund := func(of reward.Type) {
		e.Type, e.Fact = of, words[0]
		if words[1] != "-" {
			e.Transaction = words[1]
		}
		amount(words[2], c.program.Currency)
	}
	switch what {
	case "buy":
		e.Type, e.Transaction = reward.TransactionSettled, words[0]
		amount(words[1], c.program.Currency)
		e.Category = strings.TrimPrefix(words[2], "category=")
	case "return":
		refund(reward.RefundPosted)
	case "announce":
		refund(reward.RefundPending)
	case "undo":
		e.Type, e.Fact = reward.RefundReversed, words[0]
	case "charge":
		e.Type, e.Fact, e.Transaction = reward.ChargebackPosted, words[0], words[1]
	case "redeem", "deny":
		e.Type, e.Fact, denied = reward.RedemptionRequested, words[0], what == "deny"
		amount(words[1], c.program.RewardUnit())
	case "close":
		e.Type = reward.AccountClosed
	case "wait":
		e.Type = reward.CycleClosed
	default:
		t.Fatalf("%q: no such step", line)
	}
	return e, denied
}

// compareEnd holds a state against what a case says of it.
func compareEnd(t testing.TB, who string, s naiveState, end []string) {
	t.Helper()
	figures := map[string]int64{"reward": s.NetReward, "held": s.Held, "available": s.Available}
	for _, l := range s.Transactions {
		figures["kept "+l.ID] = l.Retained
	}
	var tiers, want []string
	for _, x := range s.Tiers {
		level := "-"
		if x.Level != nil {
			level = *x.Level
		}
		tiers = append(tiers, fmt.Sprintf("tier %s %s %d %s", x.Tier, x.Period, x.Spend, level))
	}
	for _, line := range end {
		if strings.HasPrefix(line, "tier ") {
			want = append(want, line)
			continue
		}
		name, text, _ := strings.Cut(line, " ")
		if name == "kept" {
			var id string
			id, text, _ = strings.Cut(text, " ")
			name += " " + id
		}
		figure, known := figures[name]
		if number, err := strconv.ParseInt(text, 10, 64); err != nil || !known || figure != number {
			t.Errorf("%s: %s is %d, expected %s", who, name, figure, text)
		}
	}
	for _, line := range want {
		if !strings.Contains(strings.Join(tiers, "\n")+"\n", line+"\n") {
			t.Errorf("%s: no %q in %q", who, line, tiers)
		}
	}
}

// TestTierCases plays them through the engine, the model, and an account that is put away
// after each event.
func TestTierCases(t *testing.T) {
	files, err := filepath.Glob("../testdata/cases-tiers/*.txt")
	noError(t, err)
	if len(files) != 32 {
		t.Fatalf("%d cases of tiers, expected 32", len(files))
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			c := readTierCase(t, path)
			model, subject := newNaive(c.program), newReal(c.program)
			shelf := &cupboard{parts: make(map[place]reward.Part)}
			for n, line := range c.trace {
				e, denied := tierEvent(t, &c, n, line)
				if got := model.apply(&e); (got.Outcome == reward.Rejected) != denied {
					t.Fatalf("the model: %s: %v %v", line, got.Outcome, got.Code)
				}
				if got := subject.apply(t, e); (got.Outcome == reward.Rejected) != denied {
					t.Fatalf("the engine: %s: %v %v", line, got.Outcome, got.Code)
				}
				a := shelf.open(t, "a", c.program)
				a.Apply(&e, nil)
				shelf.put(a)
			}
			subject.check(t)
			for _, v := range shelf.open(t, "a", c.program).Check() {
				t.Errorf("from the shelf: %v", v)
			}
			compareEnd(t, "the model", model.state()[0], c.end)
			compareEnd(t, "the engine", subject.state()[0], c.end)
		})
	}
}
