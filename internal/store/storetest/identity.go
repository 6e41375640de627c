package storetest

import (
	"fmt"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

func sameContent(t *testing.T, s *subject) {
	e := settled("a", "t1", 10_000)
	s.expectSighting(t, store.Unseen, e)
	s.deliver(t, e)
	s.expectSighting(t, store.SameContent, e, e)
	before, _ := s.state(t, "a")
	for range 3 {
		if got := s.deliver(t, e)[0].Sighting; got != store.SameContent {
			t.Fatalf("sighting %d, want SameContent", got)
		}
	}
	expectState(t, s, before)
}

// samples are well-formed events that between them have every member.
var samples = map[reward.Type]reward.Event{
	reward.TransactionSettled: {
		Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: "USD", Merchant: "m1", MCC: 5412, Category: "GROCERY",
	},
	reward.RefundPosted:         {Fact: "f1", Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: "USD"},
	reward.ChargebackPosted:     {Fact: "f1", Transaction: "t1"},
	reward.RedemptionRequested:  {Fact: "f1", Amount: 1, HasAmount: true, Currency: "USD", Method: "cash"},
	reward.RedemptionAuthorized: {Fact: "f2", Amount: 1, HasAmount: true, Currency: "USD", Expires: january + reward.Day},
	reward.AdjustmentPosted:     {Fact: "f1", Amount: 10_000, HasAmount: true, Currency: "USD", Reason: "goodwill", Actor: "clerk", Approver: "chief"},
	reward.AccountClosed:        {},
}

// sample is the event of the type on an account of its own.
func sample(kind reward.Type) reward.Event {
	e := samples[kind]
	e.Source, e.ID, e.Account, e.Time, e.Type = "core", "e1", kind.String(), january, kind
	return e
}

func otherContent(t *testing.T, s *subject) {
	for kind := range samples {
		s.deliver(t, sample(kind))
	}
	for _, c := range []struct {
		name   string
		kind   reward.Type
		change func(*reward.Event)
	}{
		{"time, by a nanosecond", reward.AccountClosed, func(e *reward.Event) { e.Time++ }},
		{"type", reward.AccountClosed, func(e *reward.Event) { e.Type = reward.CycleClosed }},
		{"type with the same members", reward.TransactionSettled, func(e *reward.Event) { e.Type = reward.TransactionAuthorized }},
		{"amount", reward.TransactionSettled, func(e *reward.Event) { e.Amount++ }},
		{"bad amount", reward.TransactionSettled, func(e *reward.Event) { e.Amount = 0 }},
		{"currency", reward.TransactionSettled, func(e *reward.Event) { e.Currency = "EUR" }},
		{"transaction", reward.TransactionSettled, func(e *reward.Event) { e.Transaction = "t2" }},
		{"merchant", reward.TransactionSettled, func(e *reward.Event) { e.Merchant = "M1" }},
		{"no merchant", reward.TransactionSettled, func(e *reward.Event) { e.Merchant = "" }},
		{"mcc", reward.TransactionSettled, func(e *reward.Event) { e.MCC++ }},
		{"mcc, in its higher digits", reward.TransactionSettled, func(e *reward.Event) { e.MCC += 256 }},
		{"no mcc", reward.TransactionSettled, func(e *reward.Event) { e.MCC = 0 }},
		{"category", reward.TransactionSettled, func(e *reward.Event) { e.Category = "GAS" }},
		{"refund", reward.RefundPosted, func(e *reward.Event) { e.Fact = "f2" }},
		{"no transaction", reward.RefundPosted, func(e *reward.Event) { e.Transaction = "" }},
		{"text that moved to another member", reward.RefundPosted, func(e *reward.Event) { e.Fact, e.Transaction = "f", "1t1" }},
		{"transaction instead of merchant", reward.RefundPosted, func(e *reward.Event) { e.Transaction, e.Merchant = "", "t1" }},
		{"amount instead of none", reward.ChargebackPosted, func(e *reward.Event) { e.Amount, e.HasAmount = 10_000, true }},
		{"amount of zero instead of none", reward.ChargebackPosted, func(e *reward.Event) { e.HasAmount = true }},
		{"no method", reward.RedemptionRequested, func(e *reward.Event) { e.Method = "" }},
		{"expiry, by a nanosecond", reward.RedemptionAuthorized, func(e *reward.Event) { e.Expires++ }},
		{"no expiry", reward.RedemptionAuthorized, func(e *reward.Event) { e.Expires = 0 }},
		{"the sign of the amount", reward.AdjustmentPosted, func(e *reward.Event) { e.Amount = -e.Amount }},
		{"reason", reward.AdjustmentPosted, func(e *reward.Event) { e.Reason = "error" }},
		{"actor", reward.AdjustmentPosted, func(e *reward.Event) { e.Actor = "cashier" }},
		{"approver", reward.AdjustmentPosted, func(e *reward.Event) { e.Approver = "deputy" }},
		{"no approver", reward.AdjustmentPosted, func(e *reward.Event) { e.Approver = "" }},
		{"actor and approver swapped", reward.AdjustmentPosted, func(e *reward.Event) { e.Actor, e.Approver = e.Approver, e.Actor }},
		{"reason that ends in what the actor began with", reward.AdjustmentPosted, func(e *reward.Event) { e.Reason, e.Actor = "goodwillc", "lerk" }},
		{"reason and actor swapped", reward.AdjustmentPosted, func(e *reward.Event) { e.Reason, e.Actor = e.Actor, e.Reason }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := sample(c.kind)
			c.change(&e)
			s.expectSighting(t, store.OtherContent, e)
			s.deliver(t, e)
			s.expectSighting(t, store.OtherContent, e)
			s.expectSighting(t, store.SameContent, sample(c.kind))
		})
	}
}

