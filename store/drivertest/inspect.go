package drivertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/reward"
	"recoup/store/durable"
)

func logBack(t *testing.T, s *subject) {
	kinds := []string{"transaction.settled", "refund.posted", "chargeback.posted", "refund.canceled"}
	outcomes := []reward.Outcome{reward.Applied, reward.Rejected, reward.Parked, reward.Duplicate, reward.Ignored}
	var all []durable.EventRow
	for i, account := range []string{"acct-1", "acct-2", "acct-1"} {
		s.update(t, func(tx durable.Tx) error {
			events, changes, err := someEvents(tx, account, 20)
			if err != nil {
				return err
			}
			for j := range events {
				events[j].Type, events[j].Outcome = kinds[(i+j)%len(kinds)], outcomes[(i+j)%len(outcomes)]
			}
			all = append(all, events...)
			return tx.Write(context.Background(), changes)
		})
	}
	slices.Reverse(all)
	types := []reward.Type{reward.RefundPosted, reward.RefundCanceled}
	want := func(before int64, types ...string) (list []durable.EventRow) {
		for _, e := range all {
			if e.Number < before && slices.Contains(types, e.Type) && (e.Outcome == reward.Applied || e.Outcome == reward.Parked) {
				list = append(list, e)
			}
		}
		return list
	}
	if len(want(1<<62, "refund.posted")) < 4 {
		t.Fatal("there is too little to read")
	}
	s.view(t, func(r durable.Reader) error {
		read := func(before int64, types []reward.Type, limit int) (list []durable.EventRow, err error) {
			err = r.LogBack(context.Background(), before, types, func(e *durable.EventRow) (bool, error) {
				list = append(list, keep(e))
				return len(list) < limit, nil
			})
			return list, err
		}
		for _, before := range []int64{1 << 62, all[0].Number, all[0].Number + 1, all[30].Number, 1, 0} {
			got, err := read(before, types, 1000)
			if err != nil {
				return err
			}
			expectEvents(t, got, want(before, "refund.posted", "refund.canceled"))
		}
		got, err := read(1<<62, types[:1], 3)
		if err != nil {
			return err
		}
		expectEvents(t, got, want(1<<62, "refund.posted")[:3])
		if got, err := read(1<<62, nil, 3); err != nil || len(got) > 0 {
			t.Errorf("of no type there are %d events (%v)", len(got), err)
		}
		enough := errors.New("enough")
		err = r.LogBack(context.Background(), 1<<62, types, func(*durable.EventRow) (bool, error) { return true, enough })
		if !errors.Is(err, enough) {
			t.Errorf("stopped with an error: %v", err)
		}
		return nil
	})
}

func tryWrite(t *testing.T, s *subject) {
	for range 3 {
		if err := s.TryWrite(context.Background()); err != nil {
			t.Errorf("TryWrite: %v", err)
		}
	}
	if _, there := s.record(t, "trial", ""); there {
		t.Error("something was left behind")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.TryWrite(ctx); err == nil {
		t.Error("with a context that has ended it succeeds")
	}
}

func ping(t *testing.T, s *subject) {
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

func census(t *testing.T, s *subject) {
	expect := func(wantLast, wantEvents int64) {
		t.Helper()
		s.view(t, func(r durable.Reader) error {
			last, events, err := r.Census(context.Background())
			if err == nil && (last != wantLast || events != wantEvents) {
				t.Errorf("%d events up to number %d, want %d up to %d", events, last, wantEvents, wantLast)
			}
			return err
		})
	}
	expect(0, 0)
	first := s.book(t, "acct-1", 3)
	expect(first[2].Number, 3)
	second := s.book(t, "acct-2", 2)
	expect(max(first[2].Number, second[1].Number), 5)
}

// damage writes an account whose log has events that nothing leads to: the second of
// five, and the last two.
func damage(t *testing.T, s *subject, account string) []durable.EventRow {
	t.Helper()
	var events []durable.EventRow
	s.update(t, func(tx durable.Tx) (err error) {
		var c *durable.Changes
		if events, c, err = someEvents(tx, account, 5); err != nil {
			return err
		}
		events[2].Before = events[0].Number
		events[4].Before = events[2].Number
		c.Accounts[0].Last = events[2].Number
		return tx.Write(context.Background(), c)
	})
	return events
}

// someEvents makes events that follow on what an account has, and changes that have them
// and its row. The events may be changed before those are written.
func someEvents(tx durable.Tx, account string, n int) ([]durable.EventRow, *durable.Changes, error) {
	found, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{account}, Held: []int64{-1}, Numbers: n})
	if err != nil {
		return nil, nil, err
	}
	row := durable.AccountRow{Account: account, Program: "everyday"}
	if len(found.Accounts) > 0 {
		row = found.Accounts[0]
		row.Base = row.Version
	}
	c := new(durable.Changes)
	for _, number := range found.Numbers {
		row.Version++
		c.Events = append(c.Events, event(account, row.Version, number, row.Last))
		row.Last = number
	}
	row.Head = fmt.Appendf(nil, "%s after %d events", account, row.Version)
	c.Accounts = []durable.AccountRow{row}
	return c.Events, c, nil
}

