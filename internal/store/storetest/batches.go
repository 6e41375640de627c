package storetest

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

func batchSeesItself(t *testing.T, s *subject) {
	answers := s.deliver(t,
		settled("a", "t1", 10_000),
		redeemed("a", "r1", 100),
		redeemed("a", "r2", 1),
		settled("b", "t1", 500),
		refunded("a", "f1", "t1", 10_000),
	)
	for i, want := range []struct {
		code    reward.Code
		balance int64 // after the event's only posting
	}{
		{reward.NoCode, 100}, {reward.NoCode, 0}, {reward.InsufficientBalance, 0}, {reward.NoCode, 5}, {reward.NoCode, -100},
	} {
		a := answers[i]
		if a.Result.Code != want.code {
			t.Errorf("event %d: %v %v, want code %q", i, a.Result.Outcome, a.Result.Code, want.code)
		}
		if want.code == reward.NoCode && (len(a.Postings) != 1 || a.Postings[0].Balance != want.balance) {
			t.Errorf("event %d: postings %+v, want one that leaves %d", i, a.Postings, want.balance)
		}
	}
	expectNumbers(t, "a", answers)
}

// expectNumbers fails unless the account's postings are numbered from one
// without a gap and lead from balance to balance.
func expectNumbers(t *testing.T, account string, answers []answer) {
	t.Helper()
	numbered := make(map[int64]reward.Posting)
	for _, a := range answers {
		for _, p := range a.Postings {
			if p.Account != account {
				continue
			}
			if other, twice := numbered[p.Number]; twice {
				t.Fatalf("two postings have number %d: %+v and %+v", p.Number, other, p)
			}
			numbered[p.Number] = p
		}
	}
	var balance int64
	for n := int64(1); n <= int64(len(numbered)); n++ {
		p, there := numbered[n]
		if !there {
			t.Fatalf("%d postings, but none has number %d", len(numbered), n)
		}
		if balance += p.Amount; p.Balance != balance {
			t.Fatalf("posting %d of %d leaves %d, want %d", n, p.Amount, p.Balance, balance)
		}
	}
}

func emptyBatch(t *testing.T, s *subject) {
	s.deliver(t)
	expectAccounts(t, s)
	s.deliver(t, settled("a", "t1", 10_000))
	s.deliver(t)
	expectAccounts(t, s, "a")
}

func bigBatch(t *testing.T, s *subject) {
	const accounts, size = 700, 10_000
	batch := make([]reward.Event, size)
	for i := range batch {
		account, id := fmt.Sprintf("acct-%03d", i%accounts), fmt.Sprintf("t%d", i/accounts)
		batch[i] = settled(account, id, int64(100*(1+i%accounts)))
	}
	batch[size-1] = batch[0]
	answers := s.deliver(t, batch...)
	for i, a := range answers[:size-1] {
		if a.Sighting != store.Unseen || a.Result.Outcome != reward.Applied || len(a.Postings) != 1 {
			t.Fatalf("event %d: %+v", i, a)
		}
	}
	if got := answers[size-1].Sighting; got != store.SameContent {
		t.Fatalf("the first event again at the end: sighting %d, want SameContent", got)
	}
	if got := len(s.accounts(t)); got != accounts {
		t.Fatalf("%d accounts, want %d", got, accounts)
	}
	for k := range accounts {
		purchases := 14 // of 10,000, every account has 14; the first 199 one more
		if k < 199 {
			purchases++
		}
		got, _ := s.state(t, fmt.Sprintf("acct-%03d", k))
		if want := int64(purchases * (1 + k)); got.Balance != want || len(got.Transactions) != purchases {
			t.Fatalf("account %d has balance %d from %d purchases, want %d from %d", k, got.Balance, len(got.Transactions), want, purchases)
		}
	}
	// A small batch after a big one sees nothing of it but what was kept.
	small := s.deliver(t, settled("new", "t1", 100), batch[1], settled("acct-002", "another", 100))
	if small[0].Postings[0].Balance != 1 || small[1].Sighting != store.SameContent || small[2].Postings[0].Balance != 3*15+1 {
		t.Errorf("after a big batch: %+v", small)
	}
	for _, a := range s.deliver(t, batch...) {
		if a.Sighting != store.SameContent {
			t.Fatalf("the batch again: %+v", a)
		}
	}
}

func splits(t *testing.T, s *subject) {
	events := stream()
	var want []answer
	for i := range events {
		want = append(want, s.deliver(t, events[i])...)
	}
	originals := s.accounts(t)
	// The same stream on other accounts of the same store, in larger batches: pairs, which take
	// longest, where there is time.
	sizes := []int{7, 100, len(events)}
	if os.Getenv("RECOUP_LONG") != "" {
		sizes = append(sizes, 2)
	}
	for _, size := range sizes {
		prefix := fmt.Sprintf("by %d ", size)
		moved := stream()
		for i := range moved {
			moved[i].Account = prefix + moved[i].Account
		}
		var got []answer
		for rest := moved; len(rest) > 0; {
			n := min(size, len(rest))
			got = append(got, s.deliver(t, rest[:n]...)...)
			rest = rest[n:]
		}
		for i := range got {
			for j := range got[i].Postings {
				got[i].Postings[j].Account = events[i].Account
			}
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("in batches of %d, event %d is\n%+v, want\n%+v", size, i, got[i], want[i])
			}
		}
		for _, id := range originals {
			one, _ := s.state(t, id)
			one.Account = prefix + id
			expectState(t, s, one)
		}
	}
}

// leftOut applies of a unit's events the last first and not all of them: what was
// left out is as if it had never come.
func leftOut(t *testing.T, s *subject) {
	batch := []reward.Event{settled("a", "t1", 10_000), settled("left", "t1", 10_000), settled("b", "t1", 10_000), settled("a", "t2", 10_000)}
	err := s.Update(t.Context(), batch, func(u store.Unit) {
		for _, i := range []int{2, 0} {
			apply(u, i, &batch[i])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	expectAccounts(t, s, "a", "b")
	s.expectSighting(t, store.SameContent, batch[0], batch[2])
	s.expectSighting(t, store.Unseen, batch[1], batch[3])
	for _, a := range s.deliver(t, batch[1], batch[3]) {
		if a.Result.Outcome != reward.Applied {
			t.Errorf("delivered later: %v %v", a.Result.Outcome, a.Result.Code)
		}
	}
}
