package reward_test

import (
	"testing"
	"time"

	"recoup/reward"
)

// TestEveryPostingIsExplained plays one account through every kind of posting
// and reads what the cardholder would be told.
func TestEveryPostingIsExplained(t *testing.T) {
	p := groceries()
	p.Method = reward.Rerate
	p.Rules[0].Cap = 700
	a := reward.NewAccount("a", p)
	now := reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))
	step := func(e reward.Event, want ...string) {
		t.Helper()
		now += reward.Day
		e.Source, e.ID, e.Account, e.Time, e.Currency, e.HasAmount = "core", now.String(), "a", now, "USD", e.Amount != 0
		before := a.Summary().Balance
		_, journal := a.Apply(&e, nil)
		if len(journal) != len(want) {
			t.Fatalf("%v: %d postings, want %d", e.Type, len(journal), len(want))
		}
		for i, posting := range journal {
			before += posting.Amount
			if got := posting.Kind.String() + ": " + posting.Explain(reward.Telling{Spend: dollars, Reward: dollars}); got != want[i] {
				t.Errorf("%v:\n got %s\nwant %s", e.Type, got, want[i])
			}
			if posting.Balance != before || posting.Event != e.ID || posting.At != now || posting.Program != "groceries" {
				t.Errorf("%v: %+v does not follow from balance %d", e.Type, posting, before)
			}
		}
	}
	buy := func(id string, amount int64) reward.Event {
		return reward.Event{Type: reward.TransactionSettled, Transaction: id, Amount: amount, Category: "GROCERY"}
	}
	step(buy("t1", 10000), "grant: Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down.")
	step(buy("t2", 10000), "grant: Reward for purchase t2 under rule grocery: 5% of $100.00 is $5.00, rounded down; the cycle's cap of $7.00 leaves $2.00.")
	step(reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 4000},
		"clawback: $40.00 of purchase t1 came back: 5% of the $60.00 kept is $3.00, rounded down. $2.00 is taken back.",
		"reallocation: Another change made room for the reward of purchase t2: 5% of the $100.00 kept is $5.00, rounded down, of which the cycle's cap of $7.00 leaves $4.00. It is $2.00 more.")
	step(reward.Event{Type: reward.RefundReversed, Fact: "r1"},
		"restore: A return of purchase t1 was undone, $0.00 of it stays returned: 5% of the $100.00 kept is $5.00, rounded down. $2.00 is given back.",
		"reallocation: Another change moved reward away from purchase t2: 5% of the $100.00 kept is $5.00, rounded down, of which the cycle's cap of $7.00 leaves $2.00. It is $2.00 less.")
	step(reward.Event{Type: reward.RedemptionRequested, Fact: "d1", Amount: 600}, "redemption: Redemption d1 paid out $6.00.")
	step(reward.Event{Type: reward.RedemptionReversed, Fact: "d1"}, "redemption_reversal: Redemption d1 came back: $6.00.")
	step(reward.Event{Type: reward.AdjustmentPosted, Fact: "j1", Amount: -150, Reason: "goodwill", Actor: "ops"}, "adjustment: Adjustment j1 by ops, goodwill: -$1.50.")
	step(reward.Event{Type: reward.AdjustmentPosted, Fact: "j2", Amount: 500, Reason: "goodwill", Actor: "Oscar", Approver: "Anna"},
		"adjustment: Adjustment j2 by Oscar, approved by Anna, goodwill: $5.00.")
}
