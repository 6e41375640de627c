package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/cli"
	"recoup/internal/engine"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// withdrawals are what an older program was told: a purchase, and the withdrawal of an attribute that
// has not come.
func withdrawals() []reward.Event {
	at := reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))
	return []reward.Event{
		{Source: "core", ID: "e1", Account: "acct-1", Time: at, Type: reward.TransactionSettled, Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: "USD"},
		{Source: "core", ID: "e2", Account: "acct-1", Time: at + reward.Day, Type: reward.AttributeWithdrawn, Fact: "offer-1"},
	}
}

// at opens a ledger, with a store over it.
func (in insider) at(f func(*durable.Database, *durable.Store) error) {
	in.Helper()
	db, err := openOrCreate(in.Context(), in.db)
	if err != nil {
		in.Fatal(err)
	}
	defer in.close(db)
	programs, err := programs.Open(in.Context(), db)
	if err != nil {
		in.Fatal(err)
	}
	if _, known := programs.Default(); !known {
		if _, _, err := programs.Put(in.Context(), "everyday", []byte(everyday), 0, "test"); err != nil {
			in.Fatal(err)
		}
	}
	now := func() reward.Instant { return reward.At(time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC)) }
	if err := f(db, durable.Over(db, durable.Options{Programs: programs, Now: now})); err != nil {
		in.Fatal(err)
	}
}

func (in insider) play(events []reward.Event) {
	in.Helper()
	in.at(func(_ *durable.Database, store *durable.Store) error {
		_, err := engine.New(store).Apply(in.Context(), events, nil)
		return err
	})
}

// olderWithdrawal makes of a new ledger what the program wrote before withdrawals were on the review
// list: it knew no part of them, and of an attribute no more than that it was withdrawn before it came.
func (in insider) olderWithdrawal() {
	in.Helper()
	events := withdrawals()
	in.play(events[:1])
	twin := insider{in.TB, "twin"}
	twin.play(events)
	var c durable.Changes
	twin.write("acct-1", func(r durable.Inspector) (durable.Changes, error) {
		rows, err := r.Loose(in.Context(), "acct-1")
		if err != nil {
			return durable.Changes{}, err
		}
		row, _, err := r.Account(in.Context(), "acct-1")
		if err != nil {
			return durable.Changes{}, err
		}
		parts, err := r.Find(in.Context(), durable.Query{Account: "acct-1", Kind: reward.BucketPart, Page: true, Limit: 100})
		for i := range parts {
			if parts[i].ID == "attributes" {
				c.Parts = append(c.Parts, parts[i])
			}
		}
		row.Base = row.Version - 1
		c.Accounts, c.Events = []durable.AccountRow{row}, rows[1:]
		return durable.Changes{}, err
	})
	older := binary.AppendVarint(binary.AppendVarint(nil, 3), 1) // the format, and one attribute
	older = append(append(older, byte(len("offer-1"))), "offer-1"...)
	older = append(older, 0, 0, 0) // no name, value nor since when
	if len(c.Parts) != 1 || len(c.Events) != 1 || !bytes.HasPrefix(c.Parts[0].Data, older) {
		in.Fatalf("%+v", c)
	}
	c.Parts[0].Data = binary.AppendVarint(older, 3) // withdrawn, and never heard of
	in.at(func(db *durable.Database, _ *durable.Store) error {
		return db.Lanes()[db.LaneOf("acct-1")].Update(in.Context(), func(tx durable.Tx) error {
			found, err := tx.Load(in.Context(), &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{-1}, Numbers: 1})
			if err != nil {
				return err
			}
			c.Events[0].Number, c.Accounts[0].Last = found.Numbers[0], found.Numbers[0]
			return tx.Write(in.Context(), &c)
		})
	})
	if !strings.HasPrefix(in.db, "postgres:") {
		return
	}
	conn, err := pgx.Connect(in.Context(), in.db)
	if err != nil {
		in.Fatal(err)
	}
	defer conn.Close(in.Context())
	for _, statement := range []string{ // 0011 and 0010 backwards
		`DROP INDEX transactions_settled`, `DROP INDEX redemptions_review, redemptions_review_of`, `DROP TABLE attributes`, `DELETE FROM migrations WHERE version_id >= 10`,
	} {
		if _, err := conn.Exec(in.Context(), statement); err != nil {
			in.Fatal(statement, err)
		}
	}
}

// listed are the attributes on the review list of a ledger.
func (in insider) listed() (ids string) {
	in.Helper()
	in.at(func(_ *durable.Database, store *durable.Store) error {
		list, _, _, err := store.Reviews(in.Context(), durable.ReviewFilter{}, durable.ReviewPlace{}, 100)
		for _, v := range list {
			if v.Kind == reward.WaitsForAttribute {
				ids += v.Fact + " since " + v.Since.Time().Format(time.DateOnly)
			}
		}
		return err
	})
	return ids
}

// TestOlderWithdrawalsOfAttributesAreListed: of a ledger from before they were, once it was rebuilt, and
// an account by itself once that was.
func TestOlderWithdrawalsOfAttributesAreListed(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		const want = "offer-1 since 2026-01-06"
		in := insider{t, db}
		in.olderWithdrawal()
		if strings.HasPrefix(db, "postgres:") {
			if _, _, err := recoup("verify", "--db", db); err == nil || !strings.Contains(err.Error(), "run `recoup migrate`") {
				t.Errorf("before it is migrated: %v", err)
			}
			if _, _, err := recoup("migrate", "up", "--db", db); err != nil {
				t.Fatal(err)
			}
		}
		if r := rebuildJSON(t, db, "new"); r.Accounts != 1 || r.Events != 2 || r.Count != 0 || len(r.Changes) != 0 {
			t.Errorf("%+v", r)
		}
		if got := (insider{t, "new"}).listed(); got != want {
			t.Errorf("rebuilt, %q is listed", got)
		}
		succeed(t, "verify", "--db", "new")

		if got := in.listed(); got != "" {
			t.Errorf("%q is listed", got)
		}
		if stdout, _, err := recoup("verify", "--db", db); cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(stdout, "offer-1") {
			t.Errorf("verify says %v\n%s", err, stdout)
		}
		succeed(t, "account", "rebuild", "--db", db, "acct-1")
		if got := in.listed(); got != want {
			t.Errorf("made anew, %q is listed", got)
		}
		if out := succeed(t, "verify", "--db", db); !strings.HasSuffix(out, "No differences.\n") {
			t.Errorf("verify prints\n%s", out)
		}
	})
}
