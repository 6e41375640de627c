package spill

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recoup/internal/audit/history"
)

// Each calls f with every account of the store's shard once, with all its rows in
// the order of history.Sort. Calls come from so many workers at once (at least
// one), numbered from 0; a worker's calls come one after the other. A history is
// the caller's until f returns: its rows are used again then. Who keeps one of its
// texts for long had better clone it, for it holds on to up to 32 KiB of others.
//
// The first error of f, of ctx or of reading ends it and is returned. Each may be
// called again, and hands everything out again.
func (s *Store) Each(ctx context.Context, workers int, f func(worker int, h *history.History) error) error {
	s.mu.Lock()
	s.handed = true
	s.mu.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(); err != nil {
		return err
	}
	workers = max(workers, 1)
	parts := s.fan.filled()
	var taken atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for worker := range workers {
		h := handout{
			dir: s.options.Dir, words: s.words,
			give: func(h *history.History) error { return f(worker, h) },
		}
		h.decoder.words = s.words.list()
		group.Go(func() error {
			for {
				i := int(taken.Add(1)) - 1
				if i >= len(parts) {
					return ctx.Err()
				}
				if err := h.partition(ctx, s.fan, parts[i], s.options.Memory/2/int64(workers)); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// filled returns the partitions with rows, the largest first: so a large one does
// not keep one worker busy while the others are done.
func (f *fan) filled() []*partition {
	var parts []*partition
	for i := range f.parts {
		if p := &f.parts[i]; p.rows > 0 {
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(a, b *partition) int { return cmp.Compare(b.memory(), a.memory()) })
	return parts
}

// handout is one worker's part in Each, with memory that it uses again.
type handout struct {
	dir   string
	words *words
	give  func(h *history.History) error

	decoder decoder
	buffer  []byte
	loaded  loaded
}

// partition hands out the accounts of a partition of f in so many bytes of memory,
// unless one account alone takes more.
func (h *handout) partition(ctx context.Context, f *fan, p *partition, memory int64) error {
	if p.memory() > memory && p.mixed && f.level+1 < hashBytes {
		return h.split(ctx, f, p, memory/2)
	}
	if err := h.load(ctx, f, p); err != nil {
		return err
	}
	err := h.loaded.each(ctx, h.give)
	if p.memory() > memory {
		h.loaded = loaded{} // not to be kept: others need less
	}
	return err
}

// split spreads a partition by the next byte of the hash, in so many bytes of
// memory and on disk, and hands out the parts, in as many bytes again.
func (h *handout) split(ctx context.Context, f *fan, p *partition, memory int64) (err error) {
	parts := newFan(f.level+1, memory, h.words, h.dir)
	defer func() { err = errors.Join(err, parts.file.Close()) }()
	err = f.read(ctx, p, &h.decoder, &h.buffer, func(r *history.Row) error {
		r.Account = h.decoder.texts.keep(h.decoder.account)
		return parts.add(r, hash(r.Account))
	})
	if err != nil {
		return err
	}
	for _, part := range parts.filled() {
		if err := h.partition(ctx, parts, part, memory); err != nil {
			return err
		}
	}
	return nil
}

func (h *handout) load(ctx context.Context, f *fan, p *partition) error {
	h.loaded.reset(int(p.rows))
	return f.read(ctx, p, &h.decoder, &h.buffer, func(r *history.Row) error {
		h.loaded.add(r, h.decoder.account)
		return nil
	})
}
