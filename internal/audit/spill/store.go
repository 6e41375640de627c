package spill

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// DefaultMemory is what rows may take in memory unless Options say otherwise.
const DefaultMemory = 512 << 20

// Options say what a Store may use, and which accounts it keeps.
type Options struct {
	// Dir is the folder of the temporary file; empty: that of the system.
	Dir string
	// Memory is how many bytes rows may take in memory; 0: DefaultMemory. Half of it
	// is for rows as they are collected, the other half, shared by the workers, for
	// those that are handed out; only an account that is larger alone takes more. The
	// process takes up to twice as much, as Go collects garbage. Less than about a MiB
	// has no effect.
	Memory int64
	// Shard is the part of the accounts that is kept, from 0 to Of-1, as ShardOf deals
	// them out. Of is the number of shards; less than two: all accounts are kept.
	Shard, Of int
}

// Store collects rows and hands them out by account. It must be closed.
type Store struct {
	options Options
	words   *words
	fan     *fan

	// mu is held shared while rows are added or handed out.
	mu             sync.RWMutex
	handed, closed bool

	noted struct {
		sync.Mutex
		any         bool
		first, last reward.Instant
		err         error // why rows were lost
	}
}

// New returns an empty store. The error says which option makes no sense.
func New(o Options) (*Store, error) {
	switch {
	case o.Memory < 0:
		return nil, fmt.Errorf("memory of %d bytes: must not be negative", o.Memory)
	case o.Of < 0 || o.Shard < 0 || o.Shard >= max(o.Of, 1):
		return nil, fmt.Errorf("shard %d of %d: shards count from 0 to one less than their number", o.Shard, o.Of)
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	w := newWords()
	return &Store{options: o, words: w, fan: newFan(0, o.Memory/2, w, o.Dir)}, nil
}

var (
	errClosed = errors.New("the store of rows is closed")
	errHanded = errors.New("rows are being handed out: no more can be added")
)

// Add takes rows; nothing of them is used after the call. It may be called from
// several goroutines, but not once Each was. Rows of accounts of other shards count
// for Span alone. An error, such as a full disk, names the file; rows may be missing
// after it, so that Add and Each return it from then on.
func (s *Store) Add(rows []history.Row) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.handed && !s.closed {
		return errHanded
	}
	if err := s.usable(); err != nil || len(rows) == 0 {
		return err
	}
	first, last := rows[0].At, rows[0].At
	for i := range rows {
		r := &rows[i]
		first, last = min(first, r.At), max(last, r.At)
		h := hash(r.Account)
		if shardOf(h, s.options.Of) != s.options.Shard {
			continue
		}
		if err := s.fan.add(r, h); err != nil {
			return s.lose(err)
		}
	}
	s.widen(first, last)
	return nil
}

// usable returns why rows can be neither added nor handed out, if so.
func (s *Store) usable() error {
	if s.closed {
		return errClosed
	}
	s.noted.Lock()
	defer s.noted.Unlock()
	return s.noted.err
}

// lose notes why rows were lost, and returns it.
func (s *Store) lose(err error) error {
	s.noted.Lock()
	defer s.noted.Unlock()
	s.noted.err = err
	return err
}

func (s *Store) widen(first, last reward.Instant) {
	n := &s.noted
	n.Lock()
	defer n.Unlock()
	if !n.any {
		n.any, n.first, n.last = true, first, last
	}
	n.first, n.last = min(n.first, first), max(n.last, last)
}

// Span returns the times of the earliest and the latest row of all that were added,
// those of other shards too. Both are zero if there was none.
func (s *Store) Span() (first, last reward.Instant) {
	s.noted.Lock()
	defer s.noted.Unlock()
	return s.noted.first, s.noted.last
}

// Size is what a store has taken in.
type Size struct {
	Rows   int64 // of its shard
	Memory int64 // bytes of rows in memory, as they are collected
	Disk   int64 // bytes in the temporary file
}

// Size returns what the store has taken in so far.
func (s *Store) Size() Size {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return Size{}
	}
	size := Size{Memory: s.fan.held.Load(), Disk: s.fan.file.Size()}
	for i := range s.fan.parts {
		p := &s.fan.parts[i]
		p.mu.Lock()
		size.Rows += p.rows
		size.Memory += int64(len(p.open.data))
		p.mu.Unlock()
	}
	return size
}

// Close gives memory and disk space back. It waits for calls of Add and Each that
// are under way.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.fan.file.Close()
	s.fan, s.words = nil, nil
	return err
}
