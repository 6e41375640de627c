package export_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// service is an engine over a memory store that keeps the log a database would.
type service struct {
	t       testing.TB
	program *reward.Program
	store   *memory.Store
	engine  *engine.Engine
	entries []*export.Entry
}

func newService(t testing.TB, p *reward.Program) *service {
	store := memory.New(p)
	s := &service{t: t, program: p, store: store, engine: engine.New(store)}
	store.Observe(func(e *reward.Event, postings []reward.Posting) {
		s.entries = append(s.entries, &export.Entry{Program: p, Event: *e, Postings: slices.Clone(postings)})
	})
	return s
}

// deliver applies events one at a time, and gives the log their results.
func (s *service) deliver(events ...reward.Event) {
	s.t.Helper()
	for i := range events {
		logged := len(s.entries)
		results, err := s.engine.Apply(context.Background(), events[i:i+1], nil)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(s.entries) > logged {
			s.entries[logged].Result = results[0]
		}
	}
}

// advance moves every account on by events in the log.
func (s *service) advance(to reward.Instant) {
	s.t.Helper()
	logged := len(s.entries)
	if err := s.engine.Advance(context.Background(), to); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range s.entries[logged:] {
		e.Result.Outcome = reward.Applied
	}
}

// Events implements export.Log.
func (s *service) Events(ctx context.Context, account string, f func(*export.Entry) error) error {
	sorted := slices.Clone(s.entries)
	slices.SortStableFunc(sorted, func(a, b *export.Entry) int { return strings.Compare(a.Event.Account, b.Event.Account) })
	for _, e := range sorted {
		if account == "" || account == e.Event.Account {
			if err := f(e); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// options are those of every export here.
func options() export.Options {
	return export.Options{Telling: program.Telling, Decimals: program.MinorUnits}
}

// written exports a log.
func written(t *testing.T, log export.Log, format string, o export.Options) (string, export.Tally) {
	t.Helper()
	var b strings.Builder
	w, err := export.NewWriter(format, &b)
	if err != nil {
		t.Fatal(err)
	}
	tally, err := export.Write(context.Background(), log, w, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), tally
}

// at reads a day, or a time of it, of 2026.
func at(s string) reward.Instant {
	if !strings.Contains(s, " ") {
		s += " 00:00"
	}
	v, err := time.Parse("2006-01-02 15:04", "2026-"+s)
	if err != nil {
		panic(err)
	}
	return reward.At(v)
}

// event makes an event of $, named after its time and what it is about.
func event(account, when string, kind reward.Type, purchase, fact string, amount int64) reward.Event {
	return reward.Event{
		Source: "core", ID: kind.String() + " " + purchase + fact, Account: account, Time: at(when), Type: kind,
		Transaction: purchase, Fact: fact, Amount: amount, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
}
