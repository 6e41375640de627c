package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// keep copies an event: a driver may use the row again for the next one.
func keep(e *durable.EventRow) durable.EventRow {
	c := *e
	c.Event, c.Postings = bytes.Clone(e.Event), bytes.Clone(e.Postings)
	return c
}

func readAccount(t *testing.T, s *subject) {
	want := durable.AccountRow{Account: "acct-1", Program: "everyday", Version: 3, Last: 17, Due: day, Head: []byte{0, 1, 0xff}}
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{want}})
	if got, ok := s.account(t, "acct-1"); !ok || !sameAccount(got, want) {
		t.Errorf("the account is %+v (there: %v), want %+v", got, ok, want)
	}
	if got, ok := s.account(t, "acct"); ok {
		t.Errorf("there is an account %+v", got)
	}
}

func readAccounts(t *testing.T, s *subject) {
	ids := []string{"A", "B", "a", "a-1", "a1", "b", "ä", "\U0001F600"}
	var c durable.Changes
	for _, id := range ids {
		c.Accounts = append(c.Accounts, fresh(id))
	}
	s.write(t, c)
	s.view(t, func(r durable.Reader) error {
		after := ""
		for _, want := range [][]string{ids[:3], ids[3:6], ids[6:], nil} {
			got, err := r.Accounts(context.Background(), after, 3)
			if err != nil {
				return err
			}
			if !slices.Equal(got, want) {
				t.Errorf("after %q come %q, want %q", after, got, want)
			}
			rows, err := r.Rows(context.Background(), after, 3)
			if err != nil {
				return err
			}
			if !slices.EqualFunc(rows, want, func(row durable.AccountRow, id string) bool { return sameAccount(row, fresh(id)) }) {
				t.Errorf("after %q come %+v, want those of %q", after, rows, want)
			}
			if len(want) > 0 {
				after = want[len(want)-1]
			}
		}
		return nil
	})
}

func readDue(t *testing.T, s *subject) {
	var c durable.Changes
	for i, due := range []reward.Instant{day + 3, 0, day + 1, day + 2, 0, day + 4} {
		row := fresh(fmt.Sprintf("acct-%d", i))
		row.Due = due
		c.Accounts = append(c.Accounts, row)
	}
	s.write(t, c)
	s.view(t, func(r durable.Reader) error {
		for _, x := range []struct {
			at    reward.Instant
			limit int
			want  []string
		}{
			{day, 10, nil},
			{day + 1, 10, []string{"acct-2"}},
			{day + 3, 10, []string{"acct-2", "acct-3", "acct-0"}},
			{day + 9, 2, []string{"acct-2", "acct-3"}},
			{day + 9, 10, []string{"acct-2", "acct-3", "acct-0", "acct-5"}},
		} {
			got, err := r.Due(context.Background(), x.at, x.limit)
			if err != nil {
				return err
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("due at %d, at most %d: %q, want %q", x.at-day, x.limit, got, x.want)
			}
		}
		return nil
	})
}

func readEvent(t *testing.T, s *subject) {
	want := s.book(t, "acct-1", 2)
	s.book(t, "acct-2", 1)
	s.view(t, func(r durable.Reader) error {
		for _, e := range want {
			got, ok, err := r.Event(context.Background(), durable.Identity{Account: "acct-1", Source: "core", ID: e.ID})
			if err != nil || !ok {
				t.Fatalf("%s is there: %v (%v)", e.ID, ok, err)
			}
			expectEvents(t, []durable.EventRow{got}, []durable.EventRow{e})
		}
		for _, id := range []durable.Identity{
			{Account: "acct-1", Source: "core", ID: "e3"}, {Account: "acct-2", Source: "core", ID: "e2"}, {Account: "acct-1", Source: "other", ID: "e1"},
		} {
			if got, ok, err := r.Event(context.Background(), id); err != nil || ok {
				t.Errorf("%v is %+v (%v)", id, got, err)
			}
		}
		return nil
	})
}

