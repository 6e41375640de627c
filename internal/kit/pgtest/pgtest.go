// Package pgtest gives tests a private PostgreSQL server: real, durable, on a
// free port, and gone with the test.
package pgtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgcluster"
)

// Cluster is a private PostgreSQL server for tests. What goes wrong with it ends
// the test.
type Cluster struct {
	*pgcluster.Cluster
	shared bool
}

// settings speed tests up without touching durability: a deadlock is looked for
// sooner, and many small pools fit.
var settings = []string{"deadlock_timeout=20ms", "max_connections=200"}

// Start starts a cluster for this test alone, which it may stop and kill, with
// more settings of postgresql.conf such as "wal_level=minimal".
func Start(t testing.TB, more ...string) *Cluster {
	t.Helper()
	c, err := pgcluster.Start(append(more, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Cluster{c, false}
}

var shared = sync.OnceValues(func() (*pgcluster.Cluster, error) { return pgcluster.Start(settings...) })

// Shared returns the one cluster that all tests of this process share, started
// by the first that asks for it. It is removed when the process ends, so there
// is nothing to do in TestMain; tests must not stop it.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return &Cluster{c, true}
}

var databases atomic.Int64

// NewDatabase makes an empty database for this test and returns its URL. The
// database goes with the test, or with the cluster if that is the test's own.
func (c *Cluster) NewDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	c.Exec(t, "postgres", "CREATE DATABASE "+name)
	if c.shared {
		t.Cleanup(func() { c.Exec(t, "postgres", fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)) })
	}
	return c.URL(name)
}

// NewSchema makes an empty schema in a database of the shared cluster, and
// returns a URL with which everything is found and made in it. That is a
// database for all that a test can tell, and takes a tenth of the time. Its
// texts sort as people do, not by bytes.
func NewSchema(t testing.TB) string {
	t.Helper()
	c := Shared(t)
	const database = "schemas"
	c.once(t, database)
	name := fmt.Sprintf("test_%d", databases.Add(1))
	c.Exec(t, database, "CREATE SCHEMA "+name)
	t.Cleanup(func() { c.Exec(t, database, fmt.Sprintf("DROP SCHEMA %s CASCADE", name)) })
	return c.URL(database) + "&search_path=" + name
}

var schemas sync.Once

// once makes the database that NewSchema uses.
func (c *Cluster) once(t testing.TB, database string) {
	t.Helper()
	schemas.Do(func() {
		c.Exec(t, "postgres", fmt.Sprintf("CREATE DATABASE %s TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'", database))
	})
}

// Exec runs a statement in a database.
func (c *Cluster) Exec(t testing.TB, database, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL(database))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Restart starts the server again, in order if it was running.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	if err := c.Cluster.Restart(); err != nil {
		t.Fatal(err)
	}
}

// Stop shuts the server down in order.
func (c *Cluster) Stop(t testing.TB) {
	t.Helper()
	if err := c.Cluster.Stop(); err != nil {
		t.Fatal(err)
	}
}

// Kill stops the server as a crash does.
func (c *Cluster) Kill(t testing.TB) {
	t.Helper()
	if err := c.Cluster.Kill(); err != nil {
		t.Fatal(err)
	}
}
