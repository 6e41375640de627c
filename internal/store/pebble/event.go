package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// numbered reads the event with a number, over the one read before. What it has is the
// caller's. The account is that which something said it is of, "" if nothing did.
func (s *source) numbered(number int64, account string, e *durable.EventRow) (ok bool, err error) {
	v, ok, err := s.get(make(key, 0, 9).event(number))
	if ok {
		err = readEvent(number, bytes.Clone(v), e)
	}
	return ok && err == nil, ofEvent(number, account, err)
}

// ofEvent says how far it reaches that an event could not be read.
func ofEvent(number int64, account string, err error) error {
	switch {
	case err == nil:
		return nil
	case lsm.IsCorruptionError(err), errors.Is(err, errDamaged):
		err = fmt.Errorf("event %d is damaged: %w", number, err)
		if account == "" {
			return fmt.Errorf("%w: %w", store.ErrDamaged, err)
		}
		return damaged(account, err)
	}
	return failure(err)
}

// mustEvent reads an event of an account that something has led to.
func (s *source) mustEvent(number int64, account string, e *durable.EventRow) error {
	ok, err := s.numbered(number, account, e)
	if err == nil && !ok {
		err = missing(number, account)
	}
	return err
}

func missing(number int64, account string) error {
	return damaged(account, fmt.Errorf("event %d is not in the log, though something leads to it", number))
}

// eventAt reads the event that an identity of an account leads to.
func (s *source) eventAt(v []byte, account string, e *durable.EventRow) error {
	at, err := readReference(v)
	if err != nil {
		return damaged(account, err)
	}
	return s.mustEvent(at.number, account, e)
}

// Event implements durable.Reader.
func (r *reader) Event(ctx context.Context, id durable.Identity) (e durable.EventRow, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return e, false, err
	}
	v, ok, err := r.get(key{}.identity(id))
	if err != nil || !ok {
		return e, false, err
	}
	err = r.eventAt(v, id.Account, &e)
	return e, err == nil, err
}

// Numbered implements durable.Reader.
func (r *reader) Numbered(ctx context.Context, number int64) (e durable.EventRow, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return e, false, err
	}
	ok, err = r.numbered(number, "", &e)
	return e, ok, err
}

// Events implements durable.Reader.
func (s *source) Events(ctx context.Context, from int64, limit int) (list []durable.EventRow, err error) {
	err = s.back(ctx, from, limit, func(e *durable.EventRow) { list = append(list, *e) })
	return list, err
}

// Numbers implements durable.Reader.
func (r *reader) Numbers(ctx context.Context, from int64, limit int) (list []int64, err error) {
	err = r.back(ctx, from, limit, func(e *durable.EventRow) { list = append(list, e.Number) })
	return list, err
}

// back follows the chain of an account's events backwards.
func (s *source) back(ctx context.Context, from int64, limit int, f func(*durable.EventRow)) error {
	var e durable.EventRow
	for number := from; number != 0 && limit > 0; limit-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.mustEvent(number, e.Account, &e); err != nil {
			return err
		}
		if e.Before >= number {
			return missing(e.Before, e.Account) // a chain that does not end
		}
		number = e.Before
		f(&e)
	}
	return nil
}

// LogBack implements durable.Reader.
func (r *reader) LogBack(ctx context.Context, before, after int64, types []reward.Type, f func(*durable.EventRow) (bool, error)) (err error) {
	wanted := make(map[string]bool, len(types))
	for _, t := range types {
		wanted[t.String()] = true
	}
	if before <= after {
		return ctx.Err()
	}
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: key{}.event(after + 1), UpperBound: key{}.event(before)})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = failure(closing)
		}
	}()
	var e durable.EventRow
	for ok := it.Last(); ok; ok = it.Prev() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := eventOn(it, &e); err != nil {
			return err
		}
		if !wanted[e.Type] || e.Outcome != reward.Applied && e.Outcome != reward.Parked {
			continue
		}
		if more, err := f(&e); err != nil || !more {
			return err
		}
	}
	return nil
}

// eventOn reads the event that an iterator is on.
func eventOn(it *lsm.Iterator, e *durable.EventRow) error {
	s := keyOf(it.Key())
	number := s.int()
	v, err := it.ValueAndErr()
	if err == nil {
		err = errors.Join(s.err(), readEvent(number, v, e))
	}
	return ofEvent(number, "", err)
}
