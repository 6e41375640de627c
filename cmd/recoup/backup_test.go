package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
)

// hold holds a folder as a service does, and lets commands in, until the test ends.
func hold(t *testing.T, folder string) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(t.Context(), folder, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	door, err := db.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- door.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// What is held by a service is looked at beside it; what would have the folder to itself
// is refused, and is told who has it.
func TestCommandsAtAHeldFolder(t *testing.T) {
	workspace(t)
	stored(t, "keys", "acct-1", "acct-2")
	hold(t, "keys")
	in := insider{t, "keys"}

	key := keysJSON(t, "create", "--scope", "read", "--name", "auditor").Keys[0]
	if gone := keysJSON(t, "revoke", key.ID).Keys; gone[0].Revoked == nil {
		t.Errorf("revoked is %+v", gone)
	}
	if list := keysJSON(t, "list").Keys; len(list) != 1 || list[0].ID != key.ID {
		t.Errorf("the list is %+v", list)
	}
	if out := succeed(t, "verify", "--db", "keys"); !strings.HasPrefix(out, "2 accounts, 2 events, 2 postings checked in ") || !strings.HasSuffix(out, "No differences.\n") {
		t.Errorf("it prints\n%s", out)
	}
	if result := in.recorded("verify"); !strings.Contains(result, `"difference_count":0`) {
		t.Errorf("it records %s", result)
	}
	succeed(t, "checkpoint", "keygen", "--key-file", "signing.key", "rewards.example.com")
	succeed(t, "checkpoint", "--db", "keys", "--key-file", "signing.key", "-o", "night.note")
	if readFile(t, "night.note") != in.recorded("checkpoint") || len(in.table("seals")) != 2 {
		t.Errorf("it records %s", in.recorded("checkpoint"))
	}
	if r := rebuildJSON(t, "keys", "new"); r.Accounts != 2 || r.Carried["keys"] != 1 {
		t.Errorf("rebuilt is %+v", r)
	}
	if _, _, err := recoup("export", "sqlite", "--db", "keys", "ledger.db"); err != nil {
		t.Error(err)
	}

	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--db", "keys"},
		{"migrate", "up", "--db", "keys"},
		{"load", "--db", "keys", "--program", "program.yaml", "events.jsonl"},
		{"rebuild", "--from", "new", "--to", "keys"},
	} {
		if got := refuse(t, args...); !strings.Contains(got, "keys is held by process ") {
			t.Errorf("recoup %s says %q", strings.Join(args, " "), got)
		}
	}
}

// A copy is a ledger as it was at one moment.
func TestBackup(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1", "acct-2")
	if _, stderr, err := recoup("backup", "--db", "data", "copy"); err != nil || stderr != "copied to copy; check it with: recoup verify --db copy --read-only\n" {
		t.Fatalf("it says %q: %v", stderr, err)
	}
	stored(t, "data", "acct-3")
	log := func(e *durable.EventRow) string { return e.Account + string(e.Event) }
	if out := succeed(t, "verify", "--db", "copy", "--read-only"); !strings.HasPrefix(out, "2 accounts, 2 events") {
		t.Errorf("verify of the copy prints\n%s", out)
	}
	if got := refuse(t, "backup", "--db", "data", "copy"); !strings.Contains(got, "copy") {
		t.Errorf("over another copy it says %q", got)
	}
	before, after := (insider{t, "data"}).log(log), (insider{t, "copy"}).log(log)
	if len(before) != 3 || !slices.Equal(before[:2], after) {
		t.Errorf("the copy has\n%q, of\n%q", after, before)
	}
}

// --follow brings a copy up to date until it is told to stop, and the service has the
// folder meanwhile.
func TestBackupFollows(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1")
	db := hold(t, "data")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	root := newRoot()
	root.SetArgs([]string{"backup", "--db", "data", "copy", "--follow", "--every", "10ms"})
	go func() { ended <- root.ExecuteContext(ctx) }()
	has := func(accounts int) bool {
		at, err := filepath.EvalSymlinks("copy/current")
		if err != nil {
			return false
		}
		look := filepath.Join(t.TempDir(), "look")
		if err := os.CopyFS(look, os.DirFS(at)); err != nil {
			return false // it was replaced meanwhile
		}
		if now, err := filepath.EvalSymlinks("copy/current"); err != nil || now != at {
			return false // so it was, and some of it may have been gone already
		}
		return len(insider{t, look}.accounts()) == accounts
	}
	for n, account := range []string{"acct-2", "acct-3"} {
		spend(t, durable.One(db), account)
		for deadline := time.Now().Add(time.Minute); !has(n + 2); time.Sleep(time.Millisecond) {
			select {
			case err := <-ended:
				t.Fatalf("it ended with %v", err)
			default:
			}
			if time.Now().After(deadline) {
				t.Fatal("the copy is not brought up to date")
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("told to stop, it ends with %v", err)
	}
	if out := succeed(t, "verify", "--db", "copy/current", "--read-only"); !strings.HasPrefix(out, "3 accounts, 3 events") {
		t.Errorf("verify of the copy prints\n%s", out)
	}
}

func TestBackupRefuses(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1")
	if err := os.Mkdir("photos", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "photos/cat.jpeg", "a cat")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"expected one argument, the folder to make, found 0", []string{"--db", "data"}},
		{"pg_dump", []string{"--db", "postgres://localhost/x", "copy"}},
		{"there is no folder none", []string{"--db", "none", "copy"}},
		{"--every 0s: expected more than zero", []string{"--db", "data", "copy", "--follow", "--every", "0s"}},
		{"data", []string{"--db", "data", "data"}},
		{"photos", []string{"--db", "data", "photos"}},
		{"photos", []string{"--db", "data", "photos", "--follow"}},
		{"nowhere", []string{"--db", "data", "nowhere/copy"}},
		{"nowhere", []string{"--db", "data", "nowhere/copy", "--follow"}},
	} {
		if got := refuse(t, append([]string{"backup"}, c.args...)...); !strings.Contains(got, c.want) {
			t.Errorf("%q: the message is %q, want %q", c.args, got, c.want)
		}
	}
	if got := readFile(t, "photos/cat.jpeg"); got != "a cat" {
		t.Errorf("the cat is %q", got)
	}
	succeed(t, "verify", "--db", "data")
}