func readNumbered(t *testing.T, s *subject) {
	want := append(s.book(t, "acct-1", 2), s.book(t, "acct-2", 1)...)
	s.view(t, func(r durable.Reader) error {
		unknown := int64(1)
		for _, e := range want {
			got, ok, err := r.Numbered(context.Background(), e.Number)
			if err != nil || !ok {
				t.Fatalf("event %d is there: %v (%v)", e.Number, ok, err)
			}
			expectEvents(t, []durable.EventRow{got}, []durable.EventRow{e})
			unknown = max(unknown, e.Number+1)
		}
		for _, number := range []int64{unknown, 0, -1} {
			if got, ok, err := r.Numbered(context.Background(), number); err != nil || ok {
				t.Errorf("event %d is %+v (%v)", number, got, err)
			}
		}
		return nil
	})
}

func readEvents(t *testing.T, s *subject) {
	want := s.book(t, "acct-1", 3)
	s.book(t, "acct-2", 4)
	want = append(want, s.book(t, "acct-1", 4)...)
	s.book(t, "acct-2", 1)
	slices.Reverse(want)
	row, _ := s.account(t, "acct-1")
	s.view(t, func(r durable.Reader) error {
		from := row.Last
		var got []durable.EventRow
		for _, size := range []int{3, 3, 1} {
			page, err := r.Events(context.Background(), from, 3)
			if err != nil {
				return err
			}
			if len(page) != size {
				t.Fatalf("a page of %d events, want %d", len(page), size)
			}
			numbers, err := r.Numbers(context.Background(), from, 3)
			if err != nil {
				return err
			}
			if !slices.EqualFunc(page, numbers, func(e durable.EventRow, number int64) bool { return e.Number == number }) {
				t.Errorf("the numbers %v are not those of the events %v", numbers, page)
			}
			got = append(got, page...)
			from = page[size-1].Before
		}
		if from != 0 {
			t.Errorf("before the first event comes %d", from)
		}
		expectEvents(t, got, want)
		none, err := r.Events(context.Background(), 0, 3)
		if len(none) > 0 {
			t.Errorf("from 0 there are %d events", len(none))
		}
		if numbers, err := r.Numbers(context.Background(), row.Last, 0); err != nil || len(numbers) > 0 {
			t.Errorf("of at most no events there are the numbers %v (%v)", numbers, err)
		}
		return err
	})
}

// log is many events of some accounts, written alternately, in the order in
// which all of them are read.
func log(t *testing.T, s *subject, accounts []string) []durable.EventRow {
	t.Helper()
	of := make(map[string][]durable.EventRow)
	for turn := range 3 {
		for i, account := range accounts {
			of[account] = append(of[account], s.book(t, account, 1+(i+turn)*37%400)...)
		}
	}
	var all []durable.EventRow
	for _, account := range accounts {
		all = append(all, of[account]...)
	}
	return all
}

func readEventsOf(t *testing.T, s *subject) {
	accounts := []string{"A", "B", "a", "a-1", "a1", "b", "ä"}
	all := log(t, s, accounts)
	for _, c := range []struct{ first, last string }{
		{"", ""}, {"", "a"}, {"a-1", ""}, {"B", "b"}, {"a", "a"}, {"a0", "a2"}, {"x", "y"}, {"b", "a"},
	} {
		t.Run(fmt.Sprintf("from %q to %q", c.first, c.last), func(t *testing.T) {
			var want, got []durable.EventRow
			for _, e := range all {
				if e.Account >= c.first && (c.last == "" || e.Account <= c.last) {
					want = append(want, e)
				}
			}
			s.view(t, func(r durable.Reader) error {
				return r.EventsOf(context.Background(), c.first, c.last, func(e *durable.EventRow) error {
					got = append(got, keep(e))
					return nil
				})
			})
			expectEvents(t, got, want)
		})
	}
}

