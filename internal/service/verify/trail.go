package verify

import (
	"bytes"

	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
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

func (t *trail) start(account string, key *erasure.Key) {
	t.chain.Start(account, key)
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

// seal returns the seal of what the trail has come to.
func (t *trail) seal() seal {
	return seal{t.sequence, t.number, t.chain.Hash(), bytes.Clone(t.marks)}
}

// resume makes the trail go on from a seal.
func (t *trail) resume(s *seal, key *erasure.Key) {
	t.chain.Resume(s.end, key)
	t.sequence, t.number, t.marks = s.sequence, s.number, append(t.marks[:0], s.marks...)
}
