package spill

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"recoup/internal/intake/history"
)

const (
	stretches    = 256     // of hashes, which workers take in turn
	largeAccount = 1 << 14 // rows that room is kept for between accounts
)

// Each calls f with every account of the store's shard once, with all its rows. Calls come
// from so many workers at once (at least one), numbered from 0; a worker's calls come one
// after the other. A history is the caller's until f returns: its rows are used again then.
// The texts of a row share their memory with no other row's.
//
// The first error of f, of ctx or of reading ends it and is returned. Each may be called
// again, and hands everything out again.
func (s *Store) Each(ctx context.Context, workers int, f func(worker int, h *history.History) error) error {
	if err := s.finish(); err != nil {
		return err
	}
	var taken atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for worker := range max(workers, 1) {
		group.Go(func() error {
			return s.hand(&taken, func(h *history.History) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return f(worker, h)
			})
		})
	}
	return group.Wait()
}

// hand hands out the accounts of one stretch after the other, those that others took aside.
func (s *Store) hand(taken *atomic.Int64, give func(*history.History) error) (err error) {
	var options pebble.Options
	options.EnsureDefaults()
	from, err := pebble.NewExternalIter(&options, nil, s.tables)
	if err != nil {
		return s.damaged(err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	var h history.History
	for i := taken.Add(1); i <= stretches; i = taken.Add(1) {
		var end []byte // the last stretch has none
		if i < stretches {
			end = []byte{byte(i)}
		}
		from.SetBounds([]byte{byte(i - 1)}, end)
		for more := from.First(); ; more = from.Next() {
			row, err := history.Row{}, s.damaged(from.Error())
			if more {
				row, err = readRow(from.Key(), from.Value(), h.Account)
			}
			if err != nil {
				return err
			}
			if len(h.Rows) > 0 && (!more || row.Account != h.Account) {
				if err := give(&h); err != nil {
					return err
				}
				if clear(h.Rows); cap(h.Rows) > largeAccount {
					h.Rows = nil // others need less
				}
				h.Rows = h.Rows[:0]
			}
			if !more {
				break
			}
			h.Account, h.Rows = row.Account, append(h.Rows, row)
		}
	}
	return nil
}

// damaged says which file an error is about.
func (s *Store) damaged(err error) error {
	if err == nil || s.file.Handle() == nil {
		return err
	}
	return fmt.Errorf("temporary file for %s: %s is damaged or cannot be read: %w", s.file.Name, s.file.Handle().Name(), err)
}
