package pgtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/pgtest"
)

// A primary dies, a standby takes its place, the other follows, and the dead one comes
// back as a standby: after each step what was committed is there, and what is committed
// waits for a standby.
func TestATrioTakesTurns(t *testing.T) {
	t.Parallel()
	trio := pgtest.StartTrio(t)
	change := func(statement string) {
		t.Helper()
		conn, err := pgx.Connect(context.Background(), trio.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	change("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)")
	for range 2 {
		trio.Primary.Crash(t)
		trio.Promote(t)
		change("INSERT INTO kept SELECT count(*) + 1 FROM kept")
		trio.Rejoin(t)
	}
	change("INSERT INTO kept SELECT count(*) + 1 FROM kept")
	if n := ask(t, connect(t, trio.URL("postgres")), "SELECT count(*) || ' rows to ' || max(n) FROM kept"); n != "4 rows to 4" {
		t.Errorf("kept %s", n)
	}
}
