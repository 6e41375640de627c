package spill

import (
	"context"
	"os"

	"recoup/internal/audit/history"
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
	k := keyOf(r, hash(r.Account), 0)
	return appendRow(k.append(nil), r)
}

// Decode reads what Encode returns.
func Decode(b []byte) (history.Row, error) {
	if len(b) < keySize {
		return history.Row{}, errMalformed
	}
	return readRow(readKey(b), b[keySize:], "")
}

// Collide hands out rows as if the hashes of their accounts were one.
func Collide(rows []history.Row, give func(h *history.History) error) error {
	p := &pile{}
	for i := range rows {
		p.add(keyOf(&rows[i], 0, uint64(i)), &rows[i])
	}
	p.sort()
	h := handout{ctx: context.Background(), give: give}
	return h.stretch(&Store{pile: p}, 0, 0)
}
