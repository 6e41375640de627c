package durable_test

import (
	"context"
	"testing"

	"recoup/program"
	"recoup/reward"
)

// What is read of an account knows its attributes, as what is applied to it does: what an
// event would do, and what a statement grants that is due and has not been made.
func TestReadingKnowsAttributes(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := program.Load("../../../examples/programs/activation.yaml")
			ok(t, err)
			p.Timing.Grant = reward.GrantAtStatement
			l := listen(t, driver(t), p)
			l.apply(
				reward.Event{Account: "a", Type: reward.AttributeSet, Fact: "a1", Category: "spring-offer", Method: "activated"},
				reward.Event{Account: "a", Type: reward.TransactionSettled, Transaction: "t1", Amount: 10_000, Category: "HOME"},
			)
			trial, _, err := l.Try(context.Background(), reward.Event{
				Source: "core", ID: "now", Account: "a", Time: reward.At(january), Type: reward.TransactionSettled,
				Transaction: "t2", Amount: 20_000, HasAmount: true, Currency: "USD", Category: "HOME",
			})
			if ok(t, err); trial.Result.Outcome != reward.Applied || trial.Change != 1_000 {
				t.Errorf("a purchase of $200 would be %+v, want $10 by the statement", trial)
			}
			l.at(january.AddDate(0, 1, 1))
			v, _, err := l.Account(context.Background(), "a")
			if ok(t, err); v.Balance != 500 {
				t.Errorf("the balance is %d, want 500", v.Balance)
			}
			l.apply(reward.Event{Account: "a", Type: reward.CycleClosed, ID: "close"})
			if v, _, err = l.Account(context.Background(), "a"); err != nil || v.Balance != 500 {
				t.Errorf("once it is made, the balance is %d, %v", v.Balance, err)
			}
		})
	}
}
