package postgres_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// loads locks accounts and does nothing with them.
func loads(d *postgres.DB, accounts ...string) error {
	return d.Update(context.Background(), func(tx durable.Tx) error {
		r := &durable.Request{Accounts: accounts}
		for range accounts {
			r.Held = append(r.Held, -1)
		}
		_, err := tx.Load(context.Background(), r)
		return err
	})
}

// Of the accounts of a unit of work, those are named that somebody does not let go of.
func TestAccountsThatAreHeldAreNamed(t *testing.T) {
	t.Parallel()
	url := pgtest.NewSchema(t)
	d := open(t, url, postgres.Options{Migrate: true, LockTimeout: 20 * time.Millisecond})
	if err := write(d, "a", "b", "c", "d", "e"); err != nil {
		t.Fatal(err)
	}
	holder := connect(t, url)
	held := func(what string, err error, accounts ...string) {
		t.Helper()
		var f *store.Failure
		if !errors.As(err, &f) || f.Reach != store.Locked || !slices.Equal(f.Accounts, accounts) {
			t.Errorf("%s: %v (%+v), want %v held", what, err, f, accounts)
		}
	}
	exec(t, holder, `BEGIN`)
	exec(t, holder, `SELECT FROM accounts WHERE account IN ('b', 'd') FOR UPDATE`)
	held("two of four", loads(d, "a", "b", "c", "d"), "b", "d")
	if err := loads(d, "a", "c", "e"); err != nil {
		t.Errorf("those beside them: %v", err)
	}
	exec(t, holder, `ROLLBACK`)
	if err := loads(d, "a", "b", "c", "d"); err != nil {
		t.Errorf("once they are let go of: %v", err)
	}

	exec(t, holder, `BEGIN`)
	exec(t, holder, `INSERT INTO accounts (account, program, version, last, head) VALUES ('f', '', 1, 0, '')`)
	held("one that is being made", write(d, "f"), "f")
	exec(t, holder, `ROLLBACK`)

	exec(t, holder, `BEGIN`)
	exec(t, holder, `LOCK TABLE accounts`)
	if err := loads(d, "a"); store.ReachOf(err) != store.Database {
		t.Errorf("all accounts at once: %v (reach %d)", err, store.ReachOf(err))
	}
	exec(t, holder, `ROLLBACK`)
}
