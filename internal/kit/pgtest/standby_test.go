package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
)

// A primary dies, a standby takes its place, the other follows, and the dead one comes
// back as a standby: after each step what was committed is there. One that comes back as
// if nothing had happened has nobody who follows it, so it reports no commit, and what it
// has done by itself is undone when it becomes a standby.
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
	for _, awakes := range []bool{false, true} {
		trio.Primary.Crash(t)
		trio.Promote(t)
		change("INSERT INTO kept SELECT count(*) + 1 FROM kept")
		if awakes {
			dead := trio.Standbys[1]
			dead.Restart(t)
			alone, watch := connect(t, dead.URL("postgres")), connect(t, dead.URL("postgres"))
			ended := make(chan error, 1)
			go func() {
				_, err := alone.Exec(context.Background(), "INSERT INTO kept VALUES (99)")
				ended <- err
			}()
			for ask(t, watch, "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != "1" {
				time.Sleep(10 * time.Millisecond)
			}
			dead.Crash(t)
			if err := <-ended; err == nil {
				t.Error("a primary whose place was taken reports a commit")
			}
		}
		trio.Rejoin(t)
	}
	change("INSERT INTO kept SELECT count(*) + 1 FROM kept")
	if n := ask(t, connect(t, trio.URL("postgres")), "SELECT count(*) || ' rows to ' || max(n) FROM kept"); n != "4 rows to 4" {
		t.Errorf("kept %s", n)
	}
}
