package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"recoup/internal/kit/scratch"
)

// What a checkpoint covers is by names that nobody can tell an account from without its
// key. So who compares asks for each account by its name, and in the end for what nobody
// has asked for: accounts that are gone.

// leafSize is how many bytes a leaf has: its name, sequence and chain.
const leafSize = 2*len(Hash{}) + 8

// leavesAtATime is how many leaves are read or sorted at once.
const leavesAtATime = 256

func (l *Leaf) appendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, l.Name[:]...), uint64(l.Sequence))
	return append(b, l.Chain[:]...)
}

func leafIn(b []byte) (l Leaf) {
	copy(l.Name[:], b)
	l.Sequence = int64(binary.BigEndian.Uint64(b[len(l.Name):]))
	copy(l.Chain[:], b[len(l.Name)+8:])
	return l
}

// covered are the leaves of a checkpoint in a temporary file, of which memory has one in
// leavesAtATime. It is safe for concurrent use once all are added.
type covered struct {
	file   scratch.File
	blocks []coveredBlock
	open   []byte
	mu     sync.Mutex
	found  []bool // by place
}

// coveredBlock are leaves that follow each other.
type coveredBlock struct {
	first  Hash
	offset int64
	size   int
	sum    uint32
}

// newCovered keeps all that a reader of leaves has.
func newCovered(leaves *LeafReader, dir string) (c *covered, read Checkpoint, err error) {
	c = &covered{file: scratch.File{Dir: dir, Name: "leaves"}}
	var tree Tree
	for {
		l, err := leaves.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			tree.Add(&l)
			read.Events += l.Sequence
			c.found = append(c.found, false)
			c.open = l.appendTo(c.open)
			err = c.complete(leavesAtATime * leafSize)
		}
		if err != nil {
			return nil, read, errors.Join(err, c.file.Close())
		}
	}
	if err := c.complete(1); err != nil {
		return nil, read, errors.Join(err, c.file.Close())
	}
	read.Accounts, read.Root = tree.Size(), tree.Root()
	return c, read, nil
}

// complete writes the block that is open if it has so many bytes.
func (c *covered) complete(at int) (err error) {
	if len(c.open) < at {
		return nil
	}
	b := coveredBlock{first: Hash(c.open[:len(Hash{})]), size: len(c.open)}
	b.offset, b.sum, err = c.file.Write(c.open)
	c.blocks, c.open = append(c.blocks, b), c.open[:0]
	return err
}

func (c *covered) close() error {
	if c == nil {
		return nil
	}
	return c.file.Close()
}

// find returns what is covered of an account by its name, nil for nothing.
func (c *covered) find(name Hash) (*Leaf, error) {
	if c == nil {
		return nil, nil
	}
	in := sort.Search(len(c.blocks), func(i int) bool { return bytes.Compare(c.blocks[i].first[:], name[:]) > 0 }) - 1
	if in < 0 {
		return nil, nil
	}
	data, err := c.read(in)
	if err != nil {
		return nil, err
	}
	at := sort.Search(len(data)/leafSize, func(i int) bool { return bytes.Compare(data[i*leafSize:][:len(name)], name[:]) >= 0 })
	if at*leafSize == len(data) {
		return nil, nil
	}
	l := leafIn(data[at*leafSize:])
	if l.Name != name {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[in*leavesAtATime+at] = true
	return &l, nil
}

func (c *covered) read(in int) ([]byte, error) {
	b := &c.blocks[in]
	data := make([]byte, b.size)
	return data, c.file.Read(data, b.offset, b.sum)
}

// missed calls f with the leaves that nobody has found.
func (c *covered) missed(f func(*Leaf)) error {
	if c == nil {
		return nil
	}
	for in := range c.blocks {
		own := c.found[in*leavesAtATime : min((in+1)*leavesAtATime, len(c.found))]
		if !slices.Contains(own, false) {
			continue
		}
		data, err := c.read(in)
		if err != nil {
			return err
		}
		for i, found := range own {
			if !found {
				l := leafIn(data[i*leafSize:])
				f(&l)
			}
		}
	}
	return nil
}

// coveredBy is what the checkpoint covers, nil without one. It is an error if the leaves
// are not what was signed.
func (c *run) coveredBy() (*covered, error) {
	if c.options.Leaves == nil {
		return nil, nil
	}
	all, read, err := newCovered(c.options.Leaves, c.options.Scratch)
	if err != nil {
		return nil, err
	}
	if found, expected := read.covers(), c.options.Checkpoint.covers(); found != expected {
		return nil, errors.Join(fmt.Errorf("the file of leaves is not that of the checkpoint: expected %s, found %s", expected, found), all.close())
	}
	return all, nil
}

// gone names the accounts that the checkpoint covers and that are not there, as far as
// they have names.
func (c *run) gone() error {
	return c.covered.missed(func(l *Leaf) {
		c.differ("accounts that the checkpoint signed", fmt.Sprintf("one of %d events that is called %v there", l.Sequence, l.Name), "none")
	})
}
