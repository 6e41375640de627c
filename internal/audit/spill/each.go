package spill

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recoup/internal/audit/history"
)

// ranges are how many stretches of hashes workers take in turn.
const ranges = 256

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
		h := handout{ctx: ctx, give: func(h *history.History) error { return f(worker, h) }}
		group.Go(func() error {
			for {
				i := uint64(taken.Add(1)) - 1
				if i >= ranges {
					return ctx.Err()
				}
				const width = 1 << 56
				if err := h.stretch(s, i*width, (i+1)*width); err != nil { // the last end wraps around to zero
					return err
				}
			}
		})
	}
	return group.Wait()
}

// source is rows in order of their keys. Next returns no value at the end.
type source interface {
	next() (key, []byte, error)
	close() error
}

// head is a source with its next row.
type head struct {
	key
	value []byte
	source
}

func (h *head) advance() (err error) {
	h.key, h.value, err = h.next()
	return err
}

// merged is a heap of sources by their next rows.
type merged []*head

func (m merged) Len() int           { return len(m) }
func (m merged) Less(i, j int) bool { return m[i].compare(&m[j].key) < 0 }
func (m merged) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merged) Push(x any)        { *m = append(*m, x.(*head)) }
func (m *merged) Pop() any {
	last := len(*m) - 1
	x := (*m)[last]
	*m = (*m)[:last]
	return x
}

// handout is one worker's part in Each, with memory that it uses again.
type handout struct {
	ctx  context.Context
	give func(h *history.History) error
	rows []history.Row // of one hash
	hash uint64
}

// stretch hands out the accounts with hashes from first and below end, where zero
// is none.
func (h *handout) stretch(s *Store, first, end uint64) (err error) {
	sources := make([]source, 0, len(s.runs)+1)
	defer func() {
		for _, from := range sources {
			err = errors.Join(err, from.close())
		}
	}()
	last := len(s.pile.rows)
	if end > 0 {
		last = s.pile.from(end)
	}
	sources = append(sources, &pileRows{s.pile, s.pile.from(first), last})
	for _, r := range s.runs {
		rows, err := r.rows(first, end)
		if err != nil {
			return err
		}
		sources = append(sources, rows)
	}
	var heads merged
	for _, from := range sources {
		x := &head{source: from}
		if err := x.advance(); err != nil {
			return err
		}
		if x.value != nil {
			heads = append(heads, x)
		}
	}
	heap.Init(&heads)
	account := ""
	for len(heads) > 0 {
		next := heads[0]
		if len(h.rows) > 0 && next.hash != h.hash {
			if err := h.deliver(); err != nil {
				return err
			}
		}
		row, err := readRow(next.key, next.value, account)
		if err != nil {
			return err
		}
		account, h.hash = row.Account, next.hash
		h.rows = append(h.rows, row)
		if err := next.advance(); err != nil {
			return err
		}
		if next.value == nil {
			heap.Pop(&heads)
		} else if len(heads) > 1 {
			heap.Fix(&heads, 0)
		}
	}
	return h.deliver()
}

// largeAccount is how many rows are kept room for between accounts.
const largeAccount = 1 << 14

// deliver hands out what has been collected of one hash, which is one account but
// for accidents.
func (h *handout) deliver() error {
	mixed := func(r history.Row) bool { return r.Account != h.rows[0].Account }
	if len(h.rows) > 0 && slices.ContainsFunc(h.rows, mixed) {
		slices.SortStableFunc(h.rows, func(a, b history.Row) int { return cmp.Compare(a.Account, b.Account) })
	}
	for rows := h.rows; len(rows) > 0; {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		n := slices.IndexFunc(rows, func(r history.Row) bool { return r.Account != rows[0].Account })
		if n < 0 {
			n = len(rows)
		}
		if err := h.give(&history.History{Account: rows[0].Account, Rows: rows[:n:n]}); err != nil {
			return err
		}
		rows = rows[n:]
	}
	if clear(h.rows); cap(h.rows) > largeAccount {
		h.rows = nil // others need less
	}
	h.rows = h.rows[:0]
	return nil
}
