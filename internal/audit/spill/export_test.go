package spill

import (
	"os"
	"sync/atomic"

	"recoup/internal/intake/history"
	"recoup/internal/kit/packed"
)

// File is the store's temporary file, nil if there is none, so that tests can
// damage it.
func (s *Store) File() *os.File {
	s.writing.Wait()
	return s.file.Handle()
}

// SetFile puts another file in the place of the temporary one.
func (s *Store) SetFile(f *os.File) { s.file.Replace(f) }

// ShardOf is the shard of an account among n.
func ShardOf(account string, n int) int { return shardOf(hash(account), n) }

// Stretch is the stretch of hashes that an account is in.
func Stretch(account string) byte { return byte(hash(account)) }

// Encode returns a row as it is kept, and Decode the row.
func Encode(r *history.Row) []byte {
	return appendRow(packed.AppendText(nil, appendKey(nil, r, hash(r.Account), 0)), r)
}

// Decode reads what Encode returns.
func Decode(b []byte) (history.Row, error) {
	in := packed.Reader{Left: b}
	key := in.Text()
	return readRow(key, in.Left, "")
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
	s.writing.Wait()
	if s.closed {
		return Size{}
	}
	size := Size{Rows: int64(s.rows), Memory: s.memory, Disk: s.file.Size()}
	if s.pile != nil {
		size.Memory += s.pile.size
	}
	return size
}

// Collide hands out rows as if the hashes of their accounts were one.
func Collide(rows []history.Row, give func(h *history.History) error) error {
	s := Store{pile: &pile{}}
	for i := range rows {
		s.pile.add(&rows[i], 0, uint64(i))
	}
	if err := s.finish(); err != nil {
		return err
	}
	return s.hand(new(atomic.Int64), give)
}
