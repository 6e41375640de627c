package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"recoup/internal/cli"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// onAccount changes what is kept of the account of `purchase`, behind the engine's back.
func onAccount(t *testing.T, db string, change func(tx durable.Tx, row durable.AccountRow) (*durable.Changes, error)) {
	t.Helper()
	d, err := openDatabase(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Lanes()[0].Update(context.Background(), func(tx durable.Tx) error {
		found, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{-1}})
		if err != nil {
			return err
		}
		row := found.Accounts[0]
		row.Base = row.Version
		c, err := change(tx, row)
		if err != nil {
			return err
		}
		return tx.Write(context.Background(), c)
	})
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedAccountIsMadeAnew(t *testing.T) {
	for name, newDatabase := range map[string]func() string{
		"pebble":   func() string { return "data" },
		"postgres": func() string { return pgtest.NewSchema(t) },
	} {
		t.Run(name, func(t *testing.T) {
			workspace(t)
			db := newDatabase()
			recoupDone(t, "load", "--db", db, "--program", "program.yaml", "events.jsonl")
			before := recoupDone(t, "export", "journal", "--db", db, "--format", "csv")
			for what, change := range map[string]func(durable.Tx, durable.AccountRow) (*durable.Changes, error){
				"the row": func(_ durable.Tx, row durable.AccountRow) (*durable.Changes, error) {
					row.Head = []byte("garbled")
					return &durable.Changes{Accounts: []durable.AccountRow{row}}, nil
				},
				"a transaction": func(tx durable.Tx, row durable.AccountRow) (*durable.Changes, error) {
					parts, err := tx.Find(context.Background(), durable.Query{Account: row.Account, Kind: reward.TransactionPart, Page: true, Limit: 1})
					if err != nil {
						return nil, err
					}
					parts[0].Data = []byte("garbled")
					return &durable.Changes{Parts: parts}, nil
				},
			} {
				onAccount(t, db, change)
				if _, _, err := recoup("verify", "--db", db); cli.ExitCode(err) != cli.FailedCheck {
					t.Fatalf("%s is damaged, and verify says %v", what, err)
				}
				if out := recoupDone(t, "account", "rebuild", "--db", db, "acct-1"); !strings.Contains(out, "account acct-1 was made anew from its 1 events") {
					t.Errorf("it says %s", out)
				}
				recoupDone(t, "verify", "--db", db)
			}
			if after := recoupDone(t, "export", "journal", "--db", db, "--format", "csv"); after != before {
				t.Errorf("the journal was\n%s\nand is\n%s", before, after)
			}
			if _, _, err := recoup("account", "rebuild", "--db", db, "nobody"); cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), "there is no such account") {
				t.Errorf("of nobody: %v", err)
			}
		})
	}
}

// What the log says has to be what was logged.
func TestAnAccountIsNotMadeAnewFromALogThatIsChanged(t *testing.T) {
	workspace(t)
	recoupDone(t, "load", "--db", "data", "--program", "program.yaml", "events.jsonl")
	d, err := openDatabase(context.Background(), "data")
	if err != nil {
		t.Fatal(err)
	}
	var row durable.EventRow
	err = d.View(context.Background(), func(r durable.Reader) error {
		return r.EventsOf(context.Background(), "acct-1", "acct-1", func(e *durable.EventRow) error {
			row = *e
			row.Event, row.Postings = bytes.Replace(e.Event, []byte("10000"), []byte("90000"), 1), bytes.Clone(e.Postings)
			return nil
		})
	})
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	onAccount(t, "data", func(_ durable.Tx, a durable.AccountRow) (*durable.Changes, error) {
		a.Head = []byte("garbled")
		return &durable.Changes{Accounts: []durable.AccountRow{a}, Events: []durable.EventRow{row}}, nil
	})
	_, _, err = recoup("account", "rebuild", "--db", "data", "acct-1")
	if cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(err.Error(), "its log does not verify") || !strings.Contains(err.Error(), "restore the database from a backup") {
		t.Errorf("it ends with %v", err)
	}
}

// recoupDone runs a command that has to succeed, whatever it says on standard error.
func recoupDone(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := recoup(args...)
	if err != nil {
		t.Fatalf("recoup %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return stdout
}