func readEventsOfStopped(t *testing.T, s *subject) {
	log(t, s, []string{"acct-1", "acct-2"})
	enough := errors.New("enough")
	s.view(t, func(r durable.Reader) error {
		times := 0
		err := r.EventsOf(context.Background(), "", "", func(*durable.EventRow) error {
			times++
			if times == 3 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || times != 3 {
			t.Errorf("stopped after %d events with %v, want 3 and the error", times, err)
		}
		// The reader can be used again.
		times = 0
		err = r.EventsOf(context.Background(), "acct-2", "", func(*durable.EventRow) error { times++; return nil })
		if times == 0 {
			t.Error("nothing is read after that")
		}
		return err
	})
}

func readWithinEventsOf(t *testing.T, s *subject) {
	all := log(t, s, []string{"acct-1", "acct-2", "acct-3"})
	s.view(t, func(r durable.Reader) error {
		times, account := 0, ""
		err := r.EventsOf(context.Background(), "", "", func(e *durable.EventRow) error {
			times++
			if e.Account == account {
				return nil
			}
			account = e.Account
			row, ok, err := r.Account(context.Background(), account)
			if !ok || row.Account != account {
				t.Errorf("%s is %+v (there: %v)", account, row, ok)
			}
			return err
		})
		if times != len(all) {
			t.Errorf("%d events, want %d", times, len(all))
		}
		return err
	})
}

func readStatements(t *testing.T, s *subject) {
	statement := func(account string, n int) durable.StatementRow {
		return durable.StatementRow{Account: account, Last: int64(n), Statement: ledger.Statement{
			Cycle: reward.Cycle(24_000 + n), Opening: -1, Granted: 2, ClawedBack: 3, Redeemed: 4, Expired: -11 - int64(n), Adjusted: -5, Closing: int64(n),
		}}
	}
	c := durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1"), fresh("acct-2")}}
	var want []durable.StatementRow
	for n := range 5 {
		want = append(want, statement("acct-1", n))
		c.Statements = append(c.Statements, statement("acct-1", n), statement("acct-2", n))
	}
	s.write(t, c)
	slices.Reverse(want)
	s.view(t, func(r durable.Reader) error {
		before := reward.Cycle(24_100)
		for _, page := range [][]durable.StatementRow{want[:2], want[2:4], want[4:], nil} {
			got, err := r.Statements(context.Background(), "acct-1", before, 2)
			if err != nil {
				return err
			}
			if !slices.Equal(got, page) {
				t.Errorf("before cycle %d come\n%+v, want\n%+v", before, got, page)
			}
			if len(page) > 0 {
				before = page[len(page)-1].Cycle
			}
		}
		return nil
	})
}

func readOpened(t *testing.T, s *subject) {
	const tx, refund, redemption = reward.TransactionPart, reward.RefundPart, reward.RedemptionPart
	working := func(account string, kind reward.PartKind, id string) durable.Part {
		p := part(account, kind, id)
		p.Working = true
		return p
	}
	parts := []durable.Part{
		working("a", tx, "t1"), working("a", refund, "r1"), working("a", reward.BucketPart, "b1"), part("a", tx, "rests"), part("a", refund, "asked"),
		working("b", redemption, "d1"), part("b", tx, "rests"), part("b", reward.ChargebackPart, "asked"),
		working("c", tx, "nobody asks"),
	}
	rows := []durable.AccountRow{fresh("a"), fresh("b"), fresh("c")}
	s.write(t, durable.Changes{Accounts: rows, Parts: parts})
	open := func(ids []string, others ...durable.PartKey) (found []durable.AccountRow, distinct []durable.Part) {
		s.view(t, func(r durable.Reader) error {
			var list []durable.Part
			var err error
			found, list, err = r.Opened(context.Background(), ids, others)
			seen := make(map[durable.PartKey]bool)
			for _, p := range list {
				if k := (durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}); !seen[k] {
					seen[k] = true
					distinct = append(distinct, p)
				}
			}
			return err
		})
		return found, distinct
	}
	found, got := open([]string{"a", "b", "not there"},
		durable.PartKey{Account: "a", Kind: refund, ID: "asked"}, durable.PartKey{Account: "a", Kind: refund, ID: "r1"},
		durable.PartKey{Account: "b", Kind: reward.ChargebackPart, ID: "asked"}, durable.PartKey{Account: "b", Kind: tx, ID: "is not"})
	if len(found) != 2 || found[0].Account != "a" || found[1].Account != "b" {
		t.Errorf("the rows are %+v, want those of a and b", found)
	}
	expectParts(t, got, those(parts, func(p durable.Part) bool { return p.Account != "c" && (p.Working || p.ID == "asked") }))
	if found, got := open(nil); len(found)+len(got) > 0 {
		t.Errorf("of no account comes %+v, %+v", found, got)
	}
	s.view(t, func(r durable.Reader) error {
		for i := range found {
			if row, _, err := r.Account(context.Background(), found[i].Account); err != nil || !reflect.DeepEqual(row, found[i]) {
				t.Errorf("a row is %+v, want %+v as it is read alone (%v)", found[i], row, err)
			}
		}
		return nil
	})
}

func readReviews(t *testing.T, s *subject) {
	review := func(since reward.Instant, account string, kind reward.PartKind, id string) durable.Part {
		p := part(account, kind, id)
		p.ReviewSince = since
		return p
	}
	const tx, refund, chargeback = reward.TransactionPart, reward.RefundPart, reward.ChargebackPart
	want := []durable.Part{
		review(day, "acct-2", refund, "b"),
		review(day+1, "B", chargeback, "z"),
		review(day+1, "a", tx, "B"),
		review(day+1, "a", tx, "a"),
		review(day+1, "a", refund, "A"),
		review(day+1, "a", refund, "Z"),
		review(day+1, "a", refund, "c"),
		review(day+1, "a", chargeback, "A"),
		review(day+1, "b", tx, "a"),
		review(day+2, "a", tx, "a2"),
		review(day+2, "a", chargeback, "a"),
		review(day+2, "a", reward.RedemptionPart, "Z"),
		review(day+2, "a", reward.AttributePart, "A"),
	}
	c := durable.Changes{Accounts: []durable.AccountRow{fresh("B"), fresh("a"), fresh("acct-2"), fresh("b")}}
	for i := range want {
		c.Parts = append(c.Parts, want[(i*7)%len(want)])
	}
	c.Parts = append(c.Parts, part("a", tx, "nothing to review"), part("b", refund, "nothing to review"))
	s.write(t, c)

	for _, account := range []string{"", "a", "b", "acct-1"} {
		list := those(want, func(p durable.Part) bool { return account == "" || p.Account == account })
		for limit := 1; limit <= len(want)+1; limit++ {
			var got []durable.Part
			s.view(t, func(r durable.Reader) error {
				var place durable.ReviewPlace
				for {
					page, err := r.Reviews(context.Background(), account, place, limit)
					if err != nil || len(page) == 0 {
						return err
					}
					if len(page) > limit || len(got) > len(want) {
						t.Fatalf("pages of %d, asked for at most %d, %d so far", len(page), limit, len(got))
					}
					got = append(got, page...)
					last := page[len(page)-1]
					place = durable.ReviewPlace{Since: last.ReviewSince, Account: last.Account, Kind: last.Kind, ID: last.ID}
				}
			})
			expectInOrder(t, got, list)
		}
	}
}

func readSnapshot(t *testing.T, s *subject) {
	before := s.book(t, "acct-1", 2)
	s.view(t, func(r durable.Reader) error {
		ctx := context.Background()
		if _, ok, err := r.Account(ctx, "acct-1"); err != nil || !ok {
			t.Fatalf("there: %v, %v", ok, err)
		}
		s.book(t, "acct-1", 1)
		s.book(t, "acct-2", 1)
		row, _, err := r.Account(ctx, "acct-1")
		if err != nil || row.Version != 2 {
			t.Errorf("the account is at version %d (%v), want 2 as when the reading began", row.Version, err)
		}
		ids, err := r.Accounts(ctx, "", 10)
		if err != nil || !slices.Equal(ids, []string{"acct-1"}) {
			t.Errorf("accounts are %q (%v), want those from when the reading began", ids, err)
		}
		var got []durable.EventRow
		if err := r.EventsOf(ctx, "", "", func(e *durable.EventRow) error { got = append(got, keep(e)); return nil }); err != nil {
			return err
		}
		expectEvents(t, got, before)
		return nil
	})
	if row, _ := s.account(t, "acct-1"); row.Version != 3 {
		t.Errorf("afterwards the account is at version %d, want 3", row.Version)
	}
}
