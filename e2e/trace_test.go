package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/event"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// trace is a program and what was delivered under it. Both carry its name, so
// that one database has room for many.
type trace struct {
	name     string
	document []byte
	events   []string
	// What a conformance case says must come of it; nil for other traces.
	outcomes []string
	final    map[string]state
}

// casesEnd is the time to which the cases are replayed.
var casesEnd = reward.At(time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC))

// end is the time to which every trace is played: that of the cases, if it has
// come by now.
var end = min(casesEnd, reward.At(time.Now().Truncate(time.Second)))

// casesFolder has the conformance cases of docs/semantics.md.
const casesFolder = "../testdata/cases"

// cases reads all conformance cases.
func cases(t *testing.T) []*trace {
	t.Helper()
	entries, err := os.ReadDir(casesFolder)
	noError(t, err)
	var list []*trace
	for _, entry := range entries {
		if entry.IsDir() {
			list = append(list, readCase(t, entry.Name()))
		}
	}
	return list
}

// readCase reads a case, with its program and accounts renamed after it.
func readCase(t *testing.T, number string) *trace {
	t.Helper()
	c := &trace{name: "case-" + number}
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(casesFolder, number, file))
		noError(t, err)
		return string(text)
	}
	rename := func(text, old, renamed string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("case %s: expected %s in %.200s", number, old, text)
		}
		return strings.ReplaceAll(text, old, renamed)
	}
	c.document = []byte(rename(read("program.yaml"), `"id": "generated"`, `"id": "`+c.name+`"`))
	for line := range strings.Lines(read("events.jsonl")) {
		c.events = append(c.events, rename(strings.TrimSpace(line), `"subject": "`, `"subject": "`+c.name+`-`))
	}
	for line := range strings.Lines(read("outcomes.jsonl")) {
		c.outcomes = append(c.outcomes, outcomeIn(t, line).String())
	}
	var err error
	c.final, err = statesIn([]byte(rename(read("expected.json"), `"account": "`, `"account": "`+c.name+`-`)))
	noError(t, err)
	return c
}

// terms are a program's in the traces that are made up here.
type terms struct {
	grant, clawback, method                                  string
	maturity, minimum, grace, match, window, park, firm, cap int
}

// modes are all ways in which programs differ most.
func modes() (list []terms) {
	for _, grant := range []string{"settlement", "statement"} {
		for _, clawback := range []string{"refund", "statement"} {
			for _, method := range []string{"proportional", "rerate"} {
				list = append(list, terms{grant: grant, clawback: clawback, method: method, match: 10, window: 400, park: 30, firm: 180, cap: 700})
			}
		}
	}
	return list
}

// document is the program file of the terms.
func (m terms) document(id string) []byte {
	return fmt.Appendf(nil, `id: %s
currency: USD
timing: {grant: %s, clawback: %s}
clawback_method: %s
cycle: calendar_month
maturity_days: %d
refunds: {pending_days: 30, match_days: %d, park_days: %d, window_days: %d, firm_days: %d}
redemption: {minimum_balance: %d, grace_days: %d}
rules:
  - {id: grocery, match: {category: [GROCERY]}, rate: 5%%, cap: {reward: %d, per: cycle}}
  - {id: partner, match: {merchant: [m2]}, rate: 2.75%%}
  - {id: base, rate: 1%%}
`, id, m.grant, m.clawback, m.method, m.maturity, m.match, m.park, m.window, m.firm, m.minimum, m.grace, m.cap)
}

// linesOf are events as they are on the wire.
func linesOf(events []reward.Event) []string {
	list := make([]string, len(events))
	for i := range events {
		list[i] = string(event.Append(nil, &events[i]))
	}
	return list
}

// spending is a long trace of the made-up spending of many cardholders, with
// more trouble than there is in life.
func spending(t testing.TB, name string, m terms, accounts, events int, seed uint64) *trace {
	t.Helper()
	tr := &trace{name: name, document: m.document(name)}
	parsed, err := program.Parse(name, tr.document)
	noError(t, err)
	for e := range traffic.Generate(traffic.Options{
		Accounts: accounts, Events: events, Seed: seed, Program: parsed, Days: 150,
		ReturnShare: 300, OverRefunds: 200, Duplicates: 60, Disorder: 150,
	}) {
		e.Account = name + "-" + e.Account
		tr.events = append(tr.events, string(event.Append(nil, &e)))
	}
	return tr
}

