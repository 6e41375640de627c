package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// write writes new accounts. Those with names of more than a byte cannot be written.
func write(d *postgres.DB, accounts ...string) error {
	return d.Update(context.Background(), func(tx durable.Tx) error {
		r := &durable.Request{Accounts: accounts}
		c := new(durable.Changes)
		for _, a := range accounts {
			r.Held = append(r.Held, -1)
			c.Accounts = append(c.Accounts, durable.AccountRow{Account: a, Program: strings.Repeat("\xff", len(a)-1), Version: 1, Head: []byte("head")})
		}
		if _, err := tx.Load(context.Background(), r); err != nil {
			return err
		}
		return tx.Write(context.Background(), c)
	})
}

func TestAFailureSaysHowFarItReaches(t *testing.T) {
	url := pgtest.NewSchema(t)
	d := open(t, url, postgres.Options{Migrate: true})
	if err := write(d, "a"); err != nil {
		t.Fatal(err)
	}

	var f *store.Failure
	if err := write(d, "bad"); !errors.As(err, &f) || f.Reach != store.OneEvent || f.Account != "bad" {
		t.Errorf("of one account: %v (%+v)", err, f)
	}
	// It is not known of which, so that they are tried one by one.
	if err := write(d, "b", "bad"); err == nil || store.ReachOf(err) != store.Unknown {
		t.Errorf("of one of two: %v", err)
	}
	if err := d.Update(context.Background(), func(durable.Tx) error { return errors.New("not the database's") }); store.ReachOf(err) != store.Unknown {
		t.Errorf("of the caller: %v", err)
	}
	exec(t, connect(t, url), `ALTER TABLE accounts RENAME TO elsewhere`)
	if err := write(d, "b"); store.ReachOf(err) != store.Database {
		t.Errorf("without a table: %v", err)
	}
	err := d.View(context.Background(), func(r durable.Reader) error {
		_, _, err := r.Account(context.Background(), "a")
		return err
	})
	if store.ReachOf(err) != store.Database {
		t.Errorf("reading without a table: %v", err)
	}
}

// A server that takes no changes any more is left, for whichever takes them now.
func TestAServerThatTakesNoChangesIsLeft(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).NewDatabase(t)
	open(t, url, postgres.Options{Migrate: true})
	direct := connect(t, url)
	sessions := func(are string) {
		exec(t, direct, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = `+are+`', current_database()); END $$`)
	}
	sessions("on")
	d := open(t, url, postgres.Options{Writers: 1})
	sessions("off") // those that are made from now on

	times := 0
	err := d.Update(context.Background(), func(tx durable.Tx) error {
		times++
		return post(tx, "acct-1")
	})
	if err != nil || times != 2 {
		t.Errorf("the unit of work ends with %v after %d times, want 2", err, times)
	}
	expectVersion(t, d, "acct-1", 1)
}
