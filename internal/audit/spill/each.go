package spill

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"golang.org/x/sync/errgroup"

	"recoup/internal/audit/history"
)

const (
	// stretches of hashes are what workers take in turn.
	stretches = 256
	// largeAccount is how many rows are kept room for between accounts.
	largeAccount = 1 << 14
)

// Each calls f with every account of the store's shard once, with all its rows in
// the order of history.Sort. Calls come from so many workers at once (at least
// one), numbered from 0; a worker's calls come one after the other. A history is
// the caller's until f returns: its rows are used again then. The texts of a row
// share their memory with each other and no other row's.
//
// The first error of f, of ctx or of reading ends it and is returned. Each may be
// called again, and hands everything out again.
func (s *Store) Each(ctx context.Context, workers int, f func(worker int, h *history.History) error) error {
	if err := s.finish(); err != nil {
		return err
	}
	s.reading.RLock()
	defer s.reading.RUnlock()
	if err := s.usable(); err != nil {
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
	files := make([][]sstable.ReadableFile, len(s.tables))
	for i, t := range s.tables {
		files[i] = []sstable.ReadableFile{t}
	}
	var options pebble.Options
	options.EnsureDefaults()
	from, err := pebble.NewExternalIter(&options, nil, files)
	if err != nil {
		return s.damaged(err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	var account []history.Row
	deliver := func() error {
		if len(account) == 0 {
			return nil
		}
		err := give(&history.History{Account: account[0].Account, Rows: account[:len(account):len(account)]})
		if clear(account); cap(account) > largeAccount {
			account = nil // others need less
		}
		account = account[:0]
		return err
	}
	name := ""
	for i := taken.Add(1); i <= stretches; i = taken.Add(1) {
		var end []byte // the last has none
		if i < stretches {
			end = bound(i)
		}
		from.SetBounds(bound(i-1), end)
		for more := from.First(); more; more = from.Next() {
			row, err := readRow(from.Key(), from.Value(), name)
			if err != nil {
				return err
			}
			if row.Account != name {
				if err := deliver(); err != nil {
					return err
				}
				name = row.Account
			}
			account = append(account, row)
		}
		if err := errors.Join(s.damaged(from.Error()), deliver()); err != nil {
			return err
		}
	}
	return nil
}

// bound is where a stretch begins.
func bound(stretch int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(stretch)<<56) }

// damaged says which file an error is about.
func (s *Store) damaged(err error) error {
	if err == nil || s.file.Handle() == nil {
		return err
	}
	return fmt.Errorf("temporary file for %s: %s is damaged or cannot be read: %w", s.file.Name, s.file.Handle().Name(), err)
}
