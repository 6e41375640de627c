package pebble

import (
	"bytes"
	"context"
	"fmt"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// source reads what a unit of work or a reader sees.
type source struct {
	from   lsm.Reader
	points *lsm.Iterator // for single keys; nil until there is one
	spans  *lsm.Iterator // for what lies next to each other; nil until there is one
}

// get returns what is under a key, until the next get.
func (s *source) get(k key) (v []byte, ok bool, err error) {
	if s.points == nil {
		// Most of what is looked up is not there, so the filters of the lowest level,
		// which has nearly everything, are worth their memory.
		if s.points, err = s.from.NewIter(&lsm.IterOptions{UseL6Filters: true}); err != nil {
			return nil, false, failure(err)
		}
	}
	if s.points.SeekPrefixGE(k) && bytes.Equal(s.points.Key(), k) {
		v, err := s.points.ValueAndErr()
		return v, err == nil, ofAccount(k, err)
	}
	return nil, false, ofAccount(k, s.points.Error())
}

// seek is get for a key that is likely to be there, and for several of them in their
// order: what lies next to each other is then read at once.
func (s *source) seek(k key) (v []byte, ok bool, err error) {
	if err := s.spanning(); err != nil {
		return nil, false, err
	}
	if s.spans.SeekGE(k) && bytes.Equal(s.spans.Key(), k) {
		v, err := s.spans.ValueAndErr()
		return v, err == nil, ofAccount(k, err)
	}
	return nil, false, ofAccount(k, s.spans.Error())
}

func (s *source) spanning() (err error) {
	if s.spans == nil {
		s.spans, err = s.from.NewIter(nil)
	}
	return failure(err)
}

// under calls f with the keys that begin with a prefix, until it returns false or an
// error. It is for few of them, and may not be called within f.
func (s *source) under(prefix key, f func(k, v []byte) (more bool, err error)) (err error) {
	if err := s.spanning(); err != nil {
		return err
	}
	for ok := s.spans.SeekGE(prefix); ok && bytes.HasPrefix(s.spans.Key(), prefix); ok = s.spans.Next() {
		v, err := s.spans.ValueAndErr()
		more := false
		if err == nil {
			more, err = f(s.spans.Key(), v)
		}
		if err != nil || !more {
			return ofAccount(prefix, err)
		}
	}
	return ofAccount(prefix, s.spans.Error())
}

// close releases what get, seek and under hold, whose errors have been returned.
func (s *source) close() {
	for _, it := range []**lsm.Iterator{&s.points, &s.spans} {
		if *it != nil {
			(*it).Close()
			*it = nil
		}
	}
}

// scan calls f with the keys from one on and before another until it returns false or an
// error. What it is given may be used until it returns.
func (s *source) scan(ctx context.Context, from, before key, f func(k []byte, v []byte) (bool, error)) (err error) {
	if bytes.Compare(from, before) >= 0 {
		return ctx.Err()
	}
	it, err := s.from.NewIter(&lsm.IterOptions{LowerBound: from, UpperBound: before})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = ofAccount(from, closing)
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := it.ValueAndErr()
		if err != nil {
			return ofAccount(it.Key(), err)
		}
		if more, err := f(it.Key(), v); err != nil || !more {
			return err
		}
	}
	return nil
}

// failure says of an error of the tree how far it reaches.
func failure(err error) error {
	if err == nil || store.ReachOf(err) != store.Unknown {
		return err
	}
	if lsm.IsCorruptionError(err) {
		err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	return &store.Failure{Reach: store.Database, Err: fmt.Errorf("reading the database: %w", err)}
}

// ofAccount is failure for what was read under a key: a block that is damaged keeps the
// account from being read that the key is of, and no other.
func ofAccount(k []byte, err error) error {
	if err == nil {
		return nil
	}
	if lsm.IsCorruptionError(err) && len(k) > 0 && (k[0] == accountSpace || k[0] == historySpace) {
		s := keyOf(k)
		if id := s.text(); !s.Bad {
			return damaged(id, err)
		}
	}
	return failure(err)
}

// damaged says that something of one account cannot be read.
func damaged(account string, err error) error {
	return &store.Failure{Reach: store.OneAccount, Account: account, Err: err}
}

func damagedPart(k durable.PartKey, err error) error {
	return damaged(k.Account, &reward.CorruptError{Account: k.Account, Kind: k.Kind, ID: k.ID, Problem: err.Error()})
}
