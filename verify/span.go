package verify

import (
	"context"

	"recoup/store/durable"
	"recoup/store/record"
)

// span is a piece of work: the accounts after one and up to another.
type span struct {
	after, upTo string // "": from the first, to the last
	only        bool   // the one account upTo
	leaves      []Leaf // of accounts in the span, which may be gone
}

// A span has about so many events, which a worker has at hand with what is kept of
// their accounts; a longer account is taken alone. A database that has the events in
// the order in which they came reads the faster the more it is asked for at a time;
// but there are to be some spans for each worker.
const (
	fewestAtATime  = 4 << 10
	mostAtATime    = 64 << 10
	spansPerWorker = 8
)

// accountsAtATime is how many rows of accounts are read at once.
const accountsAtATime = 128

// atATime is how many events a span has.
func (c *run) atATime() int64 {
	return max(fewestAtATime, min(mostAtATime, c.census.events/int64(spansPerWorker*c.options.Workers)))
}

// divide divides the accounts into spans, with the leaves of the checkpoint that
// fall into each.
func (c *run) divide(ctx context.Context, emit func(span) error) error {
	leaves := leafQueue{from: c.options.Leaves}
	if id := c.options.Account; id != "" {
		own, err := leaves.of(id)
		if err == nil {
			err = leaves.belongTo(c.options.Checkpoint)
		}
		if err != nil {
			return err
		}
		return emit(span{upTo: id, only: true, leaves: own})
	}
	atATime := c.atATime()
	open, last, events := span{}, "", int64(0)
	for more := true; more; {
		var rows []accountRow
		err := c.db.View(ctx, func(r durable.Reader) (err error) {
			rows, err = readRows(ctx, r, last, accountsAtATime)
			return err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			if events > 0 && events+rows[i].Version > atATime {
				open.upTo = last
				if open.leaves, err = leaves.upTo(last); err == nil {
					err = emit(open)
				}
				if err != nil {
					return err
				}
				open, events = span{after: last}, 0
			}
			last, events = rows[i].Account, events+rows[i].Version
		}
		more = len(rows) == accountsAtATime
	}
	var err error
	if open.leaves, err = leaves.upTo(""); err == nil {
		err = emit(open)
	}
	if err != nil {
		return err
	}
	return leaves.belongTo(c.options.Checkpoint)
}

// keys is the span of the keys of seals of a span.
func (s *span) keys() record.Span {
	keys := accountSpan(s.after, s.upTo)
	if s.only {
		keys.From = record.Key(s.upTo)
	}
	return keys
}

// rows returns the rows of the accounts of a span.
func (s *span) rows(ctx context.Context, r durable.Reader) (rows []accountRow, err error) {
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

// events calls f with the events of the accounts of a span.
func (s *span) events(ctx context.Context, r durable.Reader, f func(*durable.EventRow) error) error {
	first := s.after
	switch {
	case s.only:
		first = s.upTo
	case first != "":
		first += "\x01" // no name of an account comes between
	}
	return r.EventsOf(ctx, first, s.upTo, f)
}
