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

// span checks the accounts of a span, as many at a time as have so many events.
func (w *worker) span(ctx context.Context, r durable.Reader, s span) error {
	// Seals are read before the accounts are, and so never ahead of them, even of
	// a database that is several with a snapshot each.
	seals, err := readSeals(ctx, r, s.keys())
	if err != nil {
		return err
	}
	rows, err := accountRows(ctx, r, s)
	if err != nil {
		return err
	}
	w.strays(seals, rows)
	after := s.after
	for first := true; first || len(rows) > 0; first = false {
		n, events := 0, int64(0)
		for n < len(rows) && (n == 0 || events+rows[n].Version <= eventsAtATime) {
			events += rows[n].Version
			n++
		}
		upTo := s.upTo
		if n < len(rows) {
			upTo = rows[n-1].Account
		}
		group := group{rows: rows[:n], leaves: cutLeaves(&s.leaves, upTo), seals: seals, after: after, upTo: upTo, only: s.only}
		if err := w.group(ctx, r, &group); err != nil {
			return err
		}
		after, rows = upTo, rows[n:]
	}
	return nil
}

// keys is the span of the keys of seals of a span.
func (s *span) keys() record.Span {
	keys := accountSpan(s.after, s.upTo)
	if s.only {
		keys.From = record.Key(s.upTo)
	}
	return keys
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

// accountRows returns the rows of the accounts of a span.
func accountRows(ctx context.Context, r durable.Reader, s span) (rows []accountRow, err error) {
	if s.only {
		return readRow(ctx, r, s.upTo)
	}
	for after := s.after; ; after = rows[len(rows)-1].Account {
		page, err := readRows(ctx, r, after, accountsAtATime)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if s.upTo != "" && page[i].Account > s.upTo {
				return rows, nil
			}
			rows = append(rows, page[i])
		}
		if len(page) < accountsAtATime {
			return rows, nil
		}
	}
}

// cutLeaves takes off the leaves up to an account, all for "".
func cutLeaves(leaves *[]Leaf, upTo string) []Leaf {
	n := 0
	for n < len(*leaves) && (upTo == "" || (*leaves)[n].Account <= upTo) {
		n++
	}
	cut := (*leaves)[:n]
	*leaves = (*leaves)[n:]
	return cut
}

// group is the accounts of a span that are at hand at the same time.
type group struct {
	rows        []accountRow
	leaves      []Leaf
	seals       map[string]keptSeal
	after, upTo string // see span
	only        bool
}

// group checks a group. Where the driver finds the log damaged, or gives events
// that it was not asked for, each account is checked by itself, and those whose
// log is damaged with what can be found of it.
func (w *worker) group(ctx context.Context, r durable.Reader, g *group) error {
	list, err := w.expect(ctx, r, g)
	if err != nil {
		return err
	}
	before := w.tally
	if g.only {
		err = w.accounts(list, "", func(f func(*durable.EventRow) error) error { return r.EventsOf(ctx, g.upTo, g.upTo, f) })
	} else {
		err = w.accounts(list, g.after, func(f func(*durable.EventRow) error) error { return r.EventsOf(ctx, g.after, g.upTo, f) })
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	w.tally = before
	if list, err = w.expect(ctx, r, g); err != nil {
		return err
	}
	for i := range list {
		if err := w.alone(ctx, r, list[i:i+1]); err != nil {
			return err
		}
	}
	return nil
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

// expect reads what is kept of the accounts of a group, and puts those among them
// that only the checkpoint knows of.
func (w *worker) expect(ctx context.Context, r durable.Reader, g *group) (list []expected, err error) {
	rows, leaves := g.rows, g.leaves
	for len(rows) > 0 || len(leaves) > 0 {
		var e expected
		if len(rows) == 0 || len(leaves) > 0 && leaves[0].Account < rows[0].Account {
			e.kept = &kept{id: leaves[0].Account}
		} else {
			if e.kept, err = readKept(ctx, r, rows[0]); err != nil {
				return nil, err
			}
			e.kept.seal = g.seals[record.Key(e.kept.id)]
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

// accounts checks the accounts whose events it is given, by account and in
// order, against those expected; but it skips an account that was checked before.
func (w *worker) accounts(list []expected, skip string, events func(func(*durable.EventRow) error) error) error {
	open, last := false, ""
	err := events(func(row *durable.EventRow) error {
		if row.Account == skip {
			return nil
		}
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
