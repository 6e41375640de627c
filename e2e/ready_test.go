package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
	"recoup/reward"
)

// because waits until the service says that it is not ready, and why.
func because(t *testing.T, c *client, reason string) {
	t.Helper()
	eventually(t, "the service says why it is not ready", func() error {
		if status, body, err := c.ask("GET", "/readyz", "", nil, nil); status != 503 || !strings.Contains(string(body), reason) {
			return fmt.Errorf("%d %s, %v", status, body, err)
		}
		return nil
	})
}

// TestAServiceIsReadyWhileItCanWrite takes from under a service what it writes to. What can
// be put right is, and then it is ready again.
func TestAServiceIsReadyWhileItCanWrite(t *testing.T) {
	t.Parallel()
	t.Run("a table that is locked", func(t *testing.T) {
		t.Parallel()
		db := pgtest.Shared(t).NewDatabase(t)
		c := serve(t, db).client(t)
		c.ready(t)
		conn := connected(t, db)
		tx, err := conn.Begin(context.Background())
		noError(t, err)
		_, err = tx.Exec(context.Background(), `LOCK TABLE accounts`)
		noError(t, err)
		because(t, c, "somebody has locked it")
		noError(t, tx.Rollback(context.Background()))
		c.ready(t)
	})
	t.Run("a server that takes no changes", func(t *testing.T) {
		t.Parallel()
		cluster := pgtest.Start(t)
		db := cluster.NewDatabase(t)
		c := serve(t, db).client(t)
		c.ready(t)
		conn := connected(t, cluster.URL("postgres"))
		set := func(value string) {
			t.Helper()
			for _, statement := range []string{`ALTER SYSTEM SET default_transaction_read_only = ` + value, `SELECT pg_reload_conf()`} {
				_, err := conn.Exec(context.Background(), statement)
				noError(t, err)
			}
		}
		set("on")
		because(t, c, "read-only, or a standby")
		set("off")
		c.ready(t)
	})
	t.Run("a folder that is deleted", func(t *testing.T) {
		t.Parallel()
		db := filepath.Join(t.TempDir(), "data")
		c := serve(t, db).client(t)
		c.ready(t)
		noError(t, os.RemoveAll(db))
		because(t, c, "its files have been deleted")
		// Nothing is acknowledged that would go with the process.
		e := reward.Event{
			Source: "e2e", ID: "e1", Account: "a", Type: reward.TransactionSettled, Time: end, Transaction: "t1", Currency: "USD", Amount: 1000, HasAmount: true,
		}
		if answers, err := c.send(single, linesOf([]reward.Event{e})); err == nil || !strings.Contains(err.Error(), "store_unavailable") {
			t.Errorf("an event is answered with %v, %v", answers, err)
		}
	})
}

func connected(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	noError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
