package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

// expectState fails unless the store has the account so.
func expectState(t *testing.T, s *subject, want reward.State) {
	t.Helper()
	if got, _ := s.state(t, want.Account); !reflect.DeepEqual(got, want) {
		t.Fatalf("the account is\n%+v, want\n%+v", got, want)
	}
}

// expectAccounts fails unless the store has exactly those accounts.
func expectAccounts(t *testing.T, s *subject, want ...string) {
	t.Helper()
	if got := s.accounts(t); !slices.Equal(got, want) {
		t.Fatalf("the store has accounts %q, want %q", got, want)
	}
}

func badInput(t *testing.T, s *subject) {
	invalid := settled("a", "t1", -1)
	foreign := settled("a", "t1", 10_000)
	foreign.Currency = "EUR"
	foreign.Time += 400 * reward.Day
	good := settled("a", "t1", 10_000)

	answers := s.deliver(t, invalid, foreign, invalid)
	for i, a := range answers {
		if a.Result.Outcome != reward.Rejected || !a.Result.LeavesNoTrace() {
			t.Fatalf("event %d: %v %v, which is no bad input", i, a.Result.Outcome, a.Result.Code)
		}
	}
	expectAccounts(t, s)
	if _, exists := s.state(t, "a"); exists {
		t.Fatal("bad input created the account")
	}
	s.expectSighting(t, store.Unseen, invalid, foreign, good)

	s.deliver(t, good)
	before, _ := s.state(t, "a")
	late := settled("a", "t2", 0)
	late.Time += 400 * reward.Day
	s.deliver(t, late)
	expectState(t, s, before)
	expectAccounts(t, s, "a")
	s.expectSighting(t, store.Unseen, settled("a", "t2", 0))
}

func keptOnceRecorded(t *testing.T, s *subject) {
	e := settled("a", "t1", 10_000)
	// Looked at, worked on, and not recorded.
	err := s.Update(context.Background(), []reward.Event{e, e}, func(u store.Unit) {
		if a := u.Account(0); a.Exists() || a.ID() != "a" || a.Program().ID != s.terms.ID {
			t.Errorf("a new account has id %q, program %s and exists: %v", a.ID(), a.Program().ID, a.Exists())
		}
		u.Sighting(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	expectAccounts(t, s)
	s.expectSighting(t, store.Unseen, e)

	s.deliver(t, settled("b", "t1", 0), e)
	expectAccounts(t, s, "a")
}

func refusedIsRecorded(t *testing.T, s *subject) {
	e := redeemed("a", "r1", 100)
	if got := s.deliver(t, e)[0].Result; got != (reward.Result{Outcome: reward.Rejected, Code: reward.InsufficientBalance}) {
		t.Fatalf("a redemption of nothing is %v %v", got.Outcome, got.Code)
	}
	expectAccounts(t, s, "a")
	s.expectSighting(t, store.SameContent, e)
	e.Amount++
	s.expectSighting(t, store.OtherContent, e)
}

func byteOrder(t *testing.T, s *subject) {
	expectAccounts(t, s)
	// A collation for people would have these in another order, or hold some of
	// them for one.
	want := []string{
		" a", "-", "10", "9", "A", "B", "Z", "_", "a", "a ", "a b", "a-b", "a0", "ab", "b",
		"e\u0301", "stra\u00dfe", "strasse", "z", "\u00c9", "\u00e9", "\uff21", "\U0001f4b3",
	}
	slices.Sort(want)
	mixed := slices.Clone(want)
	slices.Reverse(mixed)
	for _, id := range slices.Concat(mixed[7:], mixed[:7]) {
		s.deliver(t, settled(id, "t1", 10_000))
	}
	expectAccounts(t, s, want...)
	enough := errors.New("enough")
	err := s.EachAccount(context.Background(), func(id string) error {
		if id != want[0] {
			t.Errorf("the first account is %q, want %q", id, want[0])
		}
		return enough
	})
	if err != enough {
		t.Errorf("stopped early, the listing returned %v", err)
	}
	expectAccounts(t, s, want...)
}

// keepsState compares accounts that go through the store, loaded again and
// again, with accounts that never leave memory.
func keepsState(t *testing.T, s *subject) {
	twins := make(map[string]*reward.Account)
	for _, e := range stream() {
		got := s.deliver(t, e)[0]
		twin := twins[e.Account]
		if twin == nil {
			twin = reward.NewAccount(e.Account, s.terms)
			twins[e.Account] = twin
		}
		if got.Sighting != store.Unseen {
			continue
		}
		result, postings := twin.Apply(&e, nil)
		if got.Result != result || !slices.Equal(got.Postings, postings) {
			t.Fatalf("event %s of %s:\n%+v, want\n%+v %+v", e.ID, e.Account, got, result, postings)
		}
	}
	for _, twin := range twins {
		expectState(t, s, twin.State())
	}
}
