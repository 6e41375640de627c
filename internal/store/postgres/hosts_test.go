package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// A URL with several hosts leads to whichever takes changes: first one, and when that is
// gone and another has taken its place, that one.
func TestTheServerThatTakesChangesIsFound(t *testing.T) {
	t.Parallel()
	primary, standby := pgtest.Start(t), pgtest.Start(t)
	const database = "ledger"
	for _, c := range []*pgtest.Cluster{primary, standby} {
		c.Exec(t, "postgres", "CREATE DATABASE "+database)
		open(t, c.URL(database), postgres.Options{Migrate: true})
	}
	// A standby refuses changes as a server does that is told to; what it has of the
	// primary is none of the driver's business.
	direct := connect(t, standby.URL("postgres"))
	exec(t, direct, "ALTER DATABASE "+database+" SET default_transaction_read_only = on")

	// The standby comes first, so that it is asked each time.
	d := open(t, fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/%s?sslmode=disable&target_session_attrs=read-write", standby.Port(), primary.Port(), database), postgres.Options{})
	warm(t, d)
	expectVersion(t, d, "acct-1", 2)

	primary.Kill(t)
	unit := func(tx durable.Tx) error { return post(tx, "acct-2") }
	if err := d.Update(context.Background(), unit); store.ReachOf(err) != store.Database {
		t.Errorf("while no server takes changes: %v", err)
	}
	exec(t, direct, "ALTER DATABASE "+database+" SET default_transaction_read_only = off")
	began := time.Now()
	if err := d.Update(context.Background(), unit); err != nil {
		t.Fatalf("after another has taken its place: %v", err)
	}
	t.Logf("found after %v", time.Since(began))
	expectVersion(t, d, "acct-2", 1)
}
