package spill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sync"

	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"recoup/internal/intake/history"
	"recoup/internal/kit/scratch"
	"recoup/reward"
)

// DefaultMemory is what rows may take in memory unless Options say otherwise.
const DefaultMemory = 512 << 20

// Bytes of a pile: an eighth of the memory within these.
const (
	minPile = 16 << 10
	maxPile = 16 << 20
)

// Options say what a Store may use, and which accounts it keeps.
type Options struct {
	// Dir is the folder of the temporary file; empty: that of the system.
	Dir string
	// Memory is how many bytes rows may take in memory; 0: DefaultMemory. Up to a quarter is
	// for rows that are piled up and sorted, and one for tables of them; what comes after
	// these goes to the disk. The rest is for rows that are handed out. The process takes up
	// to twice as much, as Go collects garbage. Less than about a MiB has no effect.
	Memory int64
	// Shard of Of is the part of the accounts that is kept, as shardOf deals them out; of
	// less than two, all are.
	Shard, Of int
}

// Store collects rows and hands them out by account. It must be closed, when no other call
// is under way.
type Store struct {
	options     Options
	file        scratch.File
	mu          sync.Mutex
	rows        uint64
	first, last reward.Instant
	pile        *pile // that rows are added to; nil once they are handed out
	closed      bool

	writing errgroup.Group // of the pile before; until it is done, what follows belongs to it
	sorted  objstorage.MemObj
	tables  [][]sstable.ReadableFile
	memory  int64 // bytes of tables that are not on the disk
}

// New returns an empty store. The error says which option makes no sense.
func New(o Options) (*Store, error) {
	switch {
	case o.Memory < 0:
		return nil, fmt.Errorf("memory of %d bytes: must not be negative", o.Memory)
	case o.Of < 0 || o.Shard < 0 || o.Shard >= max(o.Of, 1):
		return nil, fmt.Errorf("shard %d of %d: shards count from 0 to one less than their number", o.Shard, o.Of)
	case o.Memory == 0:
		o.Memory = DefaultMemory
	}
	return &Store{options: o, file: scratch.File{Dir: o.Dir, Name: "rows"}, pile: &pile{}, first: math.MaxInt64, last: math.MinInt64}, nil
}

var errEnded = errors.New("the store of rows is closed, or hands them out already")

// Add takes rows; nothing of them is used after the call. It may be called from several
// goroutines, but not once Each was. Rows of accounts of other shards count for Span alone.
// An error, such as a full disk, names the file; rows may be missing after it, so that Add
// and Each return it from then on.
func (s *Store) Add(rows []history.Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pile == nil {
		return errEnded
	}
	for i := range rows {
		r := &rows[i]
		s.first, s.last = min(s.first, r.At), max(s.last, r.At)
		h := hash(r.Account)
		if shardOf(h, s.options.Of) != s.options.Shard {
			continue
		}
		s.pile.add(r, h, s.rows)
		s.rows++
		if s.pile.size >= min(max(s.options.Memory/8, minPile), maxPile) {
			if err := s.keep(&pile{rows: make([]entry, 0, len(s.pile.rows))}); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep has a table made of the pile once the one before is, while rows are added to the next,
// if there is one. It returns why an earlier one could not be.
func (s *Store) keep(next *pile) error {
	if err := s.writing.Wait(); err != nil {
		return err
	}
	full := s.pile
	s.pile = next
	s.writing.Go(func() error {
		s.sorted.Abort() // which empties it
		if err := full.write(&s.sorted); err != nil {
			return err
		}
		in, start, err := s.place(s.sorted.Data(), next == nil)
		s.tables = append(s.tables, []sstable.ReadableFile{table{SectionReader: io.NewSectionReader(in, start, s.sorted.Size())}})
		return err
	})
	return nil
}

// place leaves a table in memory, if there is room or it is the last, or on the disk.
func (s *Store) place(data []byte, last bool) (in io.ReaderAt, start int64, err error) {
	if size := int64(len(data)); last || s.memory+size <= s.options.Memory/4 {
		s.memory += size
		return bytes.NewReader(bytes.Clone(data)), 0, nil
	}
	start, _, err = s.file.Write(data)
	return s.file.Handle(), start, err
}

// table is a table as Pebble reads it, of which it asks nothing else but the size.
type table struct {
	*io.SectionReader
	vfs.FileInfo
}

func (t table) Stat() (vfs.FileInfo, error) { return t, nil }
func (t table) Size() int64                 { return t.SectionReader.Size() }
func (table) Close() error                  { return nil }

// finish ends what is added.
func (s *Store) finish() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errEnded
	}
	if s.pile != nil {
		err = s.keep(nil)
	}
	err = errors.Join(err, s.writing.Wait())
	s.sorted = objstorage.MemObj{}
	return err
}

// Span returns the times of the earliest and the latest row of all that were added, those of
// other shards too, so that the machines of all shards agree on where the exports end. Both
// are zero if there was none.
func (s *Store) Span() (first, last reward.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first > s.last {
		return 0, 0
	}
	return s.first, s.last
}

// Close gives memory and disk space back.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing.Wait()
	if s.closed {
		return nil
	}
	s.closed, s.pile, s.tables = true, nil, nil
	return s.file.Close()
}

// shardOf returns the shard among n, from 0 to n-1, of an account of that hash; 0 if n is less
// than two. It is a promise: every machine reads all exports and keeps the accounts of its
// shard, and their versions may differ. It goes by the hash's upper bits; stretches go by the
// lower ones, so that the accounts of one shard fill them all.
func shardOf(hash uint64, n int) int {
	shard, _ := bits.Mul64(hash, uint64(max(n, 1)))
	return int(shard)
}

// hash is FNV-1a (64 bits) of the account's bytes and then the final mix of MurmurHash3,
// without which the upper bits of similar accounts are alike. It has no seed.
func hash(account string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(account) {
		h = (h ^ uint64(account[i])) * 0x100000001b3
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
