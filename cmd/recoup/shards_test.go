package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/cli"
	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// told runs a command that also says on standard error what it has done, and returns what
// it prints.
func told(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, err := recoup(args...)
	if err != nil {
		t.Fatalf("recoup %v: %v\n%s", args, err, stderr)
	}
	return out
}

// newShards makes a ledger of shards in two databases and returns its file.
func newShards(t *testing.T, file string, count int) string {
	t.Helper()
	pg := pgtest.Shared(t)
	told(t, "shards", "init", "--file", file, "--shards", fmt.Sprint(count), "--url", pg.NewDatabase(t), "--url", pg.NewDatabase(t))
	return file
}

// TestShardsAnswerAsOneDatabase: what is read of many shards side by side is what is read
// of one database, in its order and to the byte.
func TestShardsAnswerAsOneDatabase(t *testing.T) {
	workspace(t)
	one, many := pgtest.Shared(t).NewDatabase(t), newShards(t, "shards.yaml", 5)
	journalOf(t, one)
	journalOf(t, many)
	// One account has more events than are read ahead of their turn.
	for _, db := range []string{one, many} {
		busy(t, db, "busy", 6600)
	}
	same := func(what string, args func(db string) []string) {
		t.Helper()
		a, b := told(t, args(one)...), told(t, args(many)...)
		if a != b {
			t.Errorf("%s of one database is\n%.2000s\nand of shards\n%.2000s", what, a, b)
		}
		if len(a) < 100 {
			t.Errorf("%s is %q", what, a)
		}
	}
	for _, format := range []string{"hledger", "beancount", "csv"} {
		same(format, func(db string) []string { return []string{"export", "journal", "--db", db, "--format", format} })
	}
	same("the journal of cardholders", func(db string) []string {
		return []string{"export", "journal", "--db", db, "--format", "hledger", "--by-account", "--from", "2026-02-01", "--until", "2027-01-01T00:00:00Z"}
	})

	// What is written to a file of tables is the same but for the numbers of events.
	tables := func(db string) (list []string) {
		told(t, "export", "sqlite", "--db", db, "tables.db")
		defer os.Remove("tables.db")
		file, err := sql.Open("sqlite", "tables.db")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for _, query := range []string{
			"SELECT * FROM accounts ORDER BY account", "SELECT * FROM entries ORDER BY account, number",
			"SELECT account, sequence, time, source, id, type, outcome, code, event FROM events ORDER BY account, sequence",
		} {
			rows, err := file.Query(query)
			if err != nil {
				t.Fatal(err)
			}
			names, _ := rows.Columns()
			for rows.Next() {
				values, into := make([]any, len(names)), make([]any, len(names))
				for i := range values {
					into[i] = &values[i]
				}
				if err := rows.Scan(into...); err != nil {
					t.Fatal(err)
				}
				list = append(list, fmt.Sprint(values...))
			}
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return list
	}
	if a, b := tables(one), tables(many); !slices.Equal(a, b) || len(a) < 1000 {
		t.Errorf("the tables have %d rows, and those of shards %d, or other ones", len(a), len(b))
	}

	// Rebuilt into shards or out of them, the log is the same.
	for _, step := range []struct{ from, to string }{{one, newShards(t, "rebuilt.yaml", 3)}, {many, "rebuilt"}} {
		if r := rebuildJSON(t, step.from, step.to); r.Count != 0 || r.Accounts < 250 {
			t.Errorf("rebuilding differs: %+v", r)
		}
		if a, b := told(t, "export", "journal", "--db", one, "--format", "csv"), told(t, "export", "journal", "--db", step.to, "--format", "csv"); a != b {
			t.Errorf("what was rebuilt of %s is another journal", step.from)
		}
	}

	// What a checkpoint covers is checked in each shard, by its own leaves, and leaves of
	// another checkpoint are none.
	key := strings.TrimSpace(succeed(t, "checkpoint", "keygen", "--key-file", "key", "rewards.example.com"))
	for db, note := range map[string]string{one: "one.note", many: "many.note"} {
		succeed(t, "checkpoint", "--db", db, "--key-file", "key", "-o", note)
		out := succeed(t, "verify", "--db", db, "--checkpoint", note, "--key", key, "--read-only")
		if !strings.Contains(out, "No differences.") {
			t.Errorf("verify --checkpoint prints\n%s", out)
		}
	}
	if err := refuse(t, "verify", "--db", many, "--checkpoint", "many.note", "--leaves", "one.note.leaves", "--key", key); !strings.Contains(err, "is not that of the checkpoint") {
		t.Errorf("with other leaves verify says %q", err)
	}

	// What is wrong is found in whichever shard it is, and listed in the order of accounts.
	damaged := damage(t, many, 7)
	in := func(args ...string) string {
		t.Helper()
		out, _, err := recoup(append([]string{"verify", "--db", many, "--read-only"}, args...)...)
		if err == nil || cli.ExitCode(err) != cli.FailedCheck {
			t.Errorf("verify %v ends with %v", args, err)
		}
		return out
	}
	for _, workers := range []string{"1", "3", "16"} {
		last := -1
		out := in("--workers", workers)
		for _, id := range damaged {
			at := strings.Index(out, id+" ")
			if at <= last {
				t.Errorf("%s is not in its place:\n%s", id, out)
			}
			last = at
		}
	}
	if out := in("--list", "3", "--workers", "5"); !strings.Contains(out, damaged[2]) || strings.Contains(out, damaged[3]) {
		t.Errorf("of %v the first three are\n%s", damaged, out)
	}
}

// busy has an account with so many events.
func busy(t *testing.T, db, account string, count int) {
	t.Helper()
	d, err := openDatabase(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	programs, err := programs.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	events := make([]reward.Event, count)
	for i := range events {
		id := fmt.Sprint("b", i)
		events[i] = reward.Event{Source: "core", ID: id, Account: account, Time: reward.At(at.Add(time.Duration(i) * time.Hour)), Type: reward.TransactionSettled, Transaction: id, Amount: 1000, HasAmount: true, Currency: "USD"}
	}
	store := durable.Over(d, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	if _, err := engine.New(store).Apply(t.Context(), events, nil); err != nil {
		t.Fatal(err)
	}
}

// damage gives some accounts another version than they have, and returns them in order.
func damage(t *testing.T, db string, count int) (ids []string) {
	t.Helper()
	d, err := openDatabase(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.View(t.Context(), func(r durable.Reader) (err error) {
		ids, err = r.Accounts(t.Context(), "", count)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		err := d.Lanes()[d.LaneOf(id)].Update(context.Background(), func(tx durable.Tx) error {
			found, err := tx.Load(t.Context(), &durable.Request{Accounts: []string{id}, Held: []int64{-1}})
			if err != nil {
				return err
			}
			row := found.Accounts[0]
			row.Base, row.Version = row.Version, row.Version+3
			return tx.Write(t.Context(), &durable.Changes{Accounts: []durable.AccountRow{row}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}
