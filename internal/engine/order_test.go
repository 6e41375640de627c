package engine_test

import (
	"reflect"
	"testing"
	"time"

	"recoup/reward"
)

// TestOrderOfChecks delivers a redemption that is wrong in every way there is,
// and then puts one thing right after the other, from the first check to the
// last (docs/semantics.md, sections 6 and 8).
func TestOrderOfChecks(t *testing.T) {
	const reward5 = 500 // of $100 of groceries
	f := newFixture(graceful())
	for _, account := range []string{"open", "closed"} {
		bought := settled(account, 1)
		bought.Amount = 10_000
		f.deliver(t, bought)
	}
	request := func(account, id, fact string, at reward.Instant, amount int64) reward.Event {
		return reward.Event{
			Source: "core", ID: id, Account: account, Time: at, Type: reward.RedemptionRequested,
			Fact: fact, Amount: amount, HasAmount: true, Currency: "USD",
		}
	}
	march := on(time.March, 20)
	expectResults(t, f.deliver(t,
		request("closed", "paid", "paid", on(time.February, 20), reward5/2),
		reward.Event{Source: "core", ID: "end", Account: "closed", Time: on(time.February, 21), Type: reward.AccountClosed},
	), applied, applied)

	foreign := func(e reward.Event) reward.Event {
		e.Currency = "EUR"
		return e
	}
	for _, c := range []struct {
		name         string
		event        reward.Event
		want         reward.Result
		leavesAsItIs bool
	}{
		{"identity", foreign(request("closed", "paid", "paid", march, 0)), idReused, true},
		{"amount", foreign(request("closed", "q1", "paid", march, 0)), result(reward.Rejected, reward.InvalidAmount), true},
		{"currency", foreign(request("closed", "q2", "paid", march, 2*reward5)), result(reward.Rejected, reward.CurrencyMismatch), true},
		{"the same fact with another amount", request("closed", "q3", "paid", march, 2*reward5), result(reward.Rejected, reward.RedemptionConflict), false},
		{"the account is closed", request("closed", "q4", "new", on(time.April, 2), 2*reward5), result(reward.Rejected, reward.AccountIsClosed), false},
		{"the grace hold", request("open", "q5", "new", on(time.February, 2), 2*reward5), result(reward.Rejected, reward.GraceHold), false},
		{"its last moment", request("open", "q6", "new", on(time.February, 11)-1, 2*reward5), result(reward.Rejected, reward.GraceHold), false},
		{"the balance", request("open", "q7", "new", on(time.February, 11), 2*reward5), result(reward.Rejected, reward.InsufficientBalance), false},
		{"nothing", request("open", "q8", "new", on(time.February, 11), reward5), applied, false},
		{"the same fact again", request("open", "q9", "new", on(time.March, 2), reward5), duplicate, false},
	} {
		before := f.states()
		if got := f.deliver(t, c.event)[0]; got != c.want {
			t.Errorf("%s: %v %q, want %v %q", c.name, got.Outcome, got.Code, c.want.Outcome, c.want.Code)
		}
		if same := reflect.DeepEqual(before, f.states()); c.leavesAsItIs && !same {
			t.Errorf("%s: the check came after the cycle was closed", c.name)
		}
	}
}

// TestACycleClosesBeforeTheEvent: the first event at or past the end of a cycle
// meets the account as the close left it, even if the event is then refused.
func TestACycleClosesBeforeTheEvent(t *testing.T) {
	p := graceful()
	p.Redemption.GraceDays = 0
	for _, c := range []struct {
		name    string
		at      reward.Instant
		amount  int64
		want    reward.Result
		balance int64
	}{
		{"an instant before the close", on(time.February, 1) - 1, 100, result(reward.Rejected, reward.InsufficientBalance), 0},
		{"at the close", on(time.February, 1), 100, applied, 0},
		{"at the close, refused", on(time.February, 1), 101, result(reward.Rejected, reward.InsufficientBalance), 100},
		{"several cycles later", on(time.June, 15), 100, applied, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(p)
			f.deliver(t, settled("acct", 1)) // earns 100
			got := f.deliver(t, reward.Event{
				Source: "core", ID: "r1", Account: "acct", Time: c.at, Type: reward.RedemptionRequested,
				Fact: "r1", Amount: c.amount, HasAmount: true, Currency: "USD",
			})
			expectResults(t, got, c.want)
			if s := f.states()[0]; s.Balance != c.balance {
				t.Errorf("balance %d, want %d", s.Balance, c.balance)
			}
		})
	}
}
