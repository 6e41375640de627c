package reward

import (
	"hash/maphash"
	"iter"
)

// index finds an account's transactions by id. It is no map, since every event asks it
// and the ids are in the transactions already: with a plain map the processor took 1.6
// times as long an event (docs/performance.md).
type index struct {
	slots []slot // open addressing; a power of two long, at most three quarters full
	used  int
}

// slot holds a transaction with the hash of its id, so that a look-up reads no
// other transaction than the one it finds.
type slot struct {
	hash uint64
	t    *transaction
}

// idSeed makes the hash unpredictable, so that nobody can choose ids that
// collide. What it is has no effect on any result.
var idSeed = maphash.MakeSeed()

// find returns the transaction of that id, or nil, and the hash of the id.
func (x *index) find(id string) (*transaction, uint64) {
	hash := maphash.String(idSeed, id)
	if x.used == 0 {
		return nil, hash
	}
	mask := uint64(len(x.slots) - 1)
	for i := hash & mask; x.slots[i].t != nil; i = (i + 1) & mask {
		if s := x.slots[i]; s.hash == hash && s.t.id == id {
			return s.t, hash
		}
	}
	return nil, hash
}

// add adds a transaction that find has not found, under the hash of its id.
func (x *index) add(t *transaction, hash uint64) {
	if 4*(x.used+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]slot, max(8, 2*len(old)))
		for _, s := range old {
			if s.t != nil {
				x.put(s)
			}
		}
	}
	x.put(slot{hash, t})
	x.used++
}

func (x *index) put(s slot) {
	mask := uint64(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].t != nil {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// all yields every transaction, in no order.
func (x *index) all() iter.Seq[*transaction] {
	return func(yield func(*transaction) bool) {
		for _, s := range x.slots {
			if s.t != nil && !yield(s.t) {
				return
			}
		}
	}
}