func identityHasThreeParts(t *testing.T, s *subject) {
	named := func(account, source, id string) reward.Event {
		e := settled(account, "t1", 10_000)
		e.Source, e.ID = source, id
		return e
	}
	seen := []reward.Event{named("a", "core", "e1")}
	s.deliver(t, seen...)
	for _, e := range []reward.Event{
		named("b", "core", "e1"),
		named("a", "edge", "e1"),
		named("a", "core", "e2"),
		named("a", "core", "E1"),
		named("a", "core", "e1 "),
		named("a", "coree", "1"),
		named("ac", "ore", "e1"),
		named("a", "core/e1", "x"),
		named("a/core", "e1", "x"),
		named("core", "a", "e1"),
		named("e1", "core", "a"),
		named("a", "core", "e\u0301"),
		named("a", "core", "\u00e9"),
	} {
		s.expectSighting(t, store.Unseen, e)
		s.deliver(t, e)
		seen = append(seen, e)
		s.expectSighting(t, store.SameContent, seen...)
	}
}

func longMemory(t *testing.T, s *subject) {
	const accounts, each = 4, 1000
	var list []reward.Event
	for n := range each {
		for k := range accounts {
			list = append(list, settled(fmt.Sprintf("acct-%d", k), fmt.Sprintf("t%d", n), int64(1000+n)))
		}
	}
	for rest := list; len(rest) > 0; {
		n := min(1000, len(rest))
		s.deliver(t, rest[:n]...)
		rest = rest[n:]
	}
	s.expectSighting(t, store.SameContent, list...)
	for i := range list {
		list[i].Amount++
	}
	s.expectSighting(t, store.OtherContent, list...)
	for i := range list {
		list[i].Source = "edge"
	}
	s.expectSighting(t, store.Unseen, list...)
}

func identityWithinBatch(t *testing.T, s *subject) {
	first := settled("a", "t1", 10_000)
	other := first
	other.Amount = 20_000
	bad := settled("a", "t2", 0)
	good := settled("a", "t2", 500)
	answers := s.deliver(t, first, first, other, first, bad, bad, good, bad, settled("b", "t1", 10_000))
	want := []store.Sighting{
		store.Unseen, store.SameContent, store.OtherContent, store.SameContent,
		store.Unseen, store.Unseen, store.Unseen, store.OtherContent, store.Unseen,
	}
	for i, a := range answers {
		if a.Sighting != want[i] {
			t.Errorf("event %d of the batch: sighting %d, want %d", i, a.Sighting, want[i])
		}
	}
	if a, _ := s.state(t, "a"); a.Balance != 105 || len(a.Transactions) != 2 {
		t.Errorf("the account has balance %d and %d transactions, want 105 and 2", a.Balance, len(a.Transactions))
	}
}
