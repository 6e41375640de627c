package durable_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// world is a store with accounts of two programs in two currencies, over several
// cycles.
type world struct {
	*durable.Store
	accounts []string // in byte order
}

// january is when the world begins.
var january = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// inEachDatabase runs a test on such a world in each of the databases, side by side
// with other tests: most of the time they wait for a disk.
func inEachDatabase(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, driver(t)))
		})
	}
}

func newWorld(t *testing.T, d durable.Driver) *world {
	t.Helper()
	programs := newRegistry(t, d)
	w := &world{Store: durable.New(d, durable.Options{Programs: programs.Programs, Now: epoch})}
	for i, currency := range []string{"EUR", "USD"} {
		p := *program.Everyday()
		p.ID, p.Currency = "in-"+currency, currency
		p.Rules = slices.Clone(p.Rules)
		p.Rules[0].Cap = 1000 // often reached
		if currency == "EUR" {
			p.Method = reward.Rerate // one purchase's refund changes the reward of others
		}
		programs.add(t, &p)
		events := slices.Collect(traffic.Generate(traffic.Options{
			Accounts: 7, Events: 900, Seed: uint64(i) + 1, Program: &p, Start: january, Days: 150,
			ReturnShare: 300, OverRefunds: 100, Duplicates: 50, Disorder: 100,
		}))
		seen := make(map[string]bool)
		var all []reward.Event
		for _, e := range events {
			e.Account = fmt.Sprintf("%s-%d", e.Account, i)
			if !seen[e.Account] {
				seen[e.Account] = true
				w.accounts = append(w.accounts, e.Account)
				all = append(all, opened(e.Account, p.ID))
			}
			all = append(all, e)
		}
		// An account on which nothing was posted after January, one that nothing was posted on, and
		// one that owes.
		left, bare, owes := "left-"+currency, "bare-"+currency, "owes-"+currency
		w.accounts = append(w.accounts, left, bare, owes)
		all = append(all, opened(bare, p.ID), opened(left, p.ID), opened(owes, p.ID), reward.Event{
			Source: "core", ID: "e1", Account: owes, Time: reward.At(january), Type: reward.AdjustmentPosted,
			Fact: "a1", Amount: -500, HasAmount: true, Currency: currency, Reason: "granted twice", Actor: "clerk",
		}, reward.Event{
			Source: "core", ID: "e1", Account: left, Time: reward.At(january), Type: reward.TransactionSettled,
			Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: currency,
		}, reward.Event{
			Source: "core", ID: "e2", Account: left, Time: reward.At(january) + 90*reward.Day, Type: reward.TransactionAuthorized,
			Transaction: "t2", Amount: 10_000, HasAmount: true, Currency: currency,
		})
		w.apply(t, all...)
	}
	slices.Sort(w.accounts)
	return w
}

func opened(account, program string) reward.Event {
	return reward.Event{Source: "core", ID: "open", Account: account, Time: reward.At(january), Type: reward.AccountOpened, Fact: program}
}

// apply applies events in batches.
func (w *world) apply(t testing.TB, events ...reward.Event) {
	t.Helper()
	for batch := range slices.Chunk(events, 300) {
		if _, err := engine.New(w.Store).Apply(context.Background(), batch, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// ok fails the test at an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