func loose(t *testing.T, s *subject) {
	whole := s.book(t, "acct-1", 3)
	torn := damage(t, s, "acct-2")
	for account, want := range map[string][]durable.EventRow{"acct-1": whole, "acct-2": torn, "acct-3": nil, "acct": nil} {
		s.view(t, func(r durable.Reader) error {
			got, err := r.Loose(context.Background(), account)
			expectEvents(t, got, want)
			return err
		})
	}
}

func orphans(t *testing.T, s *subject) {
	s.book(t, "acct-1", 3)
	b, a := damage(t, s, "b"), damage(t, s, "a")
	s.book(t, "acct-2", 2)
	expect := func(upTo int64, want ...durable.EventRow) {
		t.Helper()
		s.view(t, func(r durable.Reader) error {
			var got []durable.EventRow
			err := r.Orphans(context.Background(), upTo, func(e *durable.EventRow) error { got = append(got, *e); return nil })
			same := slices.EqualFunc(got, want, func(x, y durable.EventRow) bool {
				return x.Account == y.Account && x.Sequence == y.Sequence && x.Number == y.Number
			})
			if !same {
				t.Errorf("orphans up to %d are\n%+v, want\n%+v", upTo, got, want)
			}
			return err
		})
	}
	expect(1<<62, a[1], a[3], a[4], b[1], b[3], b[4])
	expect(b[3].Number, b[1], b[3])
	expect(0)
	enough := errors.New("enough")
	s.view(t, func(r durable.Reader) error {
		if err := r.Orphans(context.Background(), 1<<62, func(*durable.EventRow) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("stopped with an error: %v", err)
		}
		return nil
	})
}

func strays(t *testing.T, s *subject) {
	c := durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1")}}
	for _, account := range []string{"acct-1", "b", "a"} {
		for _, kind := range kinds() {
			resting, working := part(account, kind, "p1"), part(account, kind, "p2")
			working.Working = true
			c.Parts = append(c.Parts, resting, working)
		}
		c.Statements = append(c.Statements, durable.StatementRow{Account: account, Last: 1})
	}
	c.Parts = append(c.Parts, part("b", reward.RefundPart, "p3"))
	s.write(t, c)
	var got, want []string
	for _, kind := range []string{"adjustments", "buckets", "chargebacks", "redemptions", "refunds", "statements", "transactions"} {
		for _, account := range []string{"a", "b"} {
			rows := 2
			switch {
			case kind == "statements":
				rows = 1
			case kind == "refunds" && account == "b":
				rows = 3
			}
			want = append(want, fmt.Sprintf("%s of %s: %d", kind, account, rows))
		}
	}
	s.view(t, func(r durable.Reader) error {
		return r.Strays(context.Background(), func(kind, account string, rows int64) error {
			got = append(got, fmt.Sprintf("%s of %s: %d", kind, account, rows))
			return nil
		})
	})
	// By kind and account; which kind comes first is the database's.
	slices.SortStableFunc(got, func(a, b string) int { return cmp.Compare(strings.Fields(a)[0], strings.Fields(b)[0]) })
	if !slices.Equal(got, want) {
		t.Errorf("strays are\n%q, want\n%q", got, want)
	}
}
