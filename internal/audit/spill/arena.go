package spill

import "strings"

// arenaSize is the memory that texts share: who keeps one of them keeps as much.
const arenaSize = 32 << 10

// arena makes texts without an allocation for each.
type arena struct{ chunk strings.Builder }

// keep returns the bytes as a text.
func (a *arena) keep(b []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(b) {
		a.chunk.Reset() // texts made so far keep the old memory
		a.chunk.Grow(max(arenaSize, len(b)))
	}
	start := a.chunk.Len()
	a.chunk.Write(b)
	return a.chunk.String()[start:]
}
