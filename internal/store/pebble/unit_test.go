package pebble_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/record"
	"recoup/reward"
)

var someAccounts = []string{"acct-1", "acct-2", "acct-3", "acct-4", "acct-5"}

// oneEach appends an event to the log of each account, with a part for it.
func oneEach(tx durable.Tx) error {
	r := &durable.Request{Accounts: someAccounts, Held: []int64{-1, -1, -1, -1, -1}, Numbers: len(someAccounts)}
	found, err := tx.Load(context.Background(), r)
	if err != nil {
		return err
	}
	count, _, err := tx.Get(context.Background(), "units", "count")
	if err != nil {
		return err
	}
	done, _ := strconv.ParseInt(string(count), 10, 64)
	rows := make(map[string]durable.AccountRow)
	for _, row := range found.Accounts {
		rows[row.Account] = row
	}
	c := durable.Changes{Records: []record.Record{
		{Table: "units", Key: "count", Value: fmt.Append(nil, done+1)},
		{Table: "units", Key: fmt.Sprintf("%08d", done), Value: []byte("{}")},
	}}
	for i, account := range someAccounts {
		row := rows[account]
		row.Account, row.Program, row.Base = account, "everyday", row.Version
		row.Version++
		c.Events = append(c.Events, durable.EventRow{
			Number: found.Numbers[i], Account: account, Sequence: row.Version, Before: row.Last, Source: "core",
			ID: fmt.Sprint("e", row.Version), Type: "transaction.settled", Outcome: reward.Applied, Event: make([]byte, 300),
		})
		row.Last, row.Head = found.Numbers[i], fmt.Append(nil, row.Version)
		c.Accounts = append(c.Accounts, row)
		c.Parts = append(c.Parts, durable.Part{Account: account, Part: reward.Part{
			Kind: reward.TransactionPart, ID: fmt.Sprintf("t%06d", row.Version), Data: fmt.Append(nil, row.Version), Working: row.Version%7 == 0,
		}})
	}
	return tx.Write(context.Background(), &c)
}

// expectUnits wants the database to hold what n units of oneEach leave, whole.
func expectUnits(t *testing.T, db *pebble.DB, n int64) {
	t.Helper()
	err := db.View(context.Background(), func(r durable.Reader) error {
		for _, account := range someAccounts {
			expectAccount(t, r, account, n)
		}
		expectRecords(t, r, n)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func expectAccount(t *testing.T, r durable.Reader, account string, n int64) {
	t.Helper()
	ctx := context.Background()
	row, _, err := r.Account(ctx, account)
	if err != nil || row.Version != n {
		t.Fatalf("%s is at version %d (%v), want %d", account, row.Version, err, n)
	}
	var events int64
	var last int64
	err = r.EventsOf(ctx, account, account, func(e *durable.EventRow) error {
		events++
		if e.Sequence != events || e.Before != last {
			t.Errorf("event %d of %s has sequence %d and comes after %d, want after %d", events, account, e.Sequence, e.Before, last)
		}
		last = e.Number
		if found, ok, err := r.Event(ctx, durable.Identity{Account: account, Source: "core", ID: e.ID}); !ok || err != nil || found.Number != e.Number {
			t.Errorf("event %d of %s is %d by its identity (%v)", e.Number, account, found.Number, err)
		}
		if found, ok, err := r.Numbered(ctx, e.Number); !ok || err != nil || found.ID != e.ID {
			t.Errorf("event %d of %s is %s by its number, want %s (%v)", e.Number, account, found.ID, e.ID, err)
		}
		return nil
	})
	if last != row.Last {
		t.Errorf("the events of %s end with number %d, its row with %d", account, last, row.Last)
	}
	if err != nil || events != n {
		t.Fatalf("%s has %d events (%v), want %d", account, events, err, n)
	}
	parts, err := r.Find(ctx, durable.Query{Account: account, Kind: reward.TransactionPart, Page: true, Limit: 1 << 20})
	if err != nil || int64(len(parts)) != n {
		t.Fatalf("%s has %d transactions (%v), want %d", account, len(parts), err, n)
	}
	for i, p := range parts {
		if string(p.Data) != fmt.Sprint(i+1) {
			t.Errorf("transaction %s of %s is %q", p.ID, account, p.Data)
		}
	}
	working, err := r.Find(ctx, durable.Query{Account: account, Kind: reward.TransactionPart, Working: true})
	if err != nil || int64(len(working)) != n/7 {
		t.Errorf("%s has %d working transactions (%v), want %d", account, len(working), err, n/7)
	}
}

// expectRecords wants the records that n units of oneEach leave.
func expectRecords(t *testing.T, r record.Reader, n int64) {
	t.Helper()
	ctx := context.Background()
	count, _, err := r.Get(ctx, "units", "count")
	if err != nil || n > 0 && string(count) != fmt.Sprint(n) {
		t.Errorf("%s units are counted (%v), want %d", count, err, n)
	}
	var rows int64
	err = r.Scan(ctx, "units", record.Span{Before: "c"}, func(key string, _ []byte) (bool, error) {
		if key != fmt.Sprintf("%08d", rows) {
			t.Errorf("record %d has the key %s", rows, key)
		}
		rows++
		return true, nil
	})
	if err != nil || rows != n {
		t.Errorf("%d records (%v), want %d", rows, err, n)
	}
}

// unit does a unit of work that has to succeed.
func unit(t *testing.T, db *pebble.DB) {
	t.Helper()
	if err := db.Update(context.Background(), oneEach); err != nil {
		t.Fatal(err)
	}
}

// units returns how many units of oneEach there are.
func units(t *testing.T, db *pebble.DB) int64 {
	t.Helper()
	var n int64
	err := db.View(context.Background(), func(r durable.Reader) error {
		row, _, err := r.Account(context.Background(), "acct-1")
		n = row.Version
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// numbersOf allots numbers of events.
func numbersOf(t *testing.T, db *pebble.DB, n int) (numbers []int64) {
	t.Helper()
	err := db.Update(context.Background(), func(tx durable.Tx) error {
		found, err := tx.Load(context.Background(), &durable.Request{Numbers: n})
		if err == nil {
			numbers = found.Numbers
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}
