package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/cli"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// history is what happens to alice-7731, who returns something without a receipt, is paid out
// and leaves, and to bob, who shops where she does.
const history = `{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"alice-7731","data":{"transaction":"t1","amount":10000,"currency":"USD","merchant":"Corner-Bakery","category":"GROCERY"}}
{"specversion":"1.0","id":"e2","source":"core","type":"transaction.settled","time":"2026-01-06T10:00:00Z","subject":"alice-7731","data":{"transaction":"t2","amount":10000,"currency":"USD","merchant":"Night-Pharmacy","category":"GROCERY"}}
{"specversion":"1.0","id":"e3","source":"core","type":"refund.posted","time":"2026-01-07T10:00:00Z","subject":"alice-7731","data":{"refund":"r1","amount":4000,"currency":"USD","merchant":"Corner-Bakery"}}
{"specversion":"1.0","id":"e4","source":"core","type":"refund.dismissed","time":"2026-01-08T10:00:00Z","subject":"alice-7731","data":{"refund":"r1","reason":"Mrs Liddell has the receipt","actor":"Oscar"}}
{"specversion":"1.0","id":"e5","source":"core","type":"adjustment.posted","time":"2026-01-09T10:00:00Z","subject":"alice-7731","data":{"adjustment":"j1","amount":100,"currency":"USD","reason":"sorry, Mrs Liddell","actor":"Oscar"}}
{"specversion":"1.0","id":"e6","source":"core","type":"redemption.requested","time":"2026-01-10T10:00:00Z","subject":"alice-7731","data":{"redemption":"d1","amount":260,"currency":"USD","method":"IBAN-DE89"}}
{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-11T10:00:00Z","subject":"bob","data":{"transaction":"t9","amount":10000,"currency":"USD","merchant":"Day-Pharmacy","category":"GROCERY"}}
`

const closing = `{"specversion":"1.0","id":"e7","source":"core","type":"account.closed","time":"2026-01-12T10:00:00Z","subject":"alice-7731","data":{}}
`

// hers is what tells who she is.
var hers = []string{"alice-7731", "Corner-Bakery", "Night-Pharmacy", "Liddell", "IBAN-DE89"}

func TestAnAccountIsForgotten(t *testing.T) {
	for name, newDatabase := range map[string]func() string{
		"pebble":   func() string { return "data" },
		"postgres": func() string { return pgtest.NewSchema(t) },
	} {
		t.Run(name, func(t *testing.T) {
			workspace(t)
			db := newDatabase()
			writeFile(t, "events.jsonl", history)
			recoupDone(t, "load", "--db", db, "--program", "program.yaml", "events.jsonl")
			if _, _, err := recoup("forget", "--db", db, "alice-7731"); cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), "nothing is forgotten: it is not closed") {
				t.Errorf("of an account that is open: %v", err)
			}
			writeFile(t, "closing.jsonl", closing)
			recoupDone(t, "load", "--db", db, "closing.jsonl")
			key := recoupDone(t, "checkpoint", "keygen", "--key-file", "signing.key", "rewards.example.com")
			recoupDone(t, "checkpoint", "--db", db, "--key-file", "signing.key", "--to", "kept.checkpoint")
			before := recoupDone(t, "export", "journal", "--db", db, "--format", "csv")
			lines := recoupDone(t, "export", "events", "--db", db)
			if found := traces(t, db, hers); len(found) != len(hers) {
				t.Errorf("before, the database has only %q of hers", found)
			}

			if _, _, err := recoup("forget", "--db", db, "--reason", "asked by alice-7731", "alice-7731"); err == nil || !strings.Contains(err.Error(), "--reason: it names the account") {
				t.Errorf("of a reason that names her: %v", err)
			}
			out := recoupDone(t, "forget", "--db", db, "--reason", "request 17", "alice-7731")
			pseudonym := regexp.MustCompile(`forgotten-\S{22}`).FindString(out)
			if pseudonym == "" || !strings.Contains(out, "its 7 events") {
				t.Fatalf("it says %s", out)
			}

			recoupDone(t, "verify", "--db", db, "--checkpoint", "kept.checkpoint", "--key", strings.TrimSpace(key))
			redacted := recoupDone(t, "export", "journal", "--db", db, "--format", "csv")
			if without(redacted, pseudonym) != without(before, "alice-7731") {
				t.Errorf("the journal was\n%s\nand is\n%s", before, redacted)
			}
			if found := traces(t, db, hers); len(found) > 0 {
				t.Errorf("the database still has %q", found)
			}
			if log := recoupDone(t, "security-log", "--db", db); !strings.Contains(log, `"account_forgotten"`) || !strings.Contains(log, pseudonym+": request 17") {
				t.Errorf("the security log has\n%s", log)
			}

			replayed := recoupDone(t, "export", "events", "--db", db)
			if bobs := regexp.MustCompile(`(?m)^.*"bob".*$`); bobs.FindString(replayed) != bobs.FindString(lines) {
				t.Error("what another account was sent is not what it was")
			}
			writeFile(t, "redacted.jsonl", replayed)
			recoupDone(t, "load", "--db", "again", "--replay", "--program", "program.yaml", "redacted.jsonl")
			if again := recoupDone(t, "export", "journal", "--db", "again", "--format", "csv"); again != redacted {
				t.Errorf("what is left of the log leads to\n%s, want\n%s", again, redacted)
			}
			recoupDone(t, "account", "rebuild", "--db", db, pseudonym)
			recoupDone(t, "rebuild", "--from", db, "--to", "anew")
			if anew := recoupDone(t, "export", "journal", "--db", "anew", "--format", "csv"); anew != redacted {
				t.Errorf("rebuilt, the journal is\n%s, want\n%s", anew, redacted)
			}

			for _, account := range []string{"alice-7731", "nobody"} {
				if _, _, err := recoup("forget", "--db", db, account); cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), "there is no such account") {
					t.Errorf("once more, or of nobody: %v", err)
				}
			}
			if _, _, err := recoup("forget", "--db", db, "--force", pseudonym); err == nil || !strings.Contains(err.Error(), "it has no erasure key") {
				t.Errorf("of an account that is forgotten: %v", err)
			}

			tampered(t, db, pseudonym)
			if _, _, err := recoup("verify", "--db", db, "--checkpoint", "kept.checkpoint", "--key", strings.TrimSpace(key)); cli.ExitCode(err) != cli.FailedCheck {
				t.Errorf("an event of a forgotten account was changed, and verify says %v", err)
			}
		})
	}
}

