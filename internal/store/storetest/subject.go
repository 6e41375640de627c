package storetest

import (
	"context"
	"runtime"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

// subject is the store under test.
type subject struct {
	store.Store
	terms *reward.Program
}

// answer is what became of one event.
type answer struct {
	Sighting store.Sighting
	Result   reward.Result // zero for an event that was sighted before
	Postings []reward.Posting
}

// apply is one event's way through a unit of work: one that was sighted before
// is not applied, and one that leaves no trace is not recorded. Others get a
// chance to interfere in between.
func apply(u store.Unit, i int, e *reward.Event) answer {
	if seen := u.Sighting(i); seen != store.Unseen {
		return answer{Sighting: seen}
	}
	r, postings := u.Account(i).Apply(e, nil)
	runtime.Gosched()
	if !r.LeavesNoTrace() {
		u.Record(i, "key-1", r, postings)
	}
	return answer{Result: r, Postings: postings}
}

// try delivers a batch as one unit of work. A store may call more than once for
// the work; the last time counts.
func (s *subject) try(ctx context.Context, events []reward.Event) ([]answer, error) {
	var answers []answer
	err := s.Update(ctx, events, func(u store.Unit) {
		answers = make([]answer, len(events))
		for i := range events {
			answers[i] = apply(u, i, &events[i])
		}
	})
	return answers, err
}

// deliver delivers a batch that has to be kept.
func (s *subject) deliver(t *testing.T, events ...reward.Event) []answer {
	t.Helper()
	answers, err := s.try(context.Background(), events)
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
	if len(answers) != len(events) {
		t.Fatalf("Update kept %d events without calling for the work on %d", len(answers), len(events))
	}
	return answers
}

// sight returns what the log knows of the events, without delivering them.
func (s *subject) sight(t *testing.T, events ...reward.Event) []store.Sighting {
	t.Helper()
	var seen []store.Sighting
	err := s.Update(context.Background(), events, func(u store.Unit) {
		seen = seen[:0]
		for i := range events {
			seen = append(seen, u.Sighting(i))
		}
	})
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
	return seen
}

// expectSighting delivers nothing and fails unless every event is sighted so.
func (s *subject) expectSighting(t *testing.T, want store.Sighting, events ...reward.Event) {
	t.Helper()
	for i, got := range s.sight(t, events...) {
		if got != want {
			t.Fatalf("event %s of %s, number %d of %d: sighting %d, want %d", events[i].ID, events[i].Account, i, len(events), got, want)
		}
	}
}

// state returns an account as the next unit would see it. One that does not
// exist has the state of a new account.
func (s *subject) state(t *testing.T, id string) (state reward.State, exists bool) {
	t.Helper()
	look := []reward.Event{{Source: "storetest", ID: "look", Account: id, Time: january, Type: reward.CycleClosed}}
	err := s.Update(context.Background(), look, func(u store.Unit) {
		a := u.Account(0)
		state, exists = a.State(), a.Exists()
	})
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
	return state, exists
}

// accounts lists the accounts that the store has.
func (s *subject) accounts(t *testing.T) []string {
	t.Helper()
	var ids []string
	err := s.EachAccount(context.Background(), func(id string) error {
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		t.Fatalf("EachAccount: %v", err)
	}
	return ids
}

// check has the store check itself, if it can, and every account.
func (s *subject) check(t *testing.T) {
	t.Helper()
	if self, can := s.Store.(interface{ Check() []reward.Violation }); can {
		for _, v := range self.Check() {
			t.Error(v)
		}
		return
	}
	for _, id := range s.accounts(t) {
		look := []reward.Event{{Source: "storetest", ID: "look", Account: id, Time: january, Type: reward.CycleClosed}}
		var found []reward.Violation
		err := s.Update(context.Background(), look, func(u store.Unit) { found = u.Account(0).Check() })
		if err != nil {
			t.Fatalf("Update: %v", err)
		}
		for _, v := range found {
			t.Error(v)
		}
	}
}
