package pebble

import (
	"encoding/binary"
	"fmt"
	"sync"

	lsm "github.com/cockroachdb/pebble/v2"
)

// reserved is how many numbers are put aside at a time; a process that is killed leaves
// as many unused at most.
const reserved = 1 << 16

// numbers allots the numbers of events. None is given out before it is durable that no
// later process gives it out again.
type numbers struct {
	mu    sync.Mutex
	last  int64 // given out
	limit int64 // put aside
}

var numberKey = []byte{numberSpace}

func (n *numbers) open(tree *lsm.DB) error {
	v, closer, err := tree.Get(numberKey)
	if err == lsm.ErrNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer closer.Close()
	last, size := binary.Varint(v)
	if size <= 0 {
		return fmt.Errorf("the number of the last event: %w", errDamaged)
	}
	n.last, n.limit = last, last
	return nil
}

// allot returns numbers that rise.
func (n *numbers) allot(tree *lsm.DB, disk *disk, count int) ([]int64, error) {
	if count == 0 {
		return nil, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if after := n.last + int64(count); after > n.limit {
		if err := disk.outlive(func() error { return n.store(tree, after+reserved) }); err != nil {
			return nil, err
		}
		n.limit = after + reserved
	}
	list := make([]int64, count)
	for i := range list {
		n.last++
		list[i] = n.last
	}
	return list, nil
}

// latest is the last number that was given out.
func (n *numbers) latest() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}

func (n *numbers) store(tree *lsm.DB, limit int64) error {
	return tree.Set(numberKey, binary.AppendVarint(nil, limit), lsm.Sync)
}

// close gives back what was put aside.
func (n *numbers) close(tree *lsm.DB) error {
	if n.limit == n.last {
		return nil
	}
	return n.store(tree, n.last)
}