func TestAnAccountIsForgottenBesideAService(t *testing.T) {
	workspace(t)
	writeFile(t, "events.jsonl", history+closing)
	recoupDone(t, "load", "--db", "data", "--program", "program.yaml", "events.jsonl")
	s := served(t, "--db", "data", "--dev")
	if status, body := s.get(t, "/v1/accounts/alice-7731"); status != 200 {
		t.Fatalf("before, she is answered %d %s", status, body)
	}
	said, _, err := recoup("forget", "--db", "data", "alice-7731")
	for tries := 0; err != nil && strings.Contains(err.Error(), "try again") && tries < 100; tries++ { // the service closes her statements meanwhile
		said, _, err = recoup("forget", "--db", "data", "alice-7731")
	}
	if err != nil {
		t.Fatal(err)
	}
	pseudonym := regexp.MustCompile(`forgotten-\S{22}`).FindString(said)
	if status, body := s.get(t, "/v1/accounts/alice-7731"); status != 404 {
		t.Errorf("she is answered %d %s", status, body)
	}
	if status, body := s.get(t, "/v1/accounts/"+pseudonym); status != 200 || !strings.Contains(body, `"balance":0`) {
		t.Errorf("under the other name there is %d %s", status, body)
	}
	if status, body := s.get(t, "/v1/accounts/bob"); status != 200 {
		t.Errorf("another is answered %d %s", status, body)
	}
	recoupDone(t, "verify", "--db", "data")
	s.end()
	recoupDone(t, "verify", "--db", "data")
	if found := traces(t, "data", hers); len(found) > 0 {
		t.Errorf("the database still has %q", found)
	}
}

// without is a journal whose lines are in the order of their moments and have neither their
// numbers, which go by the names of accounts, nor one of these names, nor what is personal.
func without(journal, account string) string {
	personal := regexp.MustCompile(`sorry, Mrs Liddell|forgotten:[\w-]{22}`)
	lines := strings.Split(strings.ReplaceAll(journal, account, "ACCOUNT"), "\n")
	for i := range lines {
		_, lines[i], _ = strings.Cut(personal.ReplaceAllString(lines[i], "REASON"), ",")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// traces are what of some texts a database still has, in whichever file or row.
func traces(t *testing.T, db string, texts []string) (found []string) {
	t.Helper()
	var raw []byte
	if strings.HasPrefix(db, "postgres") {
		raw = everyRow(t, db)
	} else {
		// The list of files names keys at their borders: the last but one goes when the
		// folder is opened again.
		recoupDone(t, "keys", "list", "--db", db)
		recoupDone(t, "keys", "list", "--db", db)
		err := filepath.WalkDir(db, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			raw = append(raw, text...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range texts {
		if bytes.Contains(raw, []byte(text)) || bytes.Contains(raw, []byte(hex.EncodeToString([]byte(text)))) {
			found = append(found, text)
		}
	}
	return found
}

// everyRow is all that the tables of a schema have, as text.
func everyRow(t *testing.T, db string) (raw []byte) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, _ := conn.Query(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for i := 0; i < len(names) && err == nil; i++ {
		var texts []string
		rows, _ := conn.Query(ctx, "SELECT x::TEXT FROM "+pgx.Identifier{names[i]}.Sanitize()+" x")
		texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
		raw = append(raw, strings.Join(texts, "\n")...)
	}
	if err != nil || len(names) == 0 {
		t.Fatalf("reading %d tables: %v", len(names), err)
	}
	return raw
}

// tampered changes what no reward depends on in the log of a forgotten account.
func tampered(t *testing.T, db, account string) {
	t.Helper()
	ctx := context.Background()
	d, err := openDatabase(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Lanes()[0].Forget(ctx, account, func(_ record.Reader, log []durable.EventRow) (*durable.Changes, error) {
		log[3].Event = bytes.Replace(log[3].Event, []byte("Oscar"), []byte("Oskar"), 1)
		return &durable.Changes{Events: log}, nil
	})
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
}
