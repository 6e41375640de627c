package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/cli"
	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// stored makes a database, if it is not there, with the program everyday and one purchase
// by each account.
func stored(t *testing.T, url string, accounts ...string) {
	t.Helper()
	db, err := openOrCreate(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	spend(t, db, accounts...)
}

// spend puts the program everyday and one purchase by each account into a database.
func spend(t *testing.T, db *durable.Database, accounts ...string) {
	t.Helper()
	ctx := t.Context()
	programs, err := programs.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := programs.Put(ctx, "everyday", []byte(everyday), 0, "test"); err != nil {
		t.Fatal(err)
	}
	var events []reward.Event
	for _, account := range accounts {
		var e reward.Event
		if err := event.NewDecoder().Decode([]byte(strings.Replace(purchase, "acct-1", account, 1)), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	now := func() reward.Instant { return reward.At(time.Now()) }
	if _, err := engine.New(durable.Over(db, durable.Options{Programs: programs, Now: now})).Apply(ctx, events, nil); err != nil {
		t.Fatal(err)
	}
}

// onEachStore runs a test in a workspace, once with a folder for a database and once with
// PostgreSQL.
func onEachStore(t *testing.T, test func(t *testing.T, db string)) {
	t.Run("pebble", func(t *testing.T) { workspace(t); test(t, "data") })
	t.Run("postgres", func(t *testing.T) { workspace(t); test(t, pgtest.Shared(t).NewDatabase(t)) })
}

// seal puts another hash into the seal of an account.
func (in insider) seal(account string, hash []byte) {
	in.Helper()
	var kept struct {
		Sequence int64  `json:"sequence"`
		Number   int64  `json:"number"`
		Hash     []byte `json:"hash"`
	}
	text := in.table("seals")[record.Key(account)]
	if err := json.Unmarshal([]byte(text), &kept); err != nil || len(kept.Hash) != len(hash) {
		in.Fatalf("the seal of %s is %s: %v", account, text, err)
	}
	kept.Hash = hash
	value, err := json.Marshal(kept)
	in.put(record.Record{Table: "seals", Key: record.Key(account), Value: value}, err)
}

// recorded is the result of a check on record, "" if there is none.
func (in insider) recorded(check string) string {
	in.Helper()
	var found struct{ Result string }
	if text, ok := in.table("checks")[check]; ok {
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			in.Fatal(err)
		}
	}
	return found.Result
}

func TestVerifyNamesWhatWasChanged(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		stored(t, db, "acct-1", "acct-2")
		in := insider{t, db}
		if out := succeed(t, "verify", "--db", db, "--read-only"); !strings.HasPrefix(out, "2 accounts, 2 events, 2 postings checked in ") || !strings.HasSuffix(out, "No differences.\n") {
			t.Errorf("it prints\n%s", out)
		}
		if result := in.recorded("verify"); result != "" {
			t.Errorf("with --read-only it records %s", result)
		}
		succeed(t, "verify", "--db", db, "--account", "acct-1", "--workers", "3")
		succeed(t, "verify", "--db", db)
		if result := in.recorded("verify"); !strings.Contains(result, `"difference_count":0`) {
			t.Errorf("it records %s", result)
		}

		in.account("acct-2", inside[durable.AccountRow]{func(a *durable.AccountRow) { a.Version = 5 }, `version = 5`})
		out, _, err := recoup("verify", "--db", db, "--output", "json")
		if err == nil || cli.ExitCode(err) != cli.FailedCheck || err.Error() != "the database is not what its log adds up to; differences: 1" {
			t.Errorf("it ends with %v", err)
		}
		if want := `"account":"acct-2","event":0,"what":"version of the account","expected":"1","found":"5"`; !strings.Contains(strings.NewReplacer("\n", "", "  ", "", ": ", ":").Replace(out), want) {
			t.Errorf("it prints\n%s", out)
		}
		if result := in.recorded("verify"); !strings.Contains(result, `"difference_count":1`) {
			t.Errorf("it records %s", result)
		}
		succeed(t, "verify", "--db", db, "--account", "acct-1")
	})
}

func TestVerifyRefuses(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`--account "acct-9": there is no such account`, []string{"--db", "data", "--account", "acct-9"}},
		{`--output "xml": expected table or json`, []string{"--db", "data", "--output", "xml"}},
		{`--workers -1, --list 100: expected`, []string{"--db", "data", "--workers", "-1"}},
		{`--leaves l: is of use with --checkpoint only`, []string{"--db", "data", "--leaves", "l"}},
		{`missing [key]`, []string{"--db", "data", "--checkpoint", "c"}},
		{`--db: there is no folder nothing; `, []string{"--db", "nothing"}},
	} {
		if got := refuse(t, append([]string{"verify"}, c.args...)...); !strings.Contains(got, c.want) {
			t.Errorf("%q: the message is %q, want %q", c.args, got, c.want)
		}
	}
}

