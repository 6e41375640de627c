package memory_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/store"
	"recoup/internal/store/memory"
	"recoup/internal/store/storetest"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

func TestMemoryIsAStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, p *reward.Program) store.Store { return memory.New(p) })
}

// purchase is $100 of groceries, which earn $5.
func purchase(account, id string) reward.Event {
	return reward.Event{
		Source: "core", ID: id, Account: account, Time: reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)), Type: reward.TransactionSettled,
		Transaction: id, Amount: 10_000, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
}

// record applies events and records all of them.
func record(t *testing.T, s *memory.Store, events ...reward.Event) {
	t.Helper()
	err := s.Update(context.Background(), events, func(u store.Unit) {
		for i := range events {
			r, postings := u.Account(i).Apply(&events[i], nil)
			u.Record(i, "", r, postings)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestObserverSeesWhatIsRecordedInOrder(t *testing.T) {
	s := memory.New(program.Everyday())
	record(t, s, purchase("a", "before it looks"))
	var seen []string
	s.Observe(func(e *reward.Event, postings []reward.Posting) {
		line := e.Account + " " + e.ID
		for _, p := range postings {
			line += fmt.Sprintf(" %s %+d", p.Kind, p.Amount)
		}
		seen = append(seen, line)
	})
	refund := purchase("a", "r1")
	refund.Type, refund.Fact, refund.Transaction = reward.RefundPosted, "r1", "t1"
	authorised := purchase("b", "t2")
	authorised.Type = reward.TransactionAuthorized
	record(t, s, purchase("a", "t1"), authorised)
	record(t, s, refund)
	want := []string{"a t1 grant +500", "b t2", "a r1 clawback -500"}
	if !slices.Equal(seen, want) {
		t.Errorf("observed %q, want %q", seen, want)
	}
}

func TestTotalsAddUpAllBooks(t *testing.T) {
	s := memory.New(program.Everyday())
	record(t, s, purchase("a", "t1"), purchase("a", "t2"), purchase("b", "t1"))
	total, ok := s.Totals()
	if !ok || total.Entries != 3 || total.Granted != 1500 || total.Sums[ledger.RewardExpense] != 1500 || total.Sums[ledger.CardholderRewards] != -1500 {
		t.Errorf("the totals are %+v, and hold: %v", total, ok)
	}
}

// A store that lost a posting, or recorded one that never was, must notice.
func TestCheckComparesTheJournalWithTheBalance(t *testing.T) {
	s := memory.New(program.Everyday())
	record(t, s, purchase("a", "t1"), purchase("b", "t1"))
	if found := s.Check(); len(found) > 0 {
		t.Fatalf("sound books violate %v", found)
	}
	lost := []reward.Event{purchase("b", "t2")}
	err := s.Update(context.Background(), lost, func(u store.Unit) {
		r, _ := u.Account(0).Apply(&lost[0], nil)
		u.Record(0, "", r, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	found := s.Check()
	if len(found) != 1 || found[0].Account != "b" || found[0].Invariant != reward.Conservation {
		t.Errorf("a lost posting violates %v, want Conservation on b alone", found)
	}
}

func TestThereIsNoUnknownAccount(t *testing.T) {
	s := memory.New(program.Everyday())
	record(t, s, purchase("a", "t1"))
	if a := s.Account("a"); a == nil || a.ID() != "a" {
		t.Errorf("account a is %v", a)
	}
	if a := s.Account("A"); a != nil {
		t.Errorf("account A is %v, want none", a)
	}
}
