package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// soon is how long an account may stay locked by a process that is dead. It is ten times
// what it takes on a machine with nothing else to do, and a tenth of what it would take
// if the server did not notice.
const soon = time.Second

// A process that dies holds up nobody else: what it has locked is let go of at once.
func TestAProcessThatDies(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	url := c.NewDatabase(t)
	d := open(t, url, postgres.Options{Migrate: true})
	warm(t, d)
	ctx := context.Background()
	lock := func(tx durable.Tx, accounts ...string) error {
		r := &durable.Request{Accounts: accounts}
		for range accounts {
			r.Held = append(r.Held, -1)
		}
		_, err := tx.Load(ctx, r)
		return err
	}
	if err := d.Update(ctx, func(tx durable.Tx) error { return post(tx, "acct-2") }); err != nil {
		t.Fatal(err)
	}
	// free sees that an account is not locked any more.
	free := func(t *testing.T, account string) {
		t.Helper()
		died := time.Now()
		if err := d.Update(ctx, func(tx durable.Tx) error { return lock(tx, account) }); err != nil {
			t.Error(err)
		}
		took := time.Since(died)
		t.Logf("%s was free after %v", account, took)
		if took > soon {
			t.Errorf("%s was free after %v, want %v", account, took, soon)
		}
	}
	// victim opens the database as a process that is about to die would.
	victim := func(t *testing.T) (*postgres.DB, *proxy) {
		p := newProxy(t, c.Port())
		return open(t, strings.Replace(url, fmt.Sprint(c.Port()), fmt.Sprint(p.port()), 1), postgres.Options{}), p
	}

	t.Run("at work on an account", func(t *testing.T) {
		dying, p := victim(t)
		_ = dying.Update(ctx, func(tx durable.Tx) error {
			if err := lock(tx, "acct-1"); err != nil {
				t.Error(err)
			}
			p.cut()
			free(t, "acct-1")
			return context.Canceled
		})
	})
	t.Run("while it waits for another account", func(t *testing.T) {
		dying, p := victim(t)
		err := d.Update(ctx, func(tx durable.Tx) error {
			if err := lock(tx, "acct-2"); err != nil {
				return err
			}
			ended := make(chan struct{})
			dead, die := context.WithCancel(ctx)
			go func() {
				defer close(ended)
				_ = dying.Update(dead, func(tx durable.Tx) error { return lock(tx, "acct-1", "acct-2") })
			}()
			direct := connect(t, url)
			eventually(t, "it waits", func() bool {
				return number(t, direct, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`) == 1
			})
			p.cut()
			die() // so that it is not tried again
			free(t, "acct-1")
			<-ended
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
