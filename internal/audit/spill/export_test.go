package spill

import (
	"os"
	"sync/atomic"

	"recoup/internal/audit/history"
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

// Stretch is the stretch of hashes that an account is in.
func Stretch(account string) byte { return byte(hash(account)) }

// Encode returns a row as it is kept, and Decode the row.
func Encode(r *history.Row) []byte {
	return appendRow(appendKey(nil, r, hash(r.Account), 0), r)
}

// Decode reads what Encode returns.
func Decode(b []byte) (history.Row, error) {
	in := packed.Reader{Left: b}
	in.Bytes(8)
	in.Text()
	in.Bytes(16)
	return readRow(b[:len(b)-len(in.Left)], in.Left, "")
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
