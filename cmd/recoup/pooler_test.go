package main

import (
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/open"
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

// TestShardsThroughAPooler: what moves shards, too, leaves nothing behind in a session.
func TestShardsThroughAPooler(t *testing.T) {
	workspace(t)
	servers := pgtest.Shared(t)
	one, other := pgtest.Pooled(t, servers.NewDatabase(t)), pgtest.Pooled(t, servers.NewDatabase(t))
	run := func(args ...string) {
		t.Helper()
		if _, stderr, err := recoup(append(append([]string{"shards"}, args...), "--file", "shards.yaml", "--pg-pooler")...); err != nil {
			t.Fatalf("recoup shards %v: %v\n%s", args, err, stderr)
		}
	}
	run("init", "--shards", "2", "--url", one)
	fill := func(accounts ...string) {
		t.Helper()
		db, err := (&open.Database{Name: "shards.yaml", Pooler: true}).Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		spend(t, db, accounts...)
	}
	fill("acct-1", "acct-2", "acct-3", "acct-4", "acct-5")
	run("move", "1", "--to", other)
	run("drop", "1", "--old")
	fill("acct-6", "acct-7")
	run("split", "0", "--into", "2", "--to", other)
	run("status")
	out := succeed(t, "verify", "--db", "shards.yaml", "--pg-pooler")
	if !strings.HasPrefix(out, "7 accounts, 7 events") || !strings.HasSuffix(out, "No differences.\n") {
		t.Errorf("verify prints\n%s", out)
	}
}
