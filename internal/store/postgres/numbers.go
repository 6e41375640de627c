package postgres

import (
	"cmp"
	"slices"
	"sync"
)

// blockSize is the increment of the sequence event_numbers: each value of it
// stands for a block of so many counts.
const blockSize = 1024

// numbers are event numbers that this process may allot. Each is made of a count,
// which is of this schema alone; multiplied by the stride and with the shard added it
// is a number of all schemas. Blocks of counts come from the sequence, along with what
// a unit of work loads, so that most units need none from the server. Those that are
// not used, because the process ends or a transaction fails, are lost; numbers have
// gaps.
type numbers struct {
	shard, stride int64

	mu   sync.Mutex
	free []span // in rising order
}

// span is the counts from first up to, not including, end.
type span struct{ first, end int64 }

func (s *numbers) number(count int64) int64 { return count*s.stride + s.shard }

// take allots up to n numbers, as many as there are.
func (s *numbers) take(n int) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]int64, 0, n)
	for len(list) < n && len(s.free) > 0 {
		from := &s.free[0]
		for len(list) < n && from.first < from.end {
			list = append(list, s.number(from.first))
			from.first++
		}
		if from.first == from.end {
			s.free = slices.Delete(s.free, 0, 1)
		}
	}
	return list
}

// fill completes a list to n numbers from blocks that the sequence has given for
// it, and keeps what is left of the last one.
func (s *numbers) fill(list []int64, n int, blocks []int64) []int64 {
	for _, first := range blocks {
		end := first + blockSize
		for ; len(list) < n && first < end; first++ {
			list = append(list, s.number(first))
		}
		if first < end {
			s.put(span{first, end})
		}
	}
	slices.Sort(list)
	return list
}

func (s *numbers) put(free span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearchFunc(s.free, free.first, func(have span, first int64) int { return cmp.Compare(have.first, first) })
	s.free = slices.Insert(s.free, at, free)
}

// forget lets go of all numbers that are not taken. A server that was killed, or another
// one in its place, may hand out the last blocks once more: they are safe only when
// something is committed after them.
func (s *numbers) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = nil
}

// blocks is how many blocks n numbers take.
func blocks(n int) int { return (n + blockSize - 1) / blockSize }
