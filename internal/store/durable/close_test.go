package durable_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// log reads the events of all accounts, by account and then in order.
func log(t testing.TB, d durable.Driver) (events []reward.Event) {
	t.Helper()
	decoder := event.NewDecoder()
	err := d.View(context.Background(), func(r durable.Reader) error {
		return r.EventsOf(context.Background(), "", "", func(row *durable.EventRow) error {
			var e reward.Event
			if err := decoder.Decode(row.Event, &e); err != nil {
				return err
			}
			events = append(events, e)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// closeAll closes what is due by a moment as a service does: what it finds another closer
// busy with, it leaves, and comes again. It returns how many cycles it closed.
func closeAll(t *testing.T, s *durable.Store, by reward.Instant) (closed int) {
	ctx := context.Background()
	for range 100 {
		n, err := engine.New(s).CloseDue(ctx, by, s.Due)
		closed += n
		if err != nil && store.ReachOf(err) != store.Busy {
			t.Error(err)
			return closed
		}
		left, err := s.Due(ctx, reward.CycleAt(by).Start(), 1)
		if err != nil {
			t.Error(err)
			return closed
		}
		if len(left) == 0 {
			return closed
		}
	}
	t.Error("cycles are still due after a hundred tries to close them")
	return closed
}

// TestCyclesAreClosedOnTime: whoever closes cycles, and however many do at once,
// an account with work for its close gets one cycle.closed, one without gets
// none, and the log replays to the same accounts.
func TestCyclesAreClosedOnTime(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := *program.Everyday()
			p.Timing.Grant = reward.GrantAtStatement
			d := driver(t)
			ctx := context.Background()
			const accounts = 1500 // more than one batch
			january := reward.At(time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC))
			var events []reward.Event
			for n := range accounts {
				e := reward.Event{
					Source: "core", ID: "e1", Account: fmt.Sprintf("acct-%04d", n), Time: january, Type: reward.TransactionSettled,
					Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: "USD", Category: "GROCERY",
				}
				if n%3 == 0 {
					e.Type = reward.TransactionAuthorized // nothing to close
				}
				events = append(events, e)
			}
			first := open(t, d, &p, 0)
			if _, err := engine.New(first).Apply(ctx, events, nil); err != nil {
				t.Fatal(err)
			}
			if n, err := engine.New(first).CloseDue(ctx, january+5*reward.Day, first.Due); n != 0 || err != nil {
				t.Fatalf("before the boundary %d cycles were closed, %v", n, err)
			}

			stores := []*durable.Store{first, open(t, d, &p, 0), open(t, d, &p, 1)}
			closed := make([]int, len(stores))
			var all sync.WaitGroup
			for i, s := range stores {
				all.Go(func() {
					closed[i] = closeAll(t, s, january+15*reward.Day)
				})
			}
			all.Wait()
			if total := closed[0] + closed[1] + closed[2]; total != accounts*2/3 {
				t.Errorf("%v, in all %d cycles were closed, want %d", closed, total, accounts*2/3)
			}

			logged := log(t, d)
			if want := accounts + accounts*2/3; len(logged) != want {
				t.Fatalf("the log has %d events, want %d", len(logged), want)
			}
			replayed := memory.New(&p)
			if _, err := engine.New(replayed).Apply(ctx, logged, nil); err != nil {
				t.Fatal(err)
			}
			for n := range accounts {
				id := fmt.Sprintf("acct-%04d", n)
				state, _, _ := stateOf(t, first, id)
				if want := replayed.Account(id).State(); !reflect.DeepEqual(state, want) {
					t.Fatalf("%s is\n%+v, replayed\n%+v", id, state, want)
				}
				if n%3 > 0 && state.Balance != 500 {
					t.Fatalf("%s has balance %d, want 500", id, state.Balance)
				}
			}
		})
	}
}
