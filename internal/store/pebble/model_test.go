package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/record"
	"recoup/reward"
)

// model is a database as simple as can be: maps.
type model struct {
	accounts map[string]durable.AccountRow
	parts    map[durable.PartKey]durable.Part
	events   map[string][]durable.EventRow
	records  map[string]string // of one table
}

func newModel() *model {
	return &model{accounts: make(map[string]durable.AccountRow), parts: make(map[durable.PartKey]durable.Part), events: make(map[string][]durable.EventRow), records: make(map[string]string)}
}

func (m *model) clone() *model {
	c := &model{accounts: maps.Clone(m.accounts), parts: maps.Clone(m.parts), events: maps.Clone(m.events), records: maps.Clone(m.records)}
	for id, list := range c.events {
		c.events[id] = slices.Clip(list)
	}
	return c
}

// apply does what a unit of work committed.
func (m *model) apply(c *durable.Changes) {
	for _, a := range c.Accounts {
		a.Base = 0
		m.accounts[a.Account] = a
	}
	for _, p := range c.Parts {
		m.parts[durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}] = p
	}
	for _, e := range c.Events {
		m.events[e.Account] = append(m.events[e.Account], e)
	}
	for _, x := range c.Records {
		if delete(m.records, x.Key); x.Value != nil {
			m.records[x.Key] = string(x.Value)
		}
	}
}

const (
	modelAccounts = 7
	modelIDs      = 9
	modelTimes    = 5
	modelRecords  = 6
)

// dice makes the choices of a run, so that rapid can find the least of those that fail.
type dice struct{ t *rapid.T }

// IntN chooses a number from 0 on and below n.
func (d dice) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "") }

// TestSameAsMaps does random units of work and changes of records, opens the database
// again now and then, and compares everything that can be read with what maps would
// have, also on snapshots that were begun long before.
func TestSameAsMaps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { sameAsMaps(rt, dice{rt}) })
}

