package memory

import (
	"encoding/binary"
	"hash/maphash"

	"recoup/internal/store"
	"recoup/reward"
)

// log remembers which events were delivered. Of an event it keeps a keyed
// 95-bit hash of its identity, which two of a billion events share by accident
// with a probability below 10^-10, and a 32-bit hash of its content. A content
// that collides is answered as a duplicate instead of as a reused id: neither
// changes anything.
//
// It is a set of small open-addressing tables: an event costs one cache miss
// and about 28 bytes, and no table is ever long to grow.
type log struct {
	first, second maphash.Seed
	scratch       []byte
	tables        [256]table
}

// mark is what the log keeps of one event; the zero mark is none.
type mark struct {
	a       uint64
	b       uint32
	content uint32
}

// table holds marks, at most three quarters full.
type table struct {
	marks []mark
	used  int
}

func newLog() *log {
	return &log{first: maphash.MakeSeed(), second: maphash.MakeSeed()}
}

// markOf hashes an event. Strings are told apart by their lengths.
func (l *log) markOf(e *reward.Event) mark {
	b := text(text(text(l.scratch[:0], e.Account), e.Source), e.ID)
	m := mark{a: maphash.Bytes(l.first, b), b: uint32(maphash.Bytes(l.second, b)) | 1}
	given := byte(0)
	if e.HasAmount {
		given = 1
	}
	b = append(b, given, byte(e.Type), byte(e.MCC), byte(e.MCC>>8))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Time))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Amount))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Expires))
	b = text(text(text(text(b, e.Transaction), e.Fact), e.Currency), e.Merchant)
	b = text(text(text(text(text(text(text(b, e.Category), e.Method), e.Reason), e.Actor), e.Approver), e.As), e.Digest)
	m.content = uint32(maphash.Bytes(l.first, b))
	l.scratch = b
	return m
}

func text(b []byte, s string) []byte {
	return append(append(b, byte(len(s)), byte(len(s)>>8)), s...)
}

// warm reads where the marks are or would be; see reward.Warm.
func (l *log) warm(marks []mark) (touched int64) {
	for i := range marks {
		if t := &l.tables[marks[i].a>>56]; len(t.marks) > 0 {
			touched += int64(t.marks[int(marks[i].a)&(len(t.marks)-1)].b)
		}
	}
	return touched
}

func (l *log) sighting(m mark) store.Sighting {
	t := &l.tables[m.a>>56]
	if len(t.marks) == 0 {
		return store.Unseen
	}
	switch at := t.find(m); {
	case t.marks[at].b == 0:
		return store.Unseen
	case t.marks[at].content == m.content:
		return store.SameContent
	}
	return store.OtherContent
}

func (l *log) record(m mark) {
	t := &l.tables[m.a>>56]
	if 4*(t.used+1) > 3*len(t.marks) {
		old := t.marks
		t.marks = make([]mark, max(64, 2*len(old)))
		for _, o := range old {
			if o.b != 0 {
				t.marks[t.find(o)] = o
			}
		}
	}
	t.marks[t.find(m)] = m
	t.used++
}

// find returns where a mark of that identity is, or the free place for it.
func (t *table) find(m mark) int {
	mask := len(t.marks) - 1
	at := int(m.a) & mask
	for t.marks[at].b != 0 && (t.marks[at].a != m.a || t.marks[at].b != m.b) {
		at = (at + 1) & mask
	}
	return at
}
