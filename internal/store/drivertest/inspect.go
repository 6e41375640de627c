package drivertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
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
		read := func(before, after int64, types []reward.Type, limit int) (list []durable.EventRow, err error) {
			err = r.LogBack(context.Background(), before, after, types, func(e *durable.EventRow) (bool, error) {
				list = append(list, keep(e))
				return len(list) < limit, nil
			})
			return list, err
		}
		for _, before := range []int64{1 << 62, all[0].Number, all[0].Number + 1, all[30].Number, 1, 0} {
			for _, after := range []int64{0, all[40].Number, all[10].Number, 1 << 62} {
				got, err := read(before, after, types, 1000)
				if err != nil {
					return err
				}
				within := slices.DeleteFunc(want(before, "refund.posted", "refund.canceled"), func(e durable.EventRow) bool { return e.Number <= after })
				expectEvents(t, got, within)
			}
		}
		got, err := read(1<<62, 0, types[:1], 3)
		if err != nil {
			return err
		}
		expectEvents(t, got, want(1<<62, "refund.posted")[:3])
		if got, err := read(1<<62, 0, nil, 3); err != nil || len(got) > 0 {
			t.Errorf("of no type there are %d events (%v)", len(got), err)
		}
		enough := errors.New("enough")
		err = r.LogBack(context.Background(), 1<<62, 0, types, func(*durable.EventRow) (bool, error) { return true, enough })
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

// inspect runs f on how the database keeps things.
func (s *subject) inspect(t *testing.T, f func(r durable.Inspector) error) {
	t.Helper()
	if err := s.Inspect(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

// What is loose is found by the identities of events, too, so that of a torn log all is.
func loose(t *testing.T, s *subject) {
	whole := s.book(t, "acct-1", 3)
	torn := damage(t, s, "acct-2")
	for account, want := range map[string][]durable.EventRow{"acct-1": whole, "acct-2": torn, "acct-3": nil, "acct": nil} {
		s.inspect(t, func(r durable.Inspector) error {
			got, err := r.Loose(context.Background(), account)
			expectEvents(t, got, want)
			return err
		})
	}
}

// The log has every event by its number, also those that nothing leads to.
func wholeLog(t *testing.T, s *subject) {
	all := slices.Concat(s.book(t, "acct-1", 3), damage(t, s, "b"), s.book(t, "acct-2", 2), s.book(t, "acct-1", 1), damage(t, s, "a"))
	slices.SortFunc(all, func(a, b durable.EventRow) int { return cmp.Compare(a.Number, b.Number) })
	first, last := all[0].Number, all[len(all)-1].Number
	for _, c := range []struct{ after, upTo int64 }{
		{0, 1 << 62}, {-1 << 62, 1 << 62}, {first, last}, {first - 1, last - 1}, {all[4].Number, all[7].Number}, {last, 1 << 62}, {last, last}, {5, 4},
	} {
		var want, got []durable.EventRow
		for _, e := range all {
			if e.Number > c.after && e.Number <= c.upTo {
				want = append(want, e)
			}
		}
		s.inspect(t, func(r durable.Inspector) error {
			return r.Log(context.Background(), c.after, c.upTo, func(e *durable.EventRow) error {
				got = append(got, keep(e))
				return nil
			}, func(err error) error { return err })
		})
		expectEvents(t, got, want)
	}
	enough := errors.New("enough")
	s.inspect(t, func(r durable.Inspector) error {
		times := 0
		err := r.Log(context.Background(), 0, 1<<62, func(*durable.EventRow) error { times++; return enough }, func(err error) error { return err })
		if !errors.Is(err, enough) || times != 1 {
			t.Errorf("stopped after %d events with %v", times, err)
		}
		return nil
	})
}

// All that is kept of an account comes with it, whether or not it has a row.
func kept(t *testing.T, s *subject) {
	c := durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1"), fresh("acct-2"), fresh("b\u00e9")}}
	for _, account := range []string{"acct-1", "b", "a"} {
		for _, kind := range kinds() {
			resting, working := part(account, kind, "p1"), part(account, kind, "p2")
			working.Working = true
			c.Parts = append(c.Parts, resting, working)
		}
		for cycle := range reward.Cycle(2) {
			st := durable.StatementRow{Account: account, Last: 1}
			st.Cycle = 24300 + cycle
			c.Statements = append(c.Statements, st)
		}
	}
	c.Parts = append(c.Parts, part("b", reward.RefundPart, "p3"))
	s.write(t, c)
	logged := s.book(t, "acct-2", 3)
	all := []string{"a", "acct-1", "acct-2", "b", "b\u00e9"}
	for _, c := range []struct{ first, last string }{
		{"", ""}, {"a", ""}, {"a\x01", ""}, {"acct-1", "acct-2"}, {"", "acct-1"}, {"b", "b"}, {"b\x01", ""}, {"c", ""}, {"acct", "acct"}, {"b", "a"},
	} {
		var got, want []string
		for _, account := range all {
			if account >= c.first && (c.last == "" || account <= c.last) {
				want = append(want, account)
			}
		}
		s.inspect(t, func(r durable.Inspector) error {
			return r.Kept(context.Background(), c.first, c.last, func(k *durable.Kept) error {
				got = append(got, k.Account)
				return nil
			})
		})
		if !slices.Equal(got, want) {
			t.Errorf("from %q to %q something is kept of %q, want %q", c.first, c.last, got, want)
		}
	}
	s.inspect(t, func(r durable.Inspector) error {
		return r.Kept(context.Background(), "", "", func(k *durable.Kept) error {
			both := 2 * len(kinds())
			parts := map[string]int{"acct-1": both, "a": both, "b": both + 1}[k.Account]
			statements := min(parts, 2)
			if hasRow := k.Account != "a" && k.Account != "b"; (k.Row != nil) != hasRow || len(k.Parts) != parts || len(k.Statements) != statements || k.Damage != nil {
				t.Errorf("of %s there are %+v, want %d parts and %d statements", k.Account, k, parts, statements)
			}
			for _, p := range k.Parts {
				want := part(k.Account, p.Kind, p.ID)
				if want.Working = p.ID == "p2"; !reflect.DeepEqual(p, want.Part) {
					t.Errorf("a part of %s is %+v, want %+v", k.Account, p, want.Part)
				}
			}
			if k.Apart {
				var want []durable.Reference
				for _, e := range logged {
					if e.Account == k.Account {
						want = append(want, durable.Reference{Source: e.Source, ID: e.ID, Number: e.Number, Sequence: e.Sequence})
					}
				}
				byNumber := func(a, b durable.Reference) int { return cmp.Compare(a.Number, b.Number) }
				if got := slices.SortedFunc(slices.Values(k.Identities), byNumber); !slices.Equal(got, want) {
					t.Errorf("to the events of %s leads %+v, want %+v", k.Account, got, want)
				}
			}
			return nil
		})
	})
	enough := errors.New("enough")
	s.inspect(t, func(r durable.Inspector) error {
		if err := r.Kept(context.Background(), "", "", func(*durable.Kept) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("stopped with an error: %v", err)
		}
		return nil
	})
}
