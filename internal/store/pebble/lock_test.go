package pebble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// openMem opens an empty database in memory.
func openMem(t testing.TB) *DB {
	t.Helper()
	db, err := Open(context.Background(), "ledger", Options{Create: true, FS: vfs.NewMem(), Cache: 1 << 20, MemTable: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func holding(accounts ...string) *durable.Request {
	held := slices.Repeat([]int64{-1}, len(accounts))
	return &durable.Request{Accounts: accounts, Held: held}
}

// TestBusy: who waits for an account may give up, is told that nothing is wrong, and
// leaves nothing locked.
func TestBusy(t *testing.T) {
	db := openMem(t)
	ctx := context.Background()
	err := db.Update(ctx, func(tx durable.Tx) error {
		if _, err := tx.Load(ctx, holding("b")); err != nil {
			return err
		}
		// Others are not in its way.
		if err := db.Update(ctx, func(tx durable.Tx) error { _, err := tx.Load(ctx, holding("a", "c")); return err }); err != nil {
			return err
		}
		impatient, cancel := context.WithCancel(ctx)
		err := db.Update(ctx, func(other durable.Tx) error {
			if _, err := other.Load(ctx, holding("a")); err != nil {
				return err
			}
			cancel()
			_, err := other.Load(impatient, holding("b"))
			return err
		})
		if store.ReachOf(err) != store.Busy || !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up was told %v (reach %d)", err, store.ReachOf(err))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(db.locks.held); n > 0 {
		t.Errorf("%d accounts are still locked", n)
	}
}

// TestGivingUpWhileWaiting has waiters give up in every place of a queue.
func TestGivingUpWhileWaiting(t *testing.T) {
	var l accountLocks
	ctx := context.Background()
	if n, err := l.lock(ctx, []string{"a", "b"}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	results := make([]chan error, 3)
	cancels := make([]context.CancelFunc, 3)
	for i := range results {
		results[i] = make(chan error, 1)
		waiting, cancel := context.WithCancel(ctx)
		cancels[i] = cancel
		go func() {
			n, err := l.lock(waiting, []string{"a", "c"})
			l.unlock([]string{"a", "c"}[:n])
			results[i] <- err
		}()
		for queued := 0; queued <= i; {
			l.mu.Lock()
			queued = len(l.held["a"])
			l.mu.Unlock()
		}
	}
	cancels[1]()
	if err := <-results[1]; store.ReachOf(err) != store.Busy {
		t.Errorf("who gave up was told %v", err)
	}
	l.unlock([]string{"a", "b"})
	for _, i := range []int{0, 2} {
		if err := <-results[i]; err != nil {
			t.Errorf("who waited on was told %v", err)
		}
		cancels[i]()
	}
	if len(l.held) > 0 {
		t.Errorf("%v are still locked", l.held)
	}
}

// TestDamagedAccount damages what is kept of one account, value by value. That account
// cannot be read, which is said; the others can.
func TestDamagedAccount(t *testing.T) {
	p := durable.PartKey{Account: "b", Kind: reward.RefundPart, ID: "r1"}
	for name, k := range map[string]key{
		"its row":           key{}.account("b", headTag),
		"a part":            key{}.part(p, workingTag),
		"an identity":       key{}.identity(durable.Identity{Account: "b", Source: "core", ID: "e1"}),
		"an event":          key{}.event(2),
		"a missing event":   nil,
		"a statement of it": key{}.statementOf("b", 100),
	} {
		t.Run(name, func(t *testing.T) {
			db := openMem(t)
			for i, account := range []string{"a", "b", "c"} {
				writeOne(t, db, account, int64(i)+1)
			}
			if err := everything(db, "b"); err != nil {
				t.Fatal(err)
			}
			var err error
			if k == nil {
				err = db.tree.Delete(key{}.event(2), nil)
			} else {
				err = db.tree.Set(k, []byte{0xff}, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = everything(db, "b")
			var f *store.Failure
			if !errors.As(err, &f) || f.Reach != store.OneAccount || f.Account != "b" {
				t.Errorf("account b: %v", err)
			}
			for _, account := range []string{"a", "c"} {
				if err := everything(db, account); err != nil {
					t.Errorf("account %s: %v", account, err)
				}
			}
		})
	}
}

// writeOne writes an account with an event, a part and a statement.
func writeOne(t *testing.T, db *DB, account string, number int64) {
	t.Helper()
	err := db.Update(context.Background(), func(tx durable.Tx) error {
		return tx.Write(context.Background(), &durable.Changes{
			Accounts:   []durable.AccountRow{{Account: account, Program: "everyday", Version: 1, Last: number, Head: []byte("head")}},
			Events:     []durable.EventRow{{Number: number, Account: account, Sequence: 1, Source: "core", ID: "e1", Type: "t", Event: []byte("{}")}},
			Parts:      []durable.Part{{Account: account, Part: reward.Part{Kind: reward.RefundPart, ID: "r1", Working: true, Data: []byte("d")}}},
			Statements: []durable.StatementRow{{Account: account, Last: number}, closed(account, 100)},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func closed(account string, cycle reward.Cycle) durable.StatementRow {
	st := durable.StatementRow{Account: account}
	st.Cycle = cycle
	return st
}

// everything reads all that there is of an account.
func everything(db *DB, account string) error {
	ctx := context.Background()
	return errors.Join(
		db.Update(ctx, func(tx durable.Tx) error { _, err := tx.Load(ctx, holding(account)); return err }),
		db.View(ctx, func(r durable.Reader) error {
			if _, _, err := r.Account(ctx, account); err != nil {
				return err
			}
			if _, err := r.Find(ctx, durable.Query{Account: account, Kind: reward.RefundPart, IDs: []string{"r1"}}); err != nil {
				return err
			}
			if _, _, err := r.Event(ctx, durable.Identity{Account: account, Source: "core", ID: "e1"}); err != nil {
				return err
			}
			if _, err := r.Statements(ctx, account, 200, 10); err != nil {
				return err
			}
			n := 0
			err := r.EventsOf(ctx, account, account, func(*durable.EventRow) error { n++; return nil })
			if err == nil && n != 1 {
				err = fmt.Errorf("%d events of %s", n, account)
			}
			return err
		}),
	)
}
