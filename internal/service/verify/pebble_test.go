package verify_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
	"recoup/reward"
)

// pebbleVault is a database in a folder that is in memory. An insider replaces it by
// another one, which a driver wrote, as it must, but of things that never were.
type pebbleVault struct{ files vfs.FS }

func (v *pebbleVault) open(t testing.TB) durable.Driver {
	t.Helper()
	return pebbletest.OpenOn(t, v.files, "ledger")
}

func (v *pebbleVault) tamper(t testing.TB, what map[string]func(*holdings)) {
	t.Helper()
	before := v.open(t)
	defer before.Close()
	v.files = vfs.NewMem()
	after := v.open(t)
	defer close(t, after)

	accounts, records := takeOut(t, before)
	elsewhere := slices.Min(slices.Collect(func(yield func(int64) bool) {
		for _, h := range accounts {
			if !yield(h.events[0].Number) {
				return
			}
		}
	}))
	for id, f := range what {
		if accounts[id] == nil {
			accounts[id] = &holdings{account: id}
		}
		h := accounts[id]
		h.TB, h.elsewhere, h.seal, h.key = t, elsewhere, records["seals"][record.Key(id)], records[erasure.Table][record.Key(id)]
		f(h)
		for table, value := range h.records() {
			if records[table][record.Key(id)] = *value; *value == nil {
				delete(records[table], record.Key(id))
			}
		}
	}
	putIn(t, after, accounts, records)
}

// takeOut reads all accounts and records of a database.
func takeOut(t testing.TB, db durable.Driver) (accounts map[string]*holdings, records map[string]map[string][]byte) {
	t.Helper()
	ctx := t.Context()
	accounts, records = make(map[string]*holdings), make(map[string]map[string][]byte)
	err := db.Inspect(ctx, func(r durable.Inspector) error {
		rows, err := r.Rows(ctx, "", math.MaxInt32)
		if err != nil {
			return err
		}
		for i := range rows {
			h := &holdings{account: rows[i].Account, row: &rows[i]}
			accounts[h.account] = h
			if h.events, err = r.Loose(ctx, h.account); err != nil {
				return err
			}
			if h.statements, err = r.Statements(ctx, h.account, math.MaxInt32, math.MaxInt32); err != nil {
				return err
			}
			for kind := reward.TransactionPart; kind <= reward.LastPart; kind++ {
				parts, err := r.Find(ctx, durable.Query{Account: h.account, Kind: kind, Page: true, Limit: math.MaxInt32})
				if err != nil {
					return err
				}
				h.parts = append(h.parts, parts...)
			}
		}
		for _, table := range []string{"programs", "programs_summary", "seals", "sealed", erasure.Table} {
			records[table] = make(map[string][]byte)
			err := r.Scan(ctx, table, record.Span{}, func(key string, value []byte) (bool, error) {
				records[table][key] = slices.Clone(value)
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return accounts, records
}

// putIn writes accounts and records into an empty database.
func putIn(t testing.TB, db durable.Driver, accounts map[string]*holdings, records map[string]map[string][]byte) {
	t.Helper()
	ctx := t.Context()
	var last int64
	for _, h := range accounts {
		for i := range h.events {
			last = max(last, h.events[i].Number)
		}
	}
	err := db.Update(ctx, func(tx durable.Tx) error { // none of the numbers is given out again
		_, err := tx.Load(ctx, &durable.Request{Numbers: int(last)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(accounts)) {
		h := accounts[id]
		changes := durable.Changes{Events: h.events, Parts: h.parts, Statements: h.statements}
		if h.row != nil {
			changes.Accounts = []durable.AccountRow{*h.row}
		}
		err := db.Update(ctx, func(tx durable.Tx) error {
			if _, err := tx.Load(ctx, &durable.Request{Accounts: []string{id}, Held: []int64{-1}}); err != nil {
				return err
			}
			return tx.Write(ctx, &changes)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = db.Change(ctx, func(tx record.Tx) error {
		for table, values := range records {
			for key, value := range values {
				tx.Put(table, key, value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
