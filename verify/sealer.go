package verify

import (
	"context"
	"fmt"

	"recoup/store/durable"
	"recoup/store/record"
)

// sealPage is how many accounts are sealed at a time.
const sealPage = 500

// Sealer seals the log in the background: it goes round the accounts, a few at a
// time, and seals what each has that is not sealed yet. So it adds nothing to the
// way of an event, and what it costs at a time is bounded by the accounts that it
// looks at and their new events. Several processes may seal the same database:
// what they write is the same, and a seal never goes back. A Sealer itself is not
// safe for concurrent use.
type Sealer struct {
	db     Database
	after  string // the account that it looked at last; "": it begins anew
	trail  trail
	failed error // about the first account whose log cannot be read
}

// NewSealer returns a Sealer that begins with the first account.
func NewSealer(db Database) *Sealer { return &Sealer{db: db} }

// Seal looks at the next accounts, at about so many or once at all of them, and
// returns how many events it sealed. An account whose log cannot be read is left
// out; the error names the first.
func (s *Sealer) Seal(ctx context.Context, accounts int) (sealed int, err error) {
	for more := true; more && accounts > 0; accounts -= sealPage {
		page, n, err := s.page(ctx, s.after)
		if err != nil {
			return sealed, fmt.Errorf("sealing the log: %w", err)
		}
		sealed += n
		if more = len(page) == sealPage; more {
			s.after = page[len(page)-1].account
		} else {
			s.after = ""
		}
	}
	err, s.failed = s.failed, nil
	return sealed, err
}

// Seal seals all that is not sealed yet, until it has sealed about limit events,
// and returns how many it sealed. It looks at the accounts from the first.
func Seal(ctx context.Context, db Database, limit int) (sealed int, err error) {
	s := NewSealer(db)
	for sealed < limit && err == nil {
		var n int
		n, err = s.Seal(ctx, sealPage)
		sealed += n
		if s.after == "" {
			break
		}
	}
	return sealed, err
}

// backlog is an account with what of it is sealed, and what is not.
type backlog struct {
	account string
	sealed  keptSeal // sequence 0: nothing is
	last    int64    // number of its latest event
	events  int64    // that are not sealed
	damage  error    // why its row cannot be read
}

// page seals the next accounts and returns them, and how many events it sealed.
func (s *Sealer) page(ctx context.Context, after string) (page []backlog, sealed int, err error) {
	var fresh []freshSeal
	err = s.db.View(ctx, func(r durable.Reader) (err error) {
		if page, err = readBacklog(ctx, r, after); err == nil {
			sealed, fresh, err = s.extendAll(ctx, r, page)
		}
		return err
	})
	if err == nil {
		err = putSeals(ctx, s.db, fresh)
	}
	return page, sealed, err
}

// readBacklog reads what is sealed of the next accounts, and what is not.
func readBacklog(ctx context.Context, r durable.Reader, after string) ([]backlog, error) {
	rows, err := readRows(ctx, r, after, sealPage)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	seals, err := readSeals(ctx, r, accountSpan(after, rows[len(rows)-1].Account))
	if err != nil {
		return nil, err
	}
	page := make([]backlog, len(rows))
	for i := range rows {
		sealed := seals[record.Key(rows[i].Account)]
		page[i] = backlog{rows[i].Account, sealed, rows[i].Last, rows[i].Version - sealed.sequence, rows[i].damage}
	}
	return page, nil
}

// extendAll brings the seals of accounts up to their latest events, and returns
// how many events those are and the seals that are to be written.
func (s *Sealer) extendAll(ctx context.Context, r durable.Reader, page []backlog) (sealed int, fresh []freshSeal, err error) {
	for i := range page {
		b := &page[i]
		n, err := s.extend(ctx, r, b)
		if ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if err != nil && s.failed == nil {
			s.failed = fmt.Errorf("sealing account %q: %w; run recoup verify", b.account, err)
		}
		if n > 0 {
			b.sealed.seal = s.trail.seal()
			fresh = append(fresh, freshSeal{b.account, b.sealed.seal})
		}
		sealed += n
	}
	return sealed, fresh, nil
}

// extend follows an account's log from its seal to its end, or to where it is
// broken: Run names that, and also a seal that makes no sense.
func (s *Sealer) extend(ctx context.Context, r durable.Reader, b *backlog) (added int, err error) {
	if b.damage != nil || b.events <= 0 || b.sealed.damage != nil {
		return 0, b.damage
	}
	s.trail.start(b.account)
	if b.sealed.sequence > 0 {
		s.trail.resume(&b.sealed.seal)
	}
	next := func(row *durable.EventRow) error {
		if row.Account == b.account && row.Sequence == s.trail.sequence+1 {
			s.trail.add(row)
			added++
		}
		return nil
	}
	if b.events > pageSize {
		err := r.EventsOf(ctx, b.account, b.account, next)
		return added, err
	}
	events, err := r.Events(ctx, b.last, int(b.events))
	if err != nil {
		return 0, err
	}
	for i := range events {
		_ = next(&events[len(events)-1-i]) // never fails
	}
	return added, nil
}
