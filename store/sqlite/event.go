package sqlite

import (
	"context"
	"fmt"
	"math"
	"slices"

	"recoup/reward"
	"recoup/store/durable"
)

const (
	eventWrite = `INSERT INTO events (number, account, sequence, before, received, source, id, type, outcome, code, event, postings)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	eventQuery    = `SELECT account, sequence, before, received, source, id, type, outcome, code, event, postings FROM events WHERE number = ?`
	beforeQuery   = `SELECT before FROM events WHERE number = ?`
	lineQuery     = `SELECT event FROM events WHERE number = ?`
	identityQuery = `SELECT number FROM identities WHERE account = ? AND source = ? AND id = ?`
	identityWrite = `INSERT INTO identities (account, source, id, number) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
	newestQuery   = `SELECT max(number) FROM events`
)

// missing is the error for an event that the log should have.
func missing(number int64) error {
	return fmt.Errorf("the log has no event %d, to which another row refers: the database is damaged; restore it from a backup", number)
}

// writeEvent appends an event to the log.
func (c *conn) writeEvent(e *durable.EventRow) error {
	return c.query(eventWrite).int(e.Number).text(e.Account).int(e.Sequence).int(e.Before).int(int64(e.Received)).
		text(e.Source).text(e.ID).text(e.Type).int(int64(e.Outcome)).int(int64(e.Code)).blob(e.Event).blob(e.Postings).run()
}

// event reads an event by its number; ok is false if there is none.
func (c *conn) event(number int64, into *durable.EventRow) (ok bool, err error) {
	q := c.query(eventQuery).int(number)
	if ok = q.next(); ok {
		*into = durable.EventRow{
			Number: number, Account: q.textAt(0), Sequence: q.intAt(1), Before: q.intAt(2), Received: reward.Instant(q.intAt(3)),
			Source: q.textAt(4), ID: q.textAt(5), Type: q.textAt(6), Outcome: reward.Outcome(q.intAt(7)), Code: reward.Code(q.intAt(8)),
			Event: q.blobAt(9), Postings: q.blobAt(10),
		}
	}
	return ok, q.end()
}

// mustEvent reads an event that has to be there.
func (c *conn) mustEvent(number int64, into *durable.EventRow) error {
	ok, err := c.event(number, into)
	if err == nil && !ok {
		return missing(number)
	}
	return err
}

// numberOf returns the number of the event that was logged under an identity, 0
// for none.
func (s *source) numberOf(id durable.Identity) (number int64, err error) {
	if number := s.identity(id); number != 0 {
		return number, nil
	}
	if !s.backlog.mayHaveIdentity(id) {
		return 0, nil
	}
	q := s.conn.query(identityQuery).text(id.Account).text(id.Source).text(id.ID)
	if q.next() {
		number = q.intAt(0)
	}
	return number, q.end()
}

// line returns the event with a number as it is on the wire.
func (c *conn) line(number int64) (line []byte, err error) {
	q := c.query(lineQuery).int(number)
	if q.next() {
		line = q.blobAt(0)
	} else if q.err == nil {
		q.err = missing(number)
	}
	return line, q.end()
}

// Event implements durable.Reader. The backlog may know the identity of an event
// that is too new for the snapshot, and so not in its log.
func (s *source) Event(ctx context.Context, id durable.Identity) (row durable.EventRow, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return row, false, err
	}
	number, err := s.numberOf(id)
	if err != nil || number == 0 {
		return row, false, err
	}
	ok, err = s.conn.event(number, &row)
	return row, ok, err
}

// Numbered implements durable.Reader.
func (s *source) Numbered(ctx context.Context, number int64) (row durable.EventRow, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return row, false, err
	}
	ok, err = s.conn.event(number, &row)
	return row, ok, err
}

// Numbers implements durable.Reader.
func (s *source) Numbers(ctx context.Context, from int64, limit int) ([]int64, error) {
	return s.conn.numbersBack(ctx, from, limit, nil)
}

// Events implements durable.Reader.
func (s *source) Events(ctx context.Context, from int64, limit int) ([]durable.EventRow, error) {
	var list []durable.EventRow
	for number := from; number != 0 && len(list) < limit; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var e durable.EventRow
		if err := s.conn.mustEvent(number, &e); err != nil {
			return nil, err
		}
		list = append(list, e)
		number = e.Before
	}
	return list, nil
}

// EventsOf implements durable.Reader. The log has no index by account: events of
// an account are found from the newest backwards, first just their numbers.
func (s *source) EventsOf(ctx context.Context, first, last string, f func(*durable.EventRow) error) error {
	var (
		numbers []int64
		e       durable.EventRow
	)
	for {
		ids, err := s.accountsFrom(ctx, first, 256)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if last != "" && id > last {
				return nil
			}
			row, _, err := s.row(id, -1)
			if err != nil {
				return err
			}
			if numbers, err = s.conn.numbersBack(ctx, row.Last, math.MaxInt, numbers[:0]); err != nil {
				return err
			}
			for _, number := range slices.Backward(numbers) {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := s.conn.mustEvent(number, &e); err != nil {
					return err
				}
				if err := f(&e); err != nil {
					return err
				}
			}
		}
		first = ids[len(ids)-1] + "\x00"
	}
}

// numbersBack appends the numbers of up to limit of an account's events, the newest
// first.
func (c *conn) numbersBack(ctx context.Context, newest int64, limit int, dst []int64) ([]int64, error) {
	for number := newest; number != 0 && limit > 0; limit-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dst = append(dst, number)
		q := c.query(beforeQuery).int(number)
		if q.next() {
			before := q.intAt(0)
			if before >= number {
				q.err = missing(before) // a chain that does not end
			}
			number = before
		} else if q.err == nil {
			q.err = missing(number)
		}
		if err := q.end(); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
