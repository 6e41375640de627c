package reward_test

import (
	"testing"
	"time"

	"recoup/reward"
)

// TestAnEventThatChangesNothingAllocatesNothing: what an event costs in memory is what
// it adds to the account. Whatever the rules keep on the heap for an event at work, all
// events would pay for.
func TestAnEventThatChangesNothingAllocatesNothing(t *testing.T) {
	a := reward.NewAccount("a", smallProgram())
	bought := reward.Event{
		Account: "a", Source: "s", ID: "1", Type: reward.TransactionSettled, Transaction: "t1", Amount: 1000, HasAmount: true,
		Currency: "USD", Time: reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)),
	}
	if r, _ := a.Apply(&bought, nil); r.Outcome != reward.Applied {
		t.Fatal(r)
	}
	if n := testing.AllocsPerRun(100, func() {
		if r, _ := a.Apply(&bought, nil); r.Outcome != reward.Duplicate {
			t.Fatal(r)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
