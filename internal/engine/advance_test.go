package engine_test

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/reward"
)

func (f *fixture) advance(t rapid.TB, to reward.Instant) {
	t.Helper()
	if err := f.Advance(context.Background(), to); err != nil {
		t.Fatal(err)
	}
}

func TestAdvanceClosesTheCycleOfEveryAccount(t *testing.T) {
	const accounts = 2500 // more than two of its batches
	f := newFixture(graceful())
	for n := range accounts {
		f.deliver(t, settled("acct-"+strconv.Itoa(n), n))
	}
	expect := func(when string, balance int64, status reward.Status, holdUntil reward.Instant) {
		t.Helper()
		all := f.states()
		if len(all) != accounts {
			t.Fatalf("%s: %d accounts, want %d", when, len(all), accounts)
		}
		for _, s := range all {
			if s.Balance != balance || s.Transactions[0].Status != status || s.HoldUntil != holdUntil {
				t.Fatalf("%s: %s has balance %d, a purchase that is %v, and is held until %d", when, s.Account, s.Balance, s.Transactions[0].Status, s.HoldUntil)
			}
		}
	}
	f.advance(t, on(time.February, 1)-1)
	expect("an instant before the close", 0, reward.Pending, 0)
	f.advance(t, on(time.February, 1))
	expect("at the close", 100, reward.Settled, on(time.February, 11))
	f.advance(t, on(time.January, 15))
	expect("moved back", 100, reward.Settled, on(time.February, 11))
	f.advance(t, on(time.June, 20))
	expect("after several closes", 100, reward.Settled, on(time.June, 11))

	recorded := len(f.log)
	f.advance(t, on(time.June, 20))
	if len(f.log) != recorded {
		t.Errorf("advanced to the same time again, %d events were recorded", len(f.log)-recorded)
	}
}

// A sender may use whatever source and id it likes without keeping an account
// from being moved on.
func TestAdvanceCannotBeForestalled(t *testing.T) {
	f := newFixture(graceful())
	f.deliver(t, settled("acct", 1))
	to := on(time.March, 1)
	squatter := reward.Event{Source: "recoup", ID: "clock " + to.String(), Account: "acct", Time: on(time.January, 20), Type: reward.CycleClosed}
	f.deliver(t, squatter)
	f.advance(t, to)
	if s := f.states()[0]; s.Transactions[0].Status != reward.Settled {
		t.Errorf("the purchase is %v after its close", s.Transactions[0].Status)
	}
}

func TestAdvanceCreatesNoAccount(t *testing.T) {
	f := newFixture(graceful())
	f.advance(t, on(time.February, 1))
	if all := f.states(); len(all) > 0 {
		t.Errorf("there are %+v", all)
	}
}

// A service's own clock is on the log like anything else: who replays the log
// gets the same accounts, without a clock.
func TestAdvanceIsReplayedFromTheLog(t *testing.T) {
	f := newFixture(graceful())
	f.deliver(t, settled("a", 1), settled("b", 2))
	f.advance(t, on(time.February, 1))
	late := settled("a", 3) // of January, delivered after the close
	f.deliver(t, late)
	f.advance(t, on(time.March, 1))

	replayed := newFixture(graceful())
	for _, r := range replayed.deliver(t, f.log...) {
		if r != applied {
			t.Errorf("from the log: %v %v", r.Outcome, r.Code)
		}
	}
	if want, got := f.states(), replayed.states(); !reflect.DeepEqual(want, got) {
		t.Errorf("from the log come\n%+v, want\n%+v", got, want)
	}
	if s := f.states()[0]; s.Balance != 200 {
		t.Errorf("balance %d, want 200", s.Balance)
	}
}

// measuring is a store that notes how large its batches are.
type measuring struct {
	store.Store
	sizes *[]int
}

func (m measuring) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	*m.sizes = append(*m.sizes, len(events))
	return m.Store.Update(ctx, events, apply)
}

// Advance holds up no account for all the others, and comes to each once.
func TestAdvanceWorksInBatches(t *testing.T) {
	const accounts = 2500
	f := newFixture(graceful())
	for n := range accounts {
		f.deliver(t, settled("acct-"+strconv.Itoa(n), n))
	}
	var sizes []int
	if err := engine.New(measuring{f.store, &sizes}).Advance(context.Background(), on(time.February, 1)); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	if total != accounts || slices.Max(sizes) == accounts {
		t.Errorf("batches of %v for %d accounts", sizes, accounts)
	}
}
