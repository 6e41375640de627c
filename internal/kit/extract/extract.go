// Package extract writes what a ledger has as plain tables of a SQLite file: accounts,
// entries, events and the items of these, for people who want to ask questions in SQL. The file is a copy,
// and nothing reads it back.
package extract

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // "sqlite"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// schema is what people find in the file. Amounts are minor units of the account's
// currency, times texts of RFC 3339 in UTC.
const schema = `
CREATE TABLE accounts (
	account   TEXT PRIMARY KEY,
	program   TEXT NOT NULL,
	currency  TEXT NOT NULL,
	status    TEXT NOT NULL,    -- open or closed
	latest    TEXT,             -- the account's latest time
	events    INTEGER NOT NULL, -- that are logged
	balance   INTEGER NOT NULL, -- negative: a debt
	held      INTEGER NOT NULL, -- of the balance, not redeemable yet
	available INTEGER NOT NULL, -- balance less held and reserved
	redeemed  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE entries (
	account     TEXT NOT NULL,
	number      INTEGER NOT NULL, -- counts the account's entries from 1
	at          TEXT NOT NULL,
	cycle       TEXT NOT NULL,    -- on whose statement it is
	kind        TEXT NOT NULL,
	amount      INTEGER NOT NULL,
	balance     INTEGER NOT NULL, -- after it
	source      TEXT NOT NULL,    -- with event, what caused it
	event       TEXT NOT NULL,
	"transaction" TEXT NOT NULL,
	fact        TEXT NOT NULL,    -- redemption or adjustment
	program     TEXT NOT NULL,
	version     INTEGER NOT NULL,
	rule        TEXT NOT NULL,
	reason      TEXT NOT NULL,
	actor       TEXT NOT NULL,
	approver    TEXT NOT NULL,
	item        TEXT NOT NULL,    -- of the transaction, '' for all of it
	PRIMARY KEY (account, number)
) WITHOUT ROWID;
CREATE TABLE items (
	event    INTEGER NOT NULL, -- number of the event that lists them
	position INTEGER NOT NULL, -- in its list, from 1
	account  TEXT NOT NULL,
	"transaction" TEXT NOT NULL, -- of a refund that names none: ''
	refund   TEXT NOT NULL,    -- '' where they are what was bought
	item     TEXT NOT NULL,
	amount   INTEGER NOT NULL,
	category TEXT NOT NULL,
	mcc      TEXT NOT NULL,
	PRIMARY KEY (event, position)
) WITHOUT ROWID;
CREATE TABLE events (
	number   INTEGER PRIMARY KEY,
	account  TEXT NOT NULL,
	sequence INTEGER NOT NULL, -- counts the account's events from 1
	received TEXT NOT NULL,
	time     TEXT NOT NULL,
	source   TEXT NOT NULL,
	id       TEXT NOT NULL,
	type     TEXT NOT NULL,
	outcome  TEXT NOT NULL,
	code     TEXT NOT NULL,
	event    TEXT NOT NULL,    -- as it was delivered
	principal TEXT NOT NULL    -- id of who sent it; '' where the log does not say
);`

// indexes are made when all rows are there, which takes a third of the time.
const indexes = `
CREATE INDEX entries_transaction ON entries ("transaction") WHERE "transaction" <> '';
CREATE UNIQUE INDEX events_account ON events (account, sequence);
CREATE UNIQUE INDEX events_identity ON events (account, source, id);`

const (
	insertAccount = `INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertEntry   = `INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertItem    = `INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertEvent   = `INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// Counts are how many rows were written.
type Counts struct{ Accounts, Entries, Events int64 }

// SQLite writes a ledger to an empty file, as one snapshot has it. After an error the
// file is to be thrown away.
func SQLite(ctx context.Context, file string, s *durable.Store) (n Counts, err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=locking_mode(exclusive)")
	if err != nil {
		return n, err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return n, fmt.Errorf("%s: %w", file, err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return n, err
	}
	defer tx.Rollback()
	w := writer{ctx: ctx, decoder: event.NewDecoder()}
	for statement, into := range map[string]**sql.Stmt{insertAccount: &w.account, insertEntry: &w.entry, insertEvent: &w.event, insertItem: &w.item} {
		if *into, err = tx.PrepareContext(ctx, statement); err != nil {
			return n, err
		}
	}
	if err := s.EachWithEvents(ctx, w.standing, w.logged); err != nil {
		return n, err
	}
	if _, err := tx.ExecContext(ctx, indexes); err != nil {
		return n, fmt.Errorf("%s: %w", file, err)
	}
	return w.n, tx.Commit()
}

// writer writes rows.
type writer struct {
	ctx                         context.Context
	account, entry, event, item *sql.Stmt
	decoder                     *event.Decoder
	postings                    []reward.Posting
	n                           Counts
}

func (w *writer) standing(v *durable.Standing) error {
	status := "open"
	if v.Closed {
		status = "closed"
	}
	w.n.Accounts++
	_, err := w.account.ExecContext(w.ctx, v.Account, v.Program, v.Currency, status, moment(v.Latest), v.Version,
		v.Balance, v.Held, v.Balance-v.Held-v.Reserved, v.Redeemed)
	if err != nil {
		return fmt.Errorf("account %q: %w", v.Account, err)
	}
	return nil
}

func (w *writer) logged(row *durable.EventRow) error {
	failed := func(err error) error {
		return fmt.Errorf("account %q, event %d: %w", row.Account, row.Sequence, err)
	}
	var e reward.Event
	if err := w.decoder.Decode(row.Event, &e); err != nil {
		return failed(err)
	}
	w.n.Events++
	if _, err := w.event.ExecContext(w.ctx, row.Number, row.Account, row.Sequence, moment(row.Received), moment(e.Time),
		row.Source, row.ID, row.Type, row.Outcome.String(), row.Code.String(), string(row.Event), row.Principal); err != nil {
		return failed(err)
	}
	if err := w.items(row.Number, &e); err != nil {
		return failed(err)
	}
	var err error
	if w.postings, err = ledger.ParsePostings(row.Postings, row.Account, w.postings[:0]); err != nil {
		return failed(err)
	}
	for i := range w.postings {
		p := &w.postings[i]
		w.n.Entries++
		if _, err := w.entry.ExecContext(w.ctx, p.Account, p.Number, moment(p.At), p.Cycle.String(), p.Kind.String(), p.Amount, p.Balance,
			p.Source, p.Event, p.Transaction, p.Fact, p.Program, p.Version, p.Rule, p.Reason, p.Actor, p.Approver, p.Item); err != nil {
			return failed(err)
		}
	}
	return nil
}

// items writes the items that an event lists.
func (w *writer) items(number int64, e *reward.Event) error {
	position := 0
	for x := range e.Items.All() {
		position++
		if _, err := w.item.ExecContext(w.ctx, number, position, e.Account, e.Transaction, e.Fact, x.ID, x.Amount, x.Category, x.MCC.String()); err != nil {
			return err
		}
	}
	return nil
}

// moment is a time as text, NULL for none.
func moment(at reward.Instant) any {
	if at == 0 {
		return nil
	}
	return at.String()
}
