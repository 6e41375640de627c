package verify

import (
	"context"
	"fmt"

	"recoup/reward"
	"recoup/store/durable"
)

// A driver may find the events of an account by going from one to the next, and
// then a damaged log, or an event that nothing leads to, does not come up. What
// follows looks for such events in the table itself.

// looseEvents returns all events that the log has of an account, whether or not
// one leads to the next.
func looseEvents(ctx context.Context, db Database, account string) (list []durable.EventRow, err error) {
	rows, err := db.DB().QueryContext(ctx, db.Rebind(
		`SELECT number, sequence, before, received, source, id, type, outcome, code, event, postings FROM events WHERE account = $1 ORDER BY sequence, number`), account)
	if err != nil {
		return nil, fmt.Errorf("reading the events of account %q: %w", account, err)
	}
	defer rows.Close()
	for rows.Next() {
		e := durable.EventRow{Account: account}
		if err := rows.Scan(&e.Number, &e.Sequence, &e.Before, (*int64)(&e.Received), &e.Source, &e.ID, &e.Type, &e.Outcome, &e.Code, &e.Event, &e.Postings); err != nil {
			return nil, fmt.Errorf("reading the events of account %q: %w", account, err)
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// census counts the events of the log, so that those that do not come up are
// missed. It looks no further than the last number when the check began.
type census struct {
	last, events int64
	seen         int64 // events up to last that came up
}

func takeCensus(ctx context.Context, db Database) (c census, err error) {
	if err := db.DB().QueryRowContext(ctx, `SELECT COALESCE(max(number), 0), count(*) FROM events`).Scan(&c.last, &c.events); err != nil {
		return c, fmt.Errorf("counting the events: %w", err)
	}
	return c, nil
}

// orphans names the events that no later event and no account leads to, if any
// were missed. Numbers below the last may still have been allotted, but not
// committed, when they were counted; so more may come up than were counted.
func (c *run) orphans(ctx context.Context) error {
	missed := c.census.events - c.census.seen
	if missed <= 0 {
		return nil
	}
	named, err := c.nameOrphans(ctx)
	if err != nil {
		return fmt.Errorf("looking for events that nothing leads to: %w", err)
	}
	if named == 0 {
		c.found.add([]Difference{{"", 0, "events that no account leads to", "none", fmt.Sprint(missed)}}, 1)
	}
	return nil
}

func (c *run) nameOrphans(ctx context.Context) (named int, err error) {
	rows, err := c.db.DB().QueryContext(ctx, c.db.Rebind(
		`SELECT events.account, events.sequence, events.number FROM events LEFT JOIN events AS later ON later.before = events.number`+
			` WHERE later.number IS NULL AND events.number <= $1 ORDER BY events.account, events.sequence`), c.census.last)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var account string
		var sequence, number int64
		if err := rows.Scan(&account, &sequence, &number); err != nil {
			return named, err
		}
		row, _, err := accountRow(ctx, c.db, account)
		if err != nil {
			return named, err
		}
		if row.Last != number {
			named++
			c.found.add([]Difference{{account, sequence, "event", "a later one, or an account, that leads to it", "none"}}, 1)
		}
	}
	return named, rows.Err()
}

// accountRow reads the row of an account.
func accountRow(ctx context.Context, db Database, id string) (row durable.AccountRow, ok bool, err error) {
	err = db.View(ctx, func(r durable.Reader) (err error) {
		row, ok, err = r.Account(ctx, id)
		return err
	})
	return row, ok, err
}

// strays names accounts of which there are rows besides accounts and events, and
// no account.
func (c *run) strays(ctx context.Context) error {
	var tables []string
	for kind := reward.TransactionPart; kind <= reward.BucketPart; kind++ {
		tables = append(tables, kind.String()+"s")
	}
	for _, table := range append(tables, "statements", "seals") {
		if err := c.straysIn(ctx, table); err != nil {
			return fmt.Errorf("looking for strays in %s: %w", table, err)
		}
	}
	return nil
}

// straysIn asks the driver again about the accounts that the table of accounts
// does not have: it may have yet to be brought there.
func (c *run) straysIn(ctx context.Context, table string) error {
	rows, err := c.db.DB().QueryContext(ctx, `SELECT account, count(*) FROM `+table+
		` WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account = `+table+`.account) GROUP BY account ORDER BY account`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var n int64
		if err := rows.Scan(&id, &n); err != nil {
			return err
		}
		_, there, err := accountRow(ctx, c.db, id)
		if err != nil {
			return err
		}
		if !there {
			c.found.add([]Difference{{id, 0, "rows in " + table, "none, as there is no account", fmt.Sprint(n)}}, 1)
		}
	}
	return rows.Err()
}
