package spill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2/sstable"

	"recoup/internal/audit/history"
	"recoup/internal/kit/scratch"
	"recoup/reward"
)

// DefaultMemory is what rows may take in memory unless Options say otherwise.
const DefaultMemory = 512 << 20

// Bounds of a pile, and of a block of a table, in bytes.
const (
	minPile  = 16 << 10
	minBlock = 1 << 10
	maxBlock = 32 << 10
)

// Options say what a Store may use, and which accounts it keeps.
type Options struct {
	// Dir is the folder of the temporary file; empty: that of the system.
	Dir string
	// Memory is how many bytes rows may take in memory; 0: DefaultMemory. An eighth
	// each is for the rows that are collected and for those that are being sorted, a quarter
	// for tables of them; what comes after these goes to the disk. The rest is for rows that
	// are handed out: an account at a time for each worker.
	// The process takes up to twice as much, as Go collects garbage. Less than about a
	// MiB has no effect.
	Memory int64
	// Shard is the part of the accounts that is kept, from 0 to Of-1, as ShardOf deals
	// them out. Of is the number of shards; less than two: all accounts are kept.
	Shard, Of int
}

// Store collects rows and hands them out by account. It must be closed.
type Store struct {
	options Options
	file    scratch.File
	full    int64 // bytes of a pile

	mu      sync.Mutex
	pile    *pile // that rows are added to; nil once they are handed out
	number  uint64
	noted   bool
	first   reward.Instant
	last    reward.Instant
	err     error          // why rows were lost
	writing sync.WaitGroup // of the pile before; it is waited for with mu
	tables  []table        // and err and memory are the writing pile's until it is done
	memory  int64          // bytes of tables that are not on the disk
	closed  bool

	reading sync.RWMutex // held while rows are handed out
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
	return &Store{
		options: o, full: max(o.Memory/8, minPile), pile: &pile{}, file: scratch.File{Dir: o.Dir, Name: "rows"},
	}, nil
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
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errClosed
	case s.pile == nil:
		return errHanded
	}
	for i := range rows {
		r := &rows[i]
		if !s.noted {
			s.noted, s.first, s.last = true, r.At, r.At
		}
		s.first, s.last = min(s.first, r.At), max(s.last, r.At)
		h := hash(r.Account)
		if shardOf(h, s.options.Of) != s.options.Shard {
			continue
		}
		s.pile.add(r, h, s.number)
		s.number++
		if s.pile.size >= s.full {
			if err := s.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// write has the pile sorted and kept, once the one before is, and begins the
// next. It returns why an earlier one could not be.
func (s *Store) write() error {
	s.writing.Wait()
	if s.err != nil {
		return s.err
	}
	full := s.pile
	s.pile = &pile{rows: make([]entry, 0, len(full.rows))}
	s.writing.Go(func() { s.err = s.keep(full, s.memory+full.size <= s.options.Memory/4) })
	return nil
}

// keep makes a table of a pile, in memory or on the disk.
func (s *Store) keep(p *pile, inMemory bool) (err error) {
	if inMemory {
		sorted := bytes.NewBuffer(make([]byte, 0, p.size)) // a table is smaller than its pile
		err = p.write(maxBlock, sstable.NoCompression, func(p []byte) error {
			_, err := sorted.Write(p)
			return err
		})
		s.memory += int64(sorted.Len())
		s.tables = append(s.tables, table{io.NewSectionReader(bytes.NewReader(sorted.Bytes()), 0, int64(sorted.Len()))})
		return err
	}
	start := s.file.Size()
	err = p.write(int(min(max(s.full/32, minBlock), maxBlock)), sstable.SnappyCompression, func(p []byte) error {
		_, _, err := s.file.Write(p)
		return err
	})
	s.tables = append(s.tables, table{io.NewSectionReader(s.file.Handle(), start, s.file.Size()-start)})
	return err
}

// finish ends what is added.
func (s *Store) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing.Wait()
	if s.pile != nil && s.err == nil {
		s.err = s.keep(s.pile, true)
		s.pile = nil
	}
	return s.err
}

// usable returns why rows cannot be handed out, if so.
func (s *Store) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	return s.err
}

// Span returns the times of the earliest and the latest row of all that were added,
// those of other shards too. Both are zero if there was none.
func (s *Store) Span() (first, last reward.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first, s.last
}

// Size is what a store has taken in.
type Size struct {
	Rows   int64 // of its shard
	Memory int64 // bytes of rows in memory, as they are collected
	Disk   int64 // bytes in the temporary file
}

// Size returns what the store has taken in so far.
func (s *Store) Size() Size {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Size{}
	}
	s.writing.Wait()
	memory := s.memory
	if s.pile != nil {
		memory += s.pile.size
	}
	return Size{Rows: int64(s.number), Memory: memory, Disk: s.file.Size()}
}

// Close gives memory and disk space back. It waits for calls of Add and Each that
// are under way.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.writing.Wait()
	s.mu.Unlock()
	s.reading.Lock()
	defer s.reading.Unlock()
	s.pile, s.tables = nil, nil
	return s.file.Close()
}
