package durable_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/memory"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// drawProgram draws the everyday program in one of its timings and methods.
func drawProgram(t *rapid.T) *reward.Program {
	p := *program.Everyday()
	p.Timing.Grant = rapid.SampledFrom([]reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement}).Draw(t, "grant")
	p.Timing.Clawback = rapid.SampledFrom([]reward.ClawbackTiming{reward.ClawbackAtRefund, reward.ClawbackAtStatement}).Draw(t, "clawback")
	p.Method = rapid.SampledFrom([]reward.ClawbackMethod{reward.Proportional, reward.Rerate}).Draw(t, "method")
	p.MaturityDays = rapid.SampledFrom([]int{0, 20}).Draw(t, "maturity")
	p.Redemption.GraceDays = rapid.SampledFrom([]int{0, 10}).Draw(t, "grace")
	return &p
}

func drawStream(t *rapid.T, p *reward.Program) []reward.Event {
	return slices.Collect(traffic.Generate(traffic.Options{
		Accounts: rapid.IntRange(1, 6).Draw(t, "accounts"), Events: 250, Seed: rapid.Uint64().Draw(t, "seed"),
		Program: p, Days: 120, ReturnShare: 300, OverRefunds: 200, Duplicates: 100, Disorder: 200,
	}))
}

// stateOf reads an account whole, as the next unit of work would see it.
func stateOf(t rapid.TB, s store.Store, id string) (state reward.State, reviews []reward.Review, violations []reward.Violation) {
	t.Helper()
	look := []reward.Event{{Source: "test", ID: "look", Account: id, Type: reward.CycleClosed}}
	err := s.Update(context.Background(), look, func(u store.Unit) {
		u.Sighting(0) // who looks without it may look at what is at hand, which others have changed
		a := u.Account(0)
		state, reviews, violations = a.State(), a.Reviews(), a.Check()
	})
	if err != nil {
		t.Fatal(err)
	}
	return state, reviews, violations
}

// registry has a database know programs that are not documents.
type registry struct {
	*durable.Programs
	known map[string]*reward.Program
}

func newRegistry(t *testing.T, d durable.Driver) *registry {
	t.Helper()
	r := &registry{known: make(map[string]*reward.Program)}
	parse := func(document []byte) (*reward.Program, error) {
		version := *r.known[string(document)]
		return &version, nil
	}
	var err error
	if r.Programs, err = durable.OpenPrograms(context.Background(), d, parse, time.Now); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *registry) add(t rapid.TB, p *reward.Program) {
	t.Helper()
	r.known[p.ID] = p
	if _, _, err := r.Put(context.Background(), p.ID, []byte(p.ID), 0, "test"); err != nil {
		t.Fatal(err)
	}
}

func epoch() reward.Instant { return 1 }

// TestDatabaseEndsAsMemory: the same events, in batches of any size, end in the
// same answers, postings, accounts and reviews in a database as in memory, whether
// accounts stay at hand from batch to batch or are read again.
func TestDatabaseEndsAsMemory(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := driver(t)
			programs := newRegistry(t, d)
			run := 0
			rapid.Check(t, func(t *rapid.T) {
				run++
				p := drawProgram(t)
				p.ID, p.Version = fmt.Sprintf("p%d", run), 1
				programs.add(t, p)
				events := drawStream(t, p)
				accounts := make(map[string]bool)
				var opened []reward.Event
				for i := range events {
					e := &events[i]
					e.Account = p.ID + "-" + e.Account
					if !accounts[e.Account] {
						accounts[e.Account] = true
						opened = append(opened, reward.Event{Source: "core", ID: "open", Account: e.Account, Time: events[0].Time, Type: reward.AccountOpened, Fact: p.ID})
					}
				}
				events = append(opened, events...)
				inMemory := memory.New(p)
				var journal []reward.Posting
				inMemory.Observe(func(_ *reward.Event, more []reward.Posting) { journal = append(journal, more...) })
				s := durable.New(d, durable.Options{
					Programs: programs.Programs, Now: epoch, AtHand: rapid.SampledFrom([]int{1, 100, 100_000}).Draw(t, "at hand"),
				})
				want, err := engine.New(inMemory).Apply(context.Background(), events, nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []reward.Result
				for rest := events; len(rest) > 0; {
					n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
					if got, err = engine.New(s).Apply(context.Background(), rest[:n], got); err != nil {
						t.Fatal(err)
					}
					rest = rest[n:]
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("event %d %+v: %v %v, in memory %v %v", i, events[i], got[i].Outcome, got[i].Code, want[i].Outcome, want[i].Code)
					}
				}
				for account := range accounts {
					compareAccount(t, s, inMemory, account, journal)
				}
			})
		})
	}
}

func compareAccount(t *rapid.T, s *durable.Store, inMemory *memory.Store, account string, journal []reward.Posting) {
	t.Helper()
	whole := inMemory.Account(account)
	state, reviews, violations := stateOf(t, s, account)
	if want := whole.State(); !reflect.DeepEqual(state, want) {
		t.Fatalf("the account is\n%+v, in memory\n%+v", state, want)
	}
	if want := whole.Reviews(); !reflect.DeepEqual(reviews, want) {
		t.Fatalf("open for review is\n%+v, in memory\n%+v", reviews, want)
	}
	if len(violations) > 0 {
		t.Fatalf("violated: %v", violations)
	}
	ctx := context.Background()
	entries, err := s.Entries(ctx, account, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(entries)
	for i := range entries {
		if e := entries[i].Cause; e == nil || e.ID != entries[i].Event || e.Source != entries[i].Source {
			t.Fatalf("posting %d is said to be of %+v", entries[i].Number, e)
		}
		entries[i].Cause = nil // the journal in memory knows of postings alone
	}
	var own []durable.EntryView
	for _, p := range journal {
		if p.Account == account {
			own = append(own, durable.EntryView{Posting: p})
		}
	}
	if !reflect.DeepEqual(entries, own) && len(entries)+len(own) > 0 {
		t.Fatalf("the journal is\n%+v, in memory\n%+v", entries, own)
	}
	statements, err := s.Statements(ctx, account, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	closing := state.Balance
	for _, v := range statements {
		if v.Closing != closing || !v.Ties() {
			t.Fatalf("the statement of %v is %+v, the one after opens with %d", v.Cycle, v.Statement, closing)
		}
		closing = v.Opening
	}
	if closing != 0 {
		t.Fatalf("the first statement opens with %d", closing)
	}
	// The balance at any time is that after the last posting dated by then, unless
	// the journal goes back in time, which it does not.
	if len(own) > 0 {
		p := own[rapid.IntRange(0, len(own)-1).Draw(t, "posting")]
		want := int64(0)
		for _, q := range own {
			if q.At <= p.At {
				want = q.Balance
			}
		}
		if got, err := s.BalanceAt(ctx, account, p.At); err != nil || got != want {
			t.Fatalf("the balance at %v was %d (%v), want %d", p.At, got, err, want)
		}
	}
}
