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
// is free, and by some bits of the hash of its id, so that a look-up reads no
// other transaction than the one it finds.
type slot struct{ tag, place uint32 }

// idSeed makes the hash unpredictable, so that nobody can choose ids that
// collide. What it is has no effect on any result.
var idSeed = maphash.MakeSeed()

// find returns the transaction of that id, or nil.
func (x *index) find(id string) *transaction {
	if len(x.slots) == 0 {
		return nil
	}
	h := maphash.String(idSeed, id)
	mask := uint32(len(x.slots) - 1)
	for i := uint32(h) & mask; x.slots[i].place != 0; i = (i + 1) & mask {
		if s := x.slots[i]; s.tag == uint32(h>>32) {
			if t := x.list[s.place-1]; t.id == id {
				return t
			}
		}
	}
	return nil
}

// add adds a transaction whose id is not there yet.
func (x *index) add(t *transaction) {
	x.list = append(x.list, t)
	if 4*len(x.list) > 3*len(x.slots) {
		x.slots = make([]slot, max(8, 2*len(x.slots)))
		for i, t := range x.list {
			x.put(t.id, i)
		}
		return
	}
	x.put(t.id, len(x.list)-1)
}

func (x *index) put(id string, place int) {
	h := maphash.String(idSeed, id)
	mask := uint32(len(x.slots) - 1)
	i := uint32(h) & mask
	for x.slots[i].place != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = slot{uint32(h >> 32), uint32(place + 1)}
}
