package verify

import (
	"bytes"
	"slices"

	"recoup/internal/kit/scratch"
)

// leafSort brings leaves into the order of their names, which says nothing of the order of
// the accounts: from that, who knows the accounts beside one that was forgotten could tell
// which it was. They lie in as many heaps as a byte has values, mostly in a file.
type leafSort struct {
	file  scratch.File
	heaps [256]leafHeap
}

type leafHeap struct {
	open   []byte
	blocks []coveredBlock
}

func newLeafSort() *leafSort { return &leafSort{file: scratch.File{Name: "leaves"}} }

func (s *leafSort) close() error { return s.file.Close() }

func (s *leafSort) add(l *Leaf) (err error) {
	h := &s.heaps[l.Name[0]]
	if h.open = l.appendTo(h.open); len(h.open) < leavesAtATime*leafSize {
		return nil
	}
	b := coveredBlock{size: len(h.open)}
	b.offset, b.sum, err = s.file.Write(h.open)
	h.blocks, h.open = append(h.blocks, b), h.open[:0]
	return err
}

// each calls f with all leaves in order.
func (s *leafSort) each(f func(*Leaf) error) error {
	var list []Leaf
	for i := range s.heaps {
		h := &s.heaps[i]
		list = list[:0]
		take := func(data []byte) {
			for ; len(data) > 0; data = data[leafSize:] {
				list = append(list, leafIn(data))
			}
		}
		for _, b := range h.blocks {
			data := make([]byte, b.size)
			if err := s.file.Read(data, b.offset, b.sum); err != nil {
				return err
			}
			take(data)
		}
		take(h.open)
		slices.SortFunc(list, func(a, b Leaf) int { return bytes.Compare(a.Name[:], b.Name[:]) })
		for j := range list {
			if err := f(&list[j]); err != nil {
				return err
			}
		}
	}
	return nil
}