func TestCheckpoints(t *testing.T) { onEachStore(t, testCheckpoints) }

func testCheckpoints(t *testing.T, db string) {
	stored(t, db, "acct-1", "acct-2")
	in := insider{t, db}
	key := strings.TrimSpace(succeed(t, "checkpoint", "keygen", "--key-file", "signing.key", "rewards.example.com"))
	if info, err := os.Stat("signing.key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the signing key has %v: %v", info.Mode(), err)
	}
	if got := refuse(t, "checkpoint", "keygen", "--key-file", "signing.key", "x"); !strings.Contains(got, "signing.key: exists") {
		t.Errorf("a key again: the message is %q", got)
	}
	if got := refuse(t, "checkpoint", "keygen", "--key-file", "another.key", "two words"); !strings.Contains(got, "without spaces") {
		t.Errorf("a bad name: the message is %q", got)
	}

	if out := succeed(t, "checkpoint", "--db", db, "--key-file", "signing.key", "-o", "night.note"); out != "" {
		t.Errorf("it prints %q", out)
	}
	note := readFile(t, "night.note")
	if !strings.HasPrefix(note, "rewards.example.com\n2\n") || !strings.Contains(note, "\nevents 2\ntime 20") {
		t.Errorf("the note is\n%s", note)
	}
	if in.recorded("checkpoint") != note {
		t.Errorf("it records %q", in.recorded("checkpoint"))
	}
	if files := folder(t); !slices.Contains(files, "night.note.leaves") {
		t.Errorf("there are %q", files)
	}
	printed := succeed(t, "checkpoint", "--db", db, "--key-file", "signing.key", "--leaves", "other.leaves")
	if root := func(note string) string { return strings.Split(note, "\n")[2] }; root(printed) != root(note) {
		t.Errorf("it prints\n%s, and to a file\n%s", printed, note)
	}
	if got := refuse(t, "checkpoint", "--db", db, "--key-file", "signing.key"); !strings.Contains(got, "expected -o FILE, or --leaves FILE") {
		t.Errorf("without files the message is %q", got)
	}
	if got := refuse(t, "checkpoint", "--db", db, "--key-file", "program.yaml", "-o", "x"); !strings.Contains(got, "program.yaml: expected a signing key") {
		t.Errorf("without a key the message is %q", got)
	}

	against := []string{"verify", "--db", db, "--checkpoint", "night.note", "--key"}
	if out := succeed(t, append(against, key)...); !strings.Contains(out, "by rewards.example.com covers 2 events of 2 accounts.\n") || !strings.HasSuffix(out, "\nNo differences.\n") {
		t.Errorf("it prints\n%s", out)
	}
	succeed(t, append(against, key, "--leaves", "other.leaves", "--account", "acct-2")...)
	if got := refuse(t, append(against, "a key")...); !strings.Contains(got, "expected a verifier's key") {
		t.Errorf("with a bad key the message is %q", got)
	}
	if got := refuse(t, append(against, key, "--leaves", "none.leaves")...); !strings.Contains(got, "name it with --leaves") {
		t.Errorf("without leaves the message is %q", got)
	}
	if got := refuse(t, append(against, key, "--leaves", "program.yaml")...); !strings.Contains(got, "program.yaml: expected a gzip file of leaves") {
		t.Errorf("with other leaves the message is %q", got)
	}
	other := strings.TrimSpace(succeed(t, "checkpoint", "keygen", "--key-file", "other.key", "rewards.example.com"))
	if _, _, err := recoup(append(against, other)...); err == nil || cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(err.Error(), "night.note: not signed with the key of rewards.example.com") {
		t.Errorf("with another's key it ends with %v", err)
	}

	in.seal("acct-1", make([]byte, 40))
	in.events("acct-2", inside[durable.EventRow]{func(e *durable.EventRow) { e.Received++ }, `received = received + 1`})
	out, _, err := recoup(append(against, key)...)
	if err == nil || cli.ExitCode(err) != cli.FailedCheck {
		t.Errorf("it ends with %v", err)
	}
	for _, want := range []string{"│ acct-1  │     1 │ sealed event ", "│ acct-2  │     1 │ sealed event ", "│ acct-2  │     1 │ events 1 to 1 │ as the checkpoint signed them │ changed since │", "Differences: 3.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it prints\n%s, want %q", out, want)
		}
	}
}
