package event

import (
	"hash/maphash"
	"strings"
)

// repeated keeps strings that come again and again, such as accounts and
// merchants, so that each is allocated once as long as it stays. Its size is
// fixed: a string that falls on another's place takes it.
type repeated struct {
	seed  maphash.Seed
	slots [1 << 13]string
}

func (r *repeated) string(b []byte) string {
	slot := &r.slots[maphash.Bytes(r.seed, b)%uint64(len(r.slots))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}

// arena copies strings that come once, such as event ids, many to one
// allocation. The price is that one string that is kept keeps its chunk.
type arena struct{ chunk strings.Builder }

const chunkSize = 8 << 10

func (a *arena) string(b []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(b) {
		a.chunk.Reset()
		a.chunk.Grow(chunkSize)
	}
	start := a.chunk.Len()
	a.chunk.Write(b)
	return a.chunk.String()[start:]
}