func sameAsMaps(t *rapid.T, r dice) {
	ctx := context.Background()
	o := small
	o.FS = vfs.NewMem()
	again := func() *pebble.DB {
		db, err := pebble.Open(ctx, "ledger", o)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := again()
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	now := newModel()
	for range r.IntN(12) {
		if r.IntN(6) == 0 {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = again()
		}
		then := now.clone()
		err := db.View(ctx, func(reader durable.Reader) error {
			for range r.IntN(6) {
				commit(t, db, now, r)
				change(t, db, now, r)
			}
			compare(t, reader, then, r)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.View(ctx, func(reader durable.Reader) error { compare(t, reader, now, r); return nil }); err != nil {
		t.Fatal(err)
	}
}

// change does a random change of records with the database and the model.
func change(t *rapid.T, db *pebble.DB, m *model, r dice) {
	second := errors.New("on second thoughts")
	after := maps.Clone(m.records)
	err := db.Change(context.Background(), func(tx record.Tx) error {
		for range r.IntN(4) {
			key := fmt.Sprint("r", r.IntN(modelRecords))
			if r.IntN(3) == 0 {
				tx.Delete("t", key)
				delete(after, key)
			} else {
				value := fmt.Sprint(r.IntN(100))
				tx.Put("t", key, []byte(value))
				after[key] = value
			}
		}
		if r.IntN(8) == 0 {
			return second
		}
		return nil
	})
	switch {
	case err == nil:
		m.records = after
	case !errors.Is(err, second):
		t.Fatalf("Change: %v", err)
	}
}

// commit does a random unit of work with the database and the model.
func commit(t *rapid.T, db *pebble.DB, m *model, r dice) {
	t.Helper()
	ctx := context.Background()
	second := errors.New("on second thoughts")
	var c durable.Changes
	err := db.Update(ctx, func(tx durable.Tx) error {
		c = durable.Changes{}
		// One write or two, of which the second sees the first.
		after := m.clone()
		for range 1 + r.IntN(2) {
			part, err := someChanges(tx, after, r)
			if err != nil {
				return err
			}
			if err := tx.Write(ctx, part); err != nil {
				return err
			}
			after.apply(part)
			c.Accounts, c.Parts, c.Events = append(c.Accounts, part.Accounts...), append(c.Parts, part.Parts...), append(c.Events, part.Events...)
			c.Records = append(c.Records, part.Records...)
		}
		if r.IntN(8) == 0 {
			return second
		}
		return nil
	})
	switch {
	case err == nil:
		m.apply(&c)
	case !errors.Is(err, second):
		t.Fatalf("Update: %v", err)
	}
}

// someChanges makes random changes, from what the database says and the model
// agrees with.
func someChanges(tx durable.Tx, m *model, r dice) (*durable.Changes, error) {
	request := durable.Request{Numbers: r.IntN(6)}
	for i := range modelAccounts {
		if r.IntN(2) == 0 {
			id := fmt.Sprint("acct-", i)
			request.Accounts = append(request.Accounts, id)
			version := m.accounts[id].Version
			held := max(version-int64(r.IntN(2)), -1)
			request.Held = append(request.Held, held)
			asked := durable.PartKey{Account: id, Kind: 1 + reward.PartKind(r.IntN(6)), ID: fmt.Sprint("id-", r.IntN(modelIDs))}
			if !m.parts[asked].Working || held != version {
				request.Parts = append(request.Parts, asked)
			}
		}
	}
	for _, id := range request.Accounts {
		request.Identities = append(request.Identities, durable.Identity{Account: id, Source: "core", ID: fmt.Sprint("e", r.IntN(len(m.events[id])+2)+1)})
	}
	found, err := tx.Load(context.Background(), &request)
	if err != nil {
		return nil, err
	}
	if err := agree(found, &request, m); err != nil {
		return nil, err
	}
	c := new(durable.Changes)
	for i := range modelRecords {
		if r.IntN(6) == 0 {
			c.Records = append(c.Records, record.Record{Table: "t", Key: fmt.Sprint("r", i), Value: []byte(fmt.Sprint(r.IntN(100)))})
		}
	}
	if len(request.Accounts) == 0 {
		return c, nil
	}
	rows := make(map[string]durable.AccountRow)
	for _, id := range request.Accounts {
		row := m.accounts[id]
		row.Account, row.Program, row.Base = id, "everyday", row.Version
		row.Version++ // at least one event each, or so
		row.Due = reward.Instant(r.IntN(modelTimes))
		row.Head = fmt.Appendf(nil, "%s at %d", id, row.Version)
		rows[id] = row
	}
	for _, number := range found.Numbers {
		id := request.Accounts[r.IntN(len(request.Accounts))]
		row := rows[id]
		e := durable.EventRow{
			Number: number, Account: id, Sequence: row.Version, Before: row.Last, Received: 5, Source: "core",
			ID: fmt.Sprint("e", len(m.events[id])+1), Type: "transaction.settled", Outcome: reward.Applied, Event: fmt.Appendf(nil, "event %d", number),
		}
		row.Last, row.Version = number, row.Version+1
		rows[id] = row
		c.Events = append(c.Events, e)
		m = m.clone()
		m.events[id] = append(m.events[id], e)
	}
	for _, id := range request.Accounts {
		c.Accounts = append(c.Accounts, rows[id])
	}
	seen := make(map[durable.PartKey]bool)
	for range r.IntN(12) {
		p := durable.Part{Account: request.Accounts[r.IntN(len(request.Accounts))], Part: reward.Part{
			Kind: 1 + reward.PartKind(r.IntN(6)), ID: fmt.Sprint("id-", r.IntN(modelIDs)), Data: fmt.Appendf(nil, "data %d", r.IntN(1000)),
			Working: r.IntN(2) == 0, Bucket: int64(r.IntN(3)), Settled: reward.Instant(r.IntN(modelTimes)), ReviewSince: reward.Instant(r.IntN(modelTimes)),
		}}
		if key := (durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}); !seen[key] {
			seen[key] = true
			c.Parts = append(c.Parts, p)
		}
	}
	return c, nil
}

// agree compares what a unit of work loads with the model.
func agree(found *durable.Loaded, request *durable.Request, m *model) error {
	var rows []durable.AccountRow
	parts := make(map[durable.PartKey]durable.Part)
	for i, id := range request.Accounts {
		row, ok := m.accounts[id]
		if !ok {
			continue
		}
		if row.Version == request.Held[i] {
			row.Head = nil
		} else {
			for key, p := range m.parts {
				if key.Account == id && p.Working {
					parts[key] = p
				}
			}
		}
		rows = append(rows, row)
	}
	if !reflect.DeepEqual(rows, found.Accounts) {
		return fmt.Errorf("accounts are %+v, want %+v", found.Accounts, rows)
	}
	for _, key := range request.Parts {
		if p, ok := m.parts[key]; ok {
			parts[key] = p
		}
	}
	got := make(map[durable.PartKey]durable.Part)
	for _, p := range found.Parts {
		got[durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}] = p
	}
	if !reflect.DeepEqual(got, parts) {
		return fmt.Errorf("parts are %+v, want %+v", got, parts)
	}
	for i, id := range request.Identities {
		var line []byte
		for _, e := range m.events[id.Account] {
			if e.ID == id.ID {
				line = e.Event
			}
		}
		if string(line) != string(found.Logged[i]) {
			return fmt.Errorf("%v is logged as %q, want %q", id, found.Logged[i], line)
		}
	}
	return nil
}
