package drivertest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// day is a moment to count from.
const day = 20_000 * reward.Day

// subject is the driver under test.
type subject struct{ durable.Driver }

// update does a unit of work that has to succeed.
func (s *subject) update(t *testing.T, f func(durable.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), f); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// load is a unit of work that only loads.
func (s *subject) load(t *testing.T, r durable.Request) *durable.Loaded {
	t.Helper()
	var loaded *durable.Loaded
	s.update(t, func(tx durable.Tx) (err error) {
		loaded, err = tx.Load(context.Background(), &r)
		return err
	})
	return loaded
}

// write is a unit of work that writes without having to look first, after it
// has locked what it changes.
func (s *subject) write(t *testing.T, c durable.Changes) {
	t.Helper()
	s.update(t, func(tx durable.Tx) error { return lockAndWrite(tx, &c) })
}

// lockAndWrite loads the accounts of the changes, as a unit of work has to, and
// writes.
func lockAndWrite(tx durable.Tx, c *durable.Changes) error {
	r := durable.Request{}
	for _, a := range c.Accounts {
		r.Accounts = append(r.Accounts, a.Account)
		r.Held = append(r.Held, -1)
	}
	if _, err := tx.Load(context.Background(), &r); err != nil {
		return err
	}
	return tx.Write(context.Background(), c)
}

// view reads on one snapshot.
func (s *subject) view(t *testing.T, f func(durable.Reader) error) {
	t.Helper()
	if err := s.View(context.Background(), f); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// account reads an account's row.
func (s *subject) account(t *testing.T, id string) (row durable.AccountRow, ok bool) {
	t.Helper()
	s.view(t, func(r durable.Reader) (err error) {
		row, ok, err = r.Account(context.Background(), id)
		return err
	})
	return row, ok
}

// find reads parts outside of a unit of work.
func (s *subject) find(t *testing.T, q durable.Query) []durable.Part {
	t.Helper()
	var parts []durable.Part
	s.view(t, func(r durable.Reader) (err error) {
		parts, err = r.Find(context.Background(), q)
		return err
	})
	return parts
}

// book appends n events to the log of an account, as any unit of work does, and
// returns them.
func (s *subject) book(t *testing.T, account string, n int) []durable.EventRow {
	t.Helper()
	var events []durable.EventRow
	s.update(t, func(tx durable.Tx) (err error) {
		events, err = appendEvents(tx, account, n)
		return err
	})
	return events
}

func appendEvents(tx durable.Tx, account string, n int) ([]durable.EventRow, error) {
	ctx := context.Background()
	found, err := tx.Load(ctx, &durable.Request{Accounts: []string{account}, Held: []int64{-1}, Numbers: n})
	if err != nil {
		return nil, err
	}
	row := durable.AccountRow{Account: account, Program: "everyday"}
	if len(found.Accounts) > 0 {
		row = found.Accounts[0]
		row.Base = row.Version
	}
	events := make([]durable.EventRow, 0, n)
	for _, number := range found.Numbers {
		row.Version++
		events = append(events, event(account, row.Version, number, row.Last))
		row.Last = number
	}
	row.Head = fmt.Appendf(nil, "%s after %d events", account, row.Version)
	return events, tx.Write(ctx, &durable.Changes{Accounts: []durable.AccountRow{row}, Events: events})
}

// event is an event as it may be in the log.
func event(account string, sequence, number, before int64) durable.EventRow {
	e := durable.EventRow{
		Number: number, Account: account, Sequence: sequence, Before: before,
		Received: day + reward.Instant(number), Source: "core", ID: fmt.Sprintf("e%d", sequence),
		Type: "transaction.settled", Outcome: reward.Applied,
		Event: fmt.Appendf(nil, `{"id":"e%d","subject":%q}`, sequence, account),
	}
	if sequence%2 == 0 {
		e.Outcome, e.Code = reward.Rejected, reward.GraceHold
	} else {
		e.Postings = fmt.Appendf(nil, `[{"amount":%d}]`, sequence)
	}
	if sequence%3 != 0 { // nobody said who sent the others
		e.Principal = fmt.Sprintf("key-%d", sequence)
	}
	return e
}

// fresh is the row of a new account.
func fresh(account string) durable.AccountRow {
	return durable.AccountRow{Account: account, Program: "everyday", Version: 1, Head: []byte("head of " + account)}
}

// part is a part with nothing special about it.
func part(account string, kind reward.PartKind, id string) durable.Part {
	return durable.Part{Account: account, Part: reward.Part{Kind: kind, ID: id, Data: fmt.Appendf(nil, "%s/%d/%s", account, kind, id)}}
}

func kinds() []reward.PartKind {
	return []reward.PartKind{
		reward.TransactionPart, reward.RefundPart, reward.ChargebackPart,
		reward.RedemptionPart, reward.AdjustmentPart, reward.BucketPart, reward.AttributePart,
	}
}

func key(p durable.Part) durable.PartKey {
	return durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}
}

// expectParts compares parts regardless of order and of repetition.
func expectParts(t *testing.T, got, want []durable.Part) {
	t.Helper()
	order := func(a, b durable.Part) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	}
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	got = slices.CompactFunc(got, samePart)
	if !slices.EqualFunc(got, want, samePart) {
		t.Errorf("parts are\n%s\nwant\n%s", show(got), show(want))
	}
}

// expectInOrder compares parts in order.
func expectInOrder(t *testing.T, got, want []durable.Part) {
	t.Helper()
	if !slices.EqualFunc(got, want, samePart) {
		t.Errorf("parts are, in this order,\n%s\nwant\n%s", show(got), show(want))
	}
}

func samePart(a, b durable.Part) bool {
	data := bytes.Equal(a.Data, b.Data)
	a.Data, b.Data = nil, nil
	return data && reflect.DeepEqual(a, b)
}

func show(parts []durable.Part) string {
	var b bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&b, "  %s/%d/%s %q working %v bucket %d settled %d review %d\n",
			p.Account, p.Kind, p.ID, p.Data, p.Working, p.Bucket, p.Settled, p.ReviewSince)
	}
	return b.String()
}

func sameAccount(a, b durable.AccountRow) bool {
	head := bytes.Equal(a.Head, b.Head)
	a.Head, b.Head, a.Base, b.Base = nil, nil, 0, 0
	return head && reflect.DeepEqual(a, b)
}

// expectEvents compares events in order; one without postings has none of any
// length.
func expectEvents(t *testing.T, got, want []durable.EventRow) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range got {
		if !sameEvent(got[i], want[i]) {
			t.Fatalf("event %d is\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
}

func sameEvent(a, b durable.EventRow) bool {
	same := bytes.Equal(a.Event, b.Event) && bytes.Equal(a.Postings, b.Postings) && (a.Postings == nil) == (b.Postings == nil)
	a.Event, b.Event, a.Postings, b.Postings = nil, nil, nil, nil
	return same && reflect.DeepEqual(a, b)
}
