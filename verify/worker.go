package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"recoup/store"
	"recoup/store/durable"
	"recoup/store/record"
)

// worker checks one span after the other.
type worker struct {
	*run
	*examination
	tally tally
}

// tally is what came out of one span.
type tally struct {
	accounts, events, postings, sealed int64
	early                              int64 // of the events; see census

	list  []Difference
	count int64
}

// expected is an account that ought to have events.
type expected struct {
	kept *kept
	leaf *Leaf
}

func (w *worker) work(ctx context.Context, s span) error {
	err := w.db.View(ctx, func(r durable.Reader) error {
		w.tally = tally{}
		return w.span(ctx, r, s)
	})
	if err != nil {
		return err
	}
	w.deliver(&w.tally)
	return nil
}

// span checks the accounts of a span. Where the driver finds the log damaged, or gives
// events that it was not asked for, each account is checked by itself, and those whose
// log is damaged with what can be found of it.
func (w *worker) span(ctx context.Context, r durable.Reader, s span) error {
	// Seals are read before the accounts are, and so never ahead of them, even of
	// a database that is several with a snapshot each.
	seals, err := readSeals(ctx, r, s.keys())
	if err != nil {
		return err
	}
	rows, err := s.rows(ctx, r)
	if err != nil {
		return err
	}
	w.strays(seals, rows)
	list, err := expect(ctx, r, rows, s.leaves, seals)
	if err != nil {
		return err
	}
	before := w.tally
	err = w.accounts(list, func(f func(*durable.EventRow) error) error { return s.events(ctx, r, f) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	w.tally = before
	if list, err = expect(ctx, r, rows, s.leaves, seals); err != nil {
		return err
	}
	for i := range list {
		if err := w.alone(ctx, r, list[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// strays names the seals that are of none of the accounts of a span.
func (w *worker) strays(seals map[string]keptSeal, rows []accountRow) {
	there := make(map[string]bool, len(rows))
	for i := range rows {
		there[record.Key(rows[i].Account)] = true
	}
	for key := range seals {
		if !there[key] {
			w.stray(&w.tally, sealTable, sealedAccount(key), 1)
		}
	}
}

// alone checks one account.
func (w *worker) alone(ctx context.Context, r durable.Reader, account []expected) error {
	id := account[0].kept.id
	var events []durable.EventRow
	collect := func(row *durable.EventRow) error {
		if row.Account != id {
			return fmt.Errorf("its log leads to event %d, which is of account %q", row.Number, row.Account)
		}
		kept := *row
		kept.Event, kept.Postings = bytes.Clone(row.Event), bytes.Clone(row.Postings)
		events = append(events, kept)
		return nil
	}
	damage := r.EventsOf(ctx, id, id, collect)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if damage != nil {
		var err error
		if events, err = r.Loose(ctx, id); err != nil {
			if damage = errors.Join(damage, err); store.ReachOf(err) != store.OneAccount {
				return damage
			}
			events = nil
		}
	}
	w.start(account[0].kept, account[0].leaf)
	for i := range events {
		w.event(&events[i])
	}
	if damage != nil {
		w.differ(0, "log", "one event that leads to the next", damage.Error())
	}
	w.finish()
	return nil
}

// expect reads what is kept of accounts, and puts those among them that only the
// checkpoint knows of.
func expect(ctx context.Context, r durable.Reader, rows []accountRow, leaves []Leaf, seals map[string]keptSeal) (list []expected, err error) {
	for len(rows) > 0 || len(leaves) > 0 {
		var e expected
		if len(rows) == 0 || len(leaves) > 0 && leaves[0].Account < rows[0].Account {
			e.kept = &kept{id: leaves[0].Account}
		} else {
			if e.kept, err = readKept(ctx, r, rows[0]); err != nil {
				return nil, err
			}
			e.kept.seal = seals[record.Key(e.kept.id)]
			rows = rows[1:]
		}
		if len(leaves) > 0 && leaves[0].Account == e.kept.id {
			e.leaf, leaves = &leaves[0], leaves[1:]
		}
		list = append(list, e)
	}
	return list, nil
}

// errDisorder: events came in an order that they cannot have in a sound log.
var errDisorder = errors.New("events of accounts are not in order")

// accounts checks the accounts whose events it is given, by account and in order,
// against those expected.
func (w *worker) accounts(list []expected, events func(func(*durable.EventRow) error) error) error {
	open, last := false, ""
	err := events(func(row *durable.EventRow) error {
		if open && row.Account != w.kept.id {
			w.finish()
			open = false
		}
		if !open {
			if row.Account <= last {
				return errDisorder
			}
			last = row.Account
			for len(list) > 0 && list[0].kept.id < row.Account {
				w.start(list[0].kept, list[0].leaf)
				w.finish()
				list = list[1:]
			}
			if len(list) > 0 && list[0].kept.id == row.Account {
				w.start(list[0].kept, list[0].leaf)
				list = list[1:]
			} else {
				w.start(&kept{id: row.Account}, nil)
			}
			open = true
		}
		w.event(row)
		return nil
	})
	if err != nil {
		return err
	}
	if open {
		w.finish()
	}
	for _, e := range list {
		w.start(e.kept, e.leaf)
		w.finish()
	}
	return nil
}

// finish ends the account at hand and adds it to the tally.
func (w *worker) finish() {
	x, t := w.examination, &w.tally
	x.finish()
	if x.events > 0 || x.kept.there {
		t.accounts++
	}
	t.events += x.events
	t.early += x.early
	t.postings += x.journal.book.Entries
	if x.seal != nil {
		t.sealed += min(x.seal.sequence, x.events)
	}
	t.list, t.count = append(t.list, x.list...), t.count+x.count
}

// deliver adds the tally of a span to the report.
func (c *run) deliver(t *tally) {
	c.found.add(t.list, t.count)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.report
	r.Accounts += t.accounts
	r.Events += t.events
	r.Postings += t.postings
	r.Sealed += t.sealed
	c.census.seen += t.early
	if c.options.Checked != nil {
		c.options.Checked(r.Accounts)
	}
}
