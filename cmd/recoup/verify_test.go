package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/engine"
	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
)

// stored makes a database, recoup.db, with the program everyday and one purchase
// by each account.
func stored(t *testing.T, accounts ...string) {
	t.Helper()
	workspace(t)
	ctx := context.Background()
	db, err := openOrCreate(ctx, "recoup.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	programs, err := durable.OpenPrograms(ctx, db, parseStored, time.Now)
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

// inDatabase runs a statement in recoup.db.
func inDatabase(t *testing.T, statement string) {
	t.Helper()
	db, err := openDriver(context.Background(), "recoup.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.DB().Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// recorded is the result of a check on record.
func recorded(t *testing.T, check string) (result string) {
	t.Helper()
	db, err := openDriver(context.Background(), "recoup.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.DB().QueryRow(`SELECT COALESCE(max(result), '') FROM checks WHERE name = '` + check + `'`).Scan(&result); err != nil {
		t.Fatal(err)
	}
	return result
}

func TestVerifyNamesWhatWasChanged(t *testing.T) {
	stored(t, "acct-1", "acct-2")
	if out := succeed(t, "verify", "--db", "recoup.db", "--read-only"); !strings.HasPrefix(out, "2 accounts, 2 events, 2 postings checked in ") || !strings.HasSuffix(out, "No differences.\n") {
		t.Errorf("it prints\n%s", out)
	}
	if result := recorded(t, "verify"); result != "" {
		t.Errorf("with --read-only it records %s", result)
	}
	succeed(t, "verify", "--db", "sqlite:recoup.db", "--account", "acct-1", "--workers", "3")
	succeed(t, "verify", "--db", "recoup.db")
	if result := recorded(t, "verify"); !strings.Contains(result, `"difference_count":0`) {
		t.Errorf("it records %s", result)
	}

	inDatabase(t, `UPDATE accounts SET version = 5 WHERE account = 'acct-2'`)
	out, _, err := recoup("verify", "--db", "recoup.db", "--output", "json")
	if err == nil || exitCode(err) != exitFailedCheck || err.Error() != "the database is not what its log adds up to; differences: 1" {
		t.Errorf("it ends with %v", err)
	}
	if want := `"account":"acct-2","event":0,"what":"version of the account","expected":"1","found":"5"`; !strings.Contains(strings.NewReplacer("\n", "", "  ", "", ": ", ":").Replace(out), want) {
		t.Errorf("it prints\n%s", out)
	}
	if result := recorded(t, "verify"); !strings.Contains(result, `"difference_count":1`) {
		t.Errorf("it records %s", result)
	}
	succeed(t, "verify", "--db", "recoup.db", "--account", "acct-1")
}

func TestVerifyRefuses(t *testing.T) {
	stored(t, "acct-1")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`--account "acct-9": there is no such account`, []string{"--db", "recoup.db", "--account", "acct-9"}},
		{`--output "xml": expected table or json`, []string{"--db", "recoup.db", "--output", "xml"}},
		{`--workers -1, --list 100: expected`, []string{"--db", "recoup.db", "--workers", "-1"}},
		{`--leaves l: is of use with --checkpoint only`, []string{"--db", "recoup.db", "--leaves", "l"}},
		{`missing [key]`, []string{"--db", "recoup.db", "--checkpoint", "c"}},
		{`nothing.db`, []string{"--db", "nothing.db"}},
	} {
		if got := refuse(t, append([]string{"verify"}, c.args...)...); !strings.Contains(got, c.want) {
			t.Errorf("%q: the message is %q, want %q", c.args, got, c.want)
		}
	}
}

func TestCheckpoints(t *testing.T) {
	stored(t, "acct-1", "acct-2")
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

	if out := succeed(t, "checkpoint", "--db", "recoup.db", "--key-file", "signing.key", "-o", "night.note"); out != "" {
		t.Errorf("it prints %q", out)
	}
	note := readFile(t, "night.note")
	if !strings.HasPrefix(note, "rewards.example.com\n2\n") || !strings.Contains(note, "\nevents 2\ntime 20") {
		t.Errorf("the note is\n%s", note)
	}
	if recorded(t, "checkpoint") != note {
		t.Errorf("it records %q", recorded(t, "checkpoint"))
	}
	if files := folder(t); !slices.Contains(files, "night.note.leaves") {
		t.Errorf("there are %q", files)
	}
	printed := succeed(t, "checkpoint", "--db", "recoup.db", "--key-file", "signing.key", "--leaves", "other.leaves")
	if root := func(note string) string { return strings.Split(note, "\n")[2] }; root(printed) != root(note) {
		t.Errorf("it prints\n%s, and to a file\n%s", printed, note)
	}
	if got := refuse(t, "checkpoint", "--db", "recoup.db", "--key-file", "signing.key"); !strings.Contains(got, "expected -o FILE, or --leaves FILE") {
		t.Errorf("without files the message is %q", got)
	}
	if got := refuse(t, "checkpoint", "--db", "recoup.db", "--key-file", "program.yaml", "-o", "x"); !strings.Contains(got, "program.yaml: expected a signing key") {
		t.Errorf("without a key the message is %q", got)
	}

	against := []string{"verify", "--db", "recoup.db", "--checkpoint", "night.note", "--key"}
	if out := succeed(t, append(against, key)...); !strings.Contains(out, "by rewards.example.com covers 2 events of 2 accounts.\nNo differences.\n") {
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
	if _, _, err := recoup(append(against, other)...); err == nil || exitCode(err) != exitFailedCheck || !strings.Contains(err.Error(), "night.note: not signed with the key of rewards.example.com") {
		t.Errorf("with another's key it ends with %v", err)
	}

	inDatabase(t, `UPDATE seals SET hash = zeroblob(40) WHERE account = 'acct-1'`)
	inDatabase(t, `UPDATE events SET received = received + 1 WHERE account = 'acct-2'`)
	out, _, err := recoup(append(against, key)...)
	if err == nil || exitCode(err) != exitFailedCheck {
		t.Errorf("it ends with %v", err)
	}
	for _, want := range []string{"│ acct-1  │     1 │ sealed event ", "│ acct-2  │     1 │ sealed event ", "│ acct-2  │     1 │ events 1 to 1 │ as the checkpoint signed them │ changed since │", "Differences: 3.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it prints\n%s, want %q", out, want)
		}
	}
}
