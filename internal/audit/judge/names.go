package judge

import "hash/maphash"

// names finds facts of an account by their ids. It is emptied in no time, however
// large the account before was.
type names struct {
	slots []named // open addressing; a power of two long, at most three quarters full
	used  int
	round uint32 // slots of other rounds are empty
}

type named struct {
	id    string
	at    int32
	round uint32
}

var seed = maphash.MakeSeed()

func (n *names) reset() {
	n.round++
	n.used = 0
	if n.round == 0 { // after four thousand million accounts
		clear(n.slots)
		n.round = 1
	}
}

// find returns the number that the id was added with, or none.
func (n *names) find(id string) int32 {
	if n.used == 0 {
		return none
	}
	mask := uint64(len(n.slots) - 1)
	for i := maphash.String(seed, id) & mask; ; i = (i + 1) & mask {
		switch s := &n.slots[i]; {
		case s.round != n.round:
			return none
		case s.id == id:
			return s.at
		}
	}
}

// add adds an id that find has not found.
func (n *names) add(id string, at int32) {
	if 4*(n.used+1) > 3*len(n.slots) {
		old := n.slots
		n.slots = make([]named, max(64, 2*len(old)))
		for i := range old {
			if old[i].round == n.round {
				n.put(old[i])
			}
		}
	}
	n.put(named{id, at, n.round})
	n.used++
}

func (n *names) put(s named) {
	mask := uint64(len(n.slots) - 1)
	i := maphash.String(seed, s.id) & mask
	for n.slots[i].round == n.round {
		i = (i + 1) & mask
	}
	n.slots[i] = s
}
