package spill

import (
	"os"

	"recoup/internal/audit/history"
)

// File is the store's temporary file, nil if there is none, so that tests can
// damage it.
func (s *Store) File() *os.File { return s.fan.file.Handle() }

// SetFile puts another file in the place of the temporary one.
func (s *Store) SetFile(f *os.File) { s.fan.file.Replace(f) }

// Partition is the partition of an account.
func Partition(account string) byte { return byte(hash(account)) }

// Encode returns rows as a block, and Decode the rows of a block.
func Encode(rows []history.Row) []byte {
	var e encoder
	w := newWords()
	for i := range rows {
		e.add(&rows[i], w)
	}
	return e.data
}

// Decode reads a block whose words are in a table.
func Decode(block []byte, words []string) ([]history.Row, error) {
	d := decoder{words: words}
	d.begin(block)
	var rows []history.Row
	for d.more() {
		var r history.Row
		if err := d.next(&r); err != nil {
			return rows, err
		}
		r.Account = string(d.account)
		rows = append(rows, r)
	}
	return rows, nil
}
