package verify

import (
	"errors"
	"fmt"
	"io"
)

// leafQueue hands out the leaves of a checkpoint as their accounts come up.
type leafQueue struct {
	from   *LeafReader // nil: there are none
	next   Leaf        // Sequence 0: not read
	tree   Tree
	events int64
}

// peek returns the next leaf; ok is false after the last.
func (q *leafQueue) peek() (leaf Leaf, ok bool, err error) {
	if q.from == nil || q.next.Sequence > 0 {
		return q.next, q.from != nil, nil
	}
	switch q.next, err = q.from.Read(); {
	case errors.Is(err, io.EOF):
		return Leaf{}, false, nil
	case err != nil:
		return Leaf{}, false, err
	}
	q.count(&q.next)
	return q.next, true, nil
}

// count adds a leaf to what the leaves add up to.
func (q *leafQueue) count(l *Leaf) {
	q.tree.Add(l)
	q.events += l.Sequence
}

// covered is the checkpoint of the leaves so far, as far as they say.
func (q *leafQueue) covered() Checkpoint {
	return Checkpoint{Accounts: q.tree.Size(), Root: q.tree.Root(), Events: q.events}
}

// upTo returns the next leaves up to an account, all for "".
func (q *leafQueue) upTo(account string) (list []Leaf, err error) {
	for {
		leaf, ok, err := q.peek()
		if err != nil || !ok || account != "" && leaf.Account > account {
			return list, err
		}
		list, q.next = append(list, leaf), Leaf{}
	}
}

// of reads all leaves and returns that of an account if there is one.
func (q *leafQueue) of(account string) (list []Leaf, err error) {
	for {
		leaf, ok, err := q.peek()
		if err != nil || !ok {
			return list, err
		}
		if q.next = (Leaf{}); leaf.Account == account {
			list = append(list, leaf)
		}
	}
}

// belongTo reports, once all leaves are read, whether they are what the
// checkpoint signed.
func (q *leafQueue) belongTo(c *Checkpoint) error {
	if q.from == nil {
		return nil
	}
	read := q.covered()
	if found, expected := read.covers(), c.covers(); found != expected {
		return fmt.Errorf("the file of leaves is not that of the checkpoint: expected %s, found %s", expected, found)
	}
	return nil
}
