package verify

import (
	"context"
	"errors"
	"fmt"

	"recoup/store"
	"recoup/store/durable"
)

// A driver may find the events of an account by going from one to the next, and
// then a damaged log, or an event that nothing leads to, does not come up. What
// follows looks for such events in the table itself.

// census counts the events of the log, so that those that do not come up are
// missed. It looks no further than the last number when the check began.
type census struct {
	last, events int64
	seen         int64 // events up to last that came up
}

func takeCensus(ctx context.Context, db Database) (c census, err error) {
	err = db.View(ctx, func(r durable.Reader) (err error) {
		c.last, c.events, err = r.Census(ctx)
		return err
	})
	if err != nil {
		return census{}, fmt.Errorf("counting the events: %w", err)
	}
	return c, nil
}

// finish names what no account leads to.
func (c *run) finish(ctx context.Context) error {
	var t tally
	err := c.db.View(ctx, func(r durable.Reader) error {
		t = tally{}
		if err := c.cutShort(&t, "events that nothing leads to", c.orphans(ctx, r, &t)); err != nil {
			return err
		}
		return c.cutShort(&t, "rows without an account", c.strays(ctx, r, &t))
	})
	c.found.add(t.list, t.count)
	return err
}

// cutShort takes an error of a search over the whole database. What cannot be read of
// one account has ended the search, which is a difference like others.
func (c *run) cutShort(t *tally, search string, err error) error {
	var f *store.Failure
	if errors.As(err, &f) && f.Reach == store.OneAccount {
		c.astray(t, Difference{f.Account, 0, "search for " + search, "one that comes to its end", f.Err.Error()})
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for %s: %w", search, err)
	}
	return nil
}

// orphans names the events that no later event and no account leads to, if any
// were missed. Numbers below the last may still have been allotted, but not
// committed, when they were counted; so more may come up than were counted.
func (c *run) orphans(ctx context.Context, r durable.Reader, t *tally) error {
	missed := c.census.events - c.census.seen
	if missed <= 0 {
		return nil
	}
	err := r.Orphans(ctx, c.census.last, func(row *durable.EventRow) error {
		c.astray(t, Difference{row.Account, row.Sequence, "event", "a later one, or an account, that leads to it", "none"})
		return nil
	})
	if err == nil && t.count == 0 {
		c.astray(t, Difference{"", 0, "events that no account leads to", "none", fmt.Sprint(missed)})
	}
	return err
}

// strays names accounts of which there are rows besides accounts and events, and
// no account. Seals without an account come up in their span.
func (c *run) strays(ctx context.Context, r durable.Reader, t *tally) error {
	return r.Strays(ctx, func(kind, account string, rows int64) error {
		c.stray(t, kind, account, rows)
		return nil
	})
}

func (c *run) stray(t *tally, kind, account string, rows int64) {
	c.astray(t, Difference{account, 0, "rows in " + kind, "none, as there is no account", fmt.Sprint(rows)})
}

// astray notes a difference that is of no account that there is.
func (c *run) astray(t *tally, d Difference) {
	if t.count++; len(t.list) < c.found.most {
		t.list = append(t.list, d)
	}
}
