package verify

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"recoup/store/durable"
)

// A trail is a chain with waymarks: hashes along it, cut short, that tell about
// where two chains part. There are at most maxMarks of them, one after every so
// many events, which is a power of two; so of an account with up to maxMarks
// events, each has its own, and a trail stays small however long it gets. What
// is evidence is the whole hash at its end.
type trail struct {
	chain    Chain
	sequence int64 // events so far
	number   int64 // of the last of them
	marks    []byte
}

const (
	maxMarks = 64
	markSize = 8
)

// stride returns how many events apart the marks of a trail of that length are.
func stride(sequence int64) int64 {
	s := int64(1)
	for sequence/s > maxMarks {
		s *= 2
	}
	return s
}

func (t *trail) start(account string) {
	t.chain.Start(account)
	t.sequence, t.number, t.marks = 0, 0, t.marks[:0]
}

// add adds an event; the caller sees to it that it is the next.
func (t *trail) add(row *durable.EventRow) {
	t.chain.Add(row)
	before, now := stride(t.sequence), stride(row.Sequence)
	if now != before { // every second mark stays
		kept := t.marks[:0]
		for i := markSize; i < len(t.marks); i += 2 * markSize {
			kept = append(kept, t.marks[i:i+markSize]...)
		}
		t.marks = kept
	}
	t.sequence, t.number = row.Sequence, row.Number
	if t.sequence%now == 0 {
		h := t.chain.Hash()
		t.marks = append(t.marks, h[:markSize]...)
	}
}

// bytes is what the table of seals keeps of a trail as its hash: the hash at its
// end, then the marks.
func (t *trail) bytes() []byte {
	h := t.chain.Hash()
	return append(h[:], t.marks...)
}

// seal is a row of the table of seals: up to where an account's events are
// sealed, and the trail that led there.
type seal struct {
	sequence, number int64
	end              Hash
	marks            []byte
}

// parseSeal takes a row of the table apart.
func parseSeal(sequence, number int64, b []byte) (seal, error) {
	s := seal{sequence: sequence, number: number}
	if sequence < 1 {
		return s, fmt.Errorf("expected a sequence of 1 or more, found %d", sequence)
	}
	if want := sha256.Size + int(sequence/stride(sequence))*markSize; len(b) != want {
		return s, fmt.Errorf("expected a hash of %d bytes for %d events, found %d bytes", want, sequence, len(b))
	}
	s.end, s.marks = Hash(b[:sha256.Size]), b[sha256.Size:]
	return s, nil
}

// resume makes the trail go on from a seal.
func (t *trail) resume(s *seal) {
	t.chain.Resume(s.end)
	t.sequence, t.number, t.marks = s.sequence, s.number, append(t.marks[:0], s.marks...)
}

// markAt reports whether the chain has the seal's mark at that sequence; there
// is none, and so nothing against it, at most sequences of long trails.
func (s *seal) markAt(sequence int64, h Hash) (agrees bool) {
	step := stride(s.sequence)
	if sequence > s.sequence || sequence%step != 0 {
		return true
	}
	at := (sequence/step - 1) * markSize
	return bytes.Equal(s.marks[at:at+markSize], h[:markSize])
}
