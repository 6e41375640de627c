package sqlite

import (
	"sync"
)

// backlog is what of the backlog this process has in memory. Units of work add
// what they commit; what other processes commit is read from the table.
type backlog struct {
	limit  int           // changes in a layer before it is sealed
	missed chan struct{} // the filter has to be filled again

	mu     sync.RWMutex
	layers []*layer // in order and without gaps; the last is open
	known  int64    // the newest row
	filter *filter
}

// maxLayerBytes seals a layer of large rows.
const maxLayerBytes = 48 << 20

// state says which rows of the backlog count in a snapshot: those after filed,
// up to last.
type state struct{ filed, last int64 }

const stateQuery = `SELECT filed, (SELECT max(number) FROM backlog) FROM filing`

// readState reads the state in a snapshot, and begins it if it has not yet begun.
func readState(c *conn) (st state, err error) {
	s := c.query(stateQuery)
	if s.next() {
		st = state{filed: s.intAt(0), last: s.intAt(1)}
		st.last = max(st.last, st.filed) // filed rows are removed after a while
	} else if s.err == nil {
		s.err = errBacklog
	}
	return st, s.end()
}

// layersNow are the layers of this moment.
func (b *backlog) layersNow() []*layer {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.layers[:len(b.layers):len(b.layers)]
}

// catchUp reads what is in the snapshot of a connection and not in memory yet.
func (b *backlog) catchUp(c *conn, st state) error {
	b.mu.RLock()
	known := b.known
	b.mu.RUnlock()
	if st.last <= known {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known < st.filed {
		// All that is in memory has been filed.
		b.layers, b.known = []*layer{newLayer(st.filed + 1)}, st.filed
		b.filter.complete = false
		b.filter.round++
		signal(b.missed)
	}
	s := c.query(`SELECT number, changes FROM backlog WHERE number > ? AND number <= ? ORDER BY number`).int(b.known).int(st.last)
	for s.next() {
		if s.intAt(0) != b.known+1 {
			s.err = errBacklog
			break
		}
		if err := b.addLocked(s.blobAt(1)); err != nil {
			s.err = err
			break
		}
	}
	if err := s.end(); err != nil {
		return err
	}
	if b.known < st.last {
		return errBacklog
	}
	return nil
}

// add adds what was just committed as a row of the backlog, unless a reader has
// been faster. The row must not be changed any more.
func (b *backlog) add(number int64, row []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if number <= b.known {
		return nil
	}
	return b.addLocked(row)
}

func (b *backlog) addLocked(row []byte) error {
	open := b.layers[len(b.layers)-1]
	if err := open.add(row, b.filter); err != nil {
		return err
	}
	b.known++
	if open.changes >= b.limit || open.bytes >= maxLayerBytes {
		b.sealLocked()
	}
	return nil
}

// seal seals the open layer if there is anything in it.
func (b *backlog) seal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if open := b.layers[len(b.layers)-1]; open.last >= open.first {
		b.sealLocked()
	}
}

// sealLocked puts an empty layer on top. Readers go on with the list they have.
func (b *backlog) sealLocked() {
	b.layers = append(b.layers[:len(b.layers):len(b.layers)], newLayer(b.known+1))
}

// drop forgets the layers that are filed.
func (b *backlog) drop(filed int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for n < len(b.layers)-1 && b.layers[n].last <= filed {
		n++
	}
	b.layers = b.layers[n:]
}

// overlayOf returns the overlay for a state; ok is false if layers that count in
// it have been filed and dropped since its snapshot began.
func (b *backlog) overlayOf(st state) (o overlay, ok bool) {
	o = overlay{backlog: b, upTo: st.last}
	next := st.filed + 1
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, l := range b.layers {
		if l.first <= next && l.last >= next {
			o.layers = append(o.layers, l)
			next = l.last + 1
		}
	}
	return o, next > st.last
}
