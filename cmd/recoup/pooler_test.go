package main

import (
	"strings"
	"testing"

	"recoup/internal/pgtest"
)

// TestAPoolerIsNamed: through pgbouncer in transaction mode commands work if they are
// told of it, and say what to do if they are not.
func TestAPoolerIsNamed(t *testing.T) {
	workspace(t)
	url := pgtest.Pooled(t, pgtest.Shared(t).NewDatabase(t))
	if err := refuse(t, "keys", "create", "--db", url, "--name", "bank", "--scope", "ingest", "--source", "*"); !strings.Contains(err, "say so with --pg-pooler") {
		t.Errorf("without the flag the message is %q", err)
	}
	if _, _, err := recoup("keys", "create", "--db", url, "--pg-pooler", "--name", "bank", "--scope", "ingest", "--source", "*"); err != nil {
		t.Fatal(err)
	}
	if out := succeed(t, "keys", "list", "--db", url, "--pg-pooler"); !strings.Contains(out, "bank") {
		t.Errorf("the keys are\n%s", out)
	}
}
