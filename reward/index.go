package reward

import "hash/maphash"

// index finds an account's transactions by id and keeps them in the order in
// which they became known. A million accounts with a handful of transactions
// each are the common case, and there a map of pointers costs twice the memory
// and twice the cache misses.
type index struct {
	list  []*transaction
	slots []slot // open addressing; a power of two long, at most three quarters full
}

// slot refers to a transaction: by its place in the list plus one, so that zero
// is free, and with the hash of its id, so that a look-up reads no other
// transaction than the one it finds.
type slot struct{ hash, place uint32 }

// idSeed makes the hash unpredictable, so that nobody can choose ids that
// collide. What it is has no effect on any result.
var idSeed = maphash.MakeSeed()

func hashOf(id string) uint32 { return uint32(maphash.String(idSeed, id)) }

// find returns the transaction of that id, or nil.
func (x *index) find(id string) *transaction {
	if len(x.slots) == 0 {
		return nil
	}
	h, mask := hashOf(id), uint32(len(x.slots)-1)
	for i := h & mask; x.slots[i].place != 0; i = (i + 1) & mask {
		if s := x.slots[i]; s.hash == h {
			if t := x.list[s.place-1]; t.id == id {
				return t
			}
		}
	}
	return nil
}

// add adds a transaction whose id is not there yet.
func (x *index) add(t *transaction) {
	if 4*(len(x.list)+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]slot, max(8, 2*len(old)))
		for _, s := range old {
			if s.place != 0 {
				x.put(s)
			}
		}
	}
	x.list = append(x.list, t)
	x.put(slot{hashOf(t.id), uint32(len(x.list))})
}

func (x *index) put(s slot) {
	mask := uint32(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].place != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}