// drawTrace draws a short trace of few accounts, shops and amounts, so that
// they meet: in disorder, repeated, contradicting one another, about things that
// come later or never.
func drawTrace(t *rapid.T, name string) *trace {
	m := rapid.SampledFrom(modes()).Draw(t, "mode")
	m.maturity = rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "maturity")
	m.minimum = rapid.SampledFrom([]int{0, 0, 100}).Draw(t, "minimum")
	m.grace = rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "grace")
	m.match = rapid.SampledFrom([]int{10, 0, 40}).Draw(t, "match")
	m.window = rapid.SampledFrom([]int{400, 40}).Draw(t, "window")
	m.park = rapid.SampledFrom([]int{30, 3}).Draw(t, "park")
	m.firm = rapid.SampledFrom([]int{180, 20}).Draw(t, "firm")
	m.cap = rapid.SampledFrom([]int{300, 30, 3000}).Draw(t, "cap")
	tr := &trace{name: name, document: m.document(name)}

	now := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	hours := rapid.SampledFrom([][]int{{1, 1, 12, 30, 100, 700}, {1, 2, 10}}).Draw(t, "pace")
	var events []reward.Event
	for i := range rapid.IntRange(1, 60).Draw(t, "events") {
		now += reward.Instant(rapid.SampledFrom(hours).Draw(t, "hours")) * reward.Instant(time.Hour)
		now = min(now, end-reward.Day)
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "again") == 9 {
			events = append(events, repeated(t, rapid.SampledFrom(events).Draw(t, "event"), i))
			continue
		}
		events = append(events, drawEvent(t, name, i, now))
	}
	tr.events = linesOf(events)
	return tr
}

// repeated is an event again: as it was, under another id, or with another amount.
func repeated(t *rapid.T, e reward.Event, i int) reward.Event {
	how := rapid.IntRange(0, 3).Draw(t, "how")
	if how%2 == 1 {
		e.ID = fmt.Sprintf("e%d", i)
	}
	if how >= 2 && e.HasAmount {
		e.Amount++
	}
	return e
}

var drawnTypes = slices.Concat(
	slices.Repeat([]reward.Type{reward.TransactionSettled}, 9), slices.Repeat([]reward.Type{reward.RefundPosted}, 7),
	slices.Repeat([]reward.Type{reward.RefundPending, reward.RefundReversed, reward.ChargebackPosted, reward.RedemptionRequested}, 2),
	[]reward.Type{
		reward.TransactionAuthorized, reward.TransactionCanceled, reward.TransactionReversed, reward.RefundCanceled, reward.ChargebackReversed,
		reward.RedemptionReversed, reward.AdjustmentPosted, reward.CycleClosed, reward.AccountClosed,
	})

func drawEvent(t *rapid.T, name string, i int, now reward.Instant) reward.Event {
	one := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	e := reward.Event{
		Source: one("source", "core", "shop"), ID: fmt.Sprintf("e%d", i), Account: name + one("account", "-a1", "-a1", "-ä 2/%?"),
		Type: rapid.SampledFrom(drawnTypes).Draw(t, "type"),
		Time: now - reward.Day*reward.Instant(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 25, 70}).Draw(t, "days late")),
	}
	money := func() {
		e.HasAmount, e.Currency = true, one("currency", slices.Concat(slices.Repeat([]string{"USD"}, 30), []string{"EUR"})...)
		e.Amount = rapid.SampledFrom([]int64{10_000, 4_000, 6_000, 2_500, 333, 99, 50_000, 0}).Draw(t, "amount")
	}
	purchase := func() { e.Transaction = one("transaction", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8") }
	shop := func() {
		e.Merchant = one("merchant", "m1", "m1", "m2", "")
		switch one("trade", "grocery", "mcc", "none") {
		case "grocery":
			e.Category = "GROCERY"
		case "mcc":
			e.MCC, _ = reward.ParseMCC("5411")
		}
	}
	fact := func(kind string) { e.Fact = one(kind, "1", "2", "3", "4", "5", "6") }
	switch e.Type {
	case reward.TransactionAuthorized, reward.TransactionSettled:
		purchase()
		money()
		shop()
	case reward.TransactionCanceled, reward.TransactionReversed:
		purchase()
	case reward.RefundPending:
		fact("refund")
		purchase()
		money()
	case reward.RefundPosted:
		fact("refund")
		money()
		if one("linked", "yes", "no") == "yes" {
			purchase()
		} else {
			shop()
		}
	case reward.ChargebackPosted:
		fact("chargeback")
		purchase()
		if one("whole", "yes", "no") == "no" {
			money()
			e.Currency = ""
		}
	case reward.AdjustmentPosted:
		fact("adjustment")
		money()
		e.Reason, e.Actor = "goodwill", "somebody"
		if one("sign", "+", "-") == "-" {
			e.Amount = -e.Amount
		}
	case reward.RedemptionRequested:
		fact("redemption")
		money()
		e.Amount /= 50
	case reward.CycleClosed, reward.AccountClosed:
	default:
		fact("fact")
	}
	return e
}
