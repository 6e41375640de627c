package compare_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/labtest"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// A customer base with a sign-up bonus: one customer keeps the goods, one returns them.
// Where the bonus stays, that is $200 of leakage; Recoup has none. Designs that know no
// bonuses are named, and take no part.
func TestCompareUnderTerms(t *testing.T) {
	parse := func(text string) *reward.Program {
		p, err := program.Parse("p", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := parse(`
id: sign-up
currency: USD
clawback_method: rerate
layers:
  - {id: base, rules: [{id: everything, rate: 1%}]}
  - {id: app, rules: [{id: app, match: {label: {channel: [app]}, account: {spring: [on]}}, rate: 1%}]}
bonuses:
  - {id: welcome, match: {within: {days: 90, of: opened}}, per: lifetime, spend: [{from: 50000, reward: 20000}]}
`)
	n := 0
	event := func(account string, month, day int, e reward.Event) reward.Event {
		n++
		e.Source, e.ID, e.Account = "test", string(rune('a'+n)), account
		e.Time = reward.At(time.Date(2026, time.Month(month), day, 12, 0, 0, 0, time.UTC))
		if e.Amount != 0 {
			e.HasAmount, e.Currency = true, "USD"
		}
		return e
	}
	app := reward.MakeLabels(map[string]string{"channel": "app"})
	events := func(yield func([]reward.Event, error) bool) {
		yield([]reward.Event{
			event("keeps", 1, 2, reward.Event{Type: reward.AttributeSet, Fact: "a1", Category: "spring", Method: "on"}),
			event("keeps", 1, 3, reward.Event{Type: reward.TransactionSettled, Transaction: "t1", Amount: 500_00, Labels: app}),
			event("returns", 1, 4, reward.Event{Type: reward.TransactionSettled, Transaction: "t2", Amount: 500_00, Labels: app}),
			event("returns", 2, 4, reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t2", Amount: 500_00}),
		}, nil)
	}
	stays := labtest.Design(t, "Bonus stays")
	c, err := compare.Designs(context.Background(), p, events, []design.Design{labtest.Design(t, "A"), stays})
	if err != nil {
		t.Fatal(err)
	}
	if c.Entitlement != 210_00 {
		t.Errorf("entitlement %d, want 1 %% twice over of $500 and the bonus, $210", c.Entitlement)
	}
	for name, want := range map[string]int64{"Bonus stays": 200_00, "Recoup": 0} {
		if f := labtest.Figures(t, c, name); f.Leakage != want || f.Shortfall != 0 || len(f.NoPath) != 0 {
			t.Errorf("%s: leakage %d, shortfall %d, no path for %v; want %d and nothing else", name, f.Leakage, f.Shortfall, f.NoPath, want)
		}
	}
	if strings.Join(c.NotSupported, ",") != "A" {
		t.Errorf("not supported: %v", c.NotSupported)
	}
	for text, want := range map[string]string{
		"id: p\ncurrency: USD\nexpires: {months: 12}\nrules: [{id: a, rate: 1%}]":                   "rewards do not expire",
		"id: p\ncurrency: USD\nreward: {unit: PTS, decimals: 0}\nrules: [{id: a, rate: 1 per 100}]": "rewards in its currency",
	} {
		if _, err := compare.Designs(context.Background(), parse(text), events, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
