package reward_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/program"
	"recoup/reward"
)

// TestAPostingSaysThatATierMovedIt: what was bought at gold falls, and says why.
func TestAPostingSaysThatATierMovedIt(t *testing.T) {
	p, err := program.Parse("p.yaml", []byte(`id: p
currency: USD
clawback_method: rerate
tiers: [{id: status, per: year, spend: [{from: 30000, tier: gold}], keeps: this}]
rules: [{id: gold, match: {tier: {status: [gold]}}, rate: 3%}, {id: all, rate: 1%}]
`))
	noError(t, err)
	a := reward.NewAccount("a", p)
	e := reward.Event{Account: "a", Source: "s", Currency: "USD", HasAmount: true, Time: reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))}
	var journal []reward.Posting
	for i, what := range []reward.Event{
		{Type: reward.TransactionSettled, Transaction: "a", Amount: 30000},
		{Type: reward.TransactionSettled, Transaction: "b", Amount: 10000},
		{Type: reward.RefundPosted, Transaction: "a", Fact: "r", Amount: 30000},
	} {
		e.ID, e.Type, e.Transaction, e.Fact, e.Amount = fmt.Sprint(i), what.Type, what.Transaction, what.Fact, what.Amount
		_, journal = a.Apply(&e, journal)
	}
	const want = "Purchase b is at another tier now, under rule all: 1% of the 10000 kept is 100, rounded down. It is 200 less."
	plain := func(n int64) string { return fmt.Sprint(n) }
	last := journal[len(journal)-1]
	if got := last.Explain(reward.Telling{Spend: plain, Reward: plain, Terms: p}); got != want || last.Kind != reward.Reallocation || last.Rule != "all" {
		t.Errorf("got %s %s: %s\nwant %s", last.Kind, last.Rule, got, want)
	}
}
