package casebook

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

// Text is a case that is one file: a program, what happens on one account, and what must
// come of it, worked out by hand.
type Text struct {
	Name       string
	Program    *reward.Program
	Trace, End []string
}

// ReadText reads a file of one case.
func ReadText(t testing.TB, path string) (c Text) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Name = filepath.Base(path)
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
			c.Trace = append(c.Trace, line[2:])
		case section == "end:":
			c.End = append(c.End, line[2:])
		default:
			t.Fatalf("%s: %q is in no section", path, line)
		}
	}
	if c.Program, err = program.Parse(path, []byte(terms.String())); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c Text) course(t testing.TB) Course {
	t.Helper()
	course := Course{Name: c.Name, Program: c.Program}
	for n := range c.Trace {
		e, _ := c.Event(t, n)
		course.Events = append(course.Events, e)
	}
	return course
}

// Event is what a line of a trace says, and whether it is to be denied.
func (c Text) Event(t testing.TB, n int) (e reward.Event, denied bool) {
	t.Helper()
	line := c.Trace[n]
	words := strings.Fields(line)
	day, what, words := words[0], words[1], append(words[2:], "", "")
	if !strings.Contains(day, "T") {
		day += "T12:00:00Z"
	}
	at, err := time.Parse(time.RFC3339, day)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	e = reward.Event{Source: "case", ID: strconv.Itoa(n), Account: "a", Time: reward.At(at) + reward.Instant(n)}
	amount := func(text, currency string) {
		if e.Amount, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatalf("%s: %q: %v", c.Name, line, err)
		}
		e.HasAmount, e.Currency = true, currency
	}
	refund := func(of reward.Type) {
		e.Type, e.Fact = of, words[0]
		if words[1] != "-" {
			e.Transaction = words[1]
		}
		amount(words[2], c.Program.Currency)
	}
	switch what {
	case "buy":
		e.Type, e.Transaction = reward.TransactionSettled, words[0]
		amount(words[1], c.Program.Currency)
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
		amount(words[1], c.Program.RewardUnit())
	case "close":
		e.Type = reward.AccountClosed
	case "wait":
		e.Type = reward.CycleClosed
	default:
		t.Fatalf("%s: %q: no such step", c.Name, line)
	}
	return e, denied
}
