package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"recoup/internal/kit/packed"
	"recoup/internal/kit/scratch"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// A log has events in the order in which they came, and a check wants them by account. To
// read them by account from the log costs many times what it costs to read it from its
// beginning to its end, as each block of it is then read for each account that has an
// event there. So a log is read once, and what is read is piled up: a pile has the events
// of the accounts of a span.

const (
	// pilesInMemory is how many bytes of all piles are in memory; the rest is in a file.
	pilesInMemory = 128 << 20
	// openInMemory is about how many bytes senders have in memory that are on no pile yet.
	openInMemory             = 32 << 20
	smallestBlock, mostBlock = 1 << 10, 64 << 10
)

// piles are the piles of spans.
type piles struct {
	list  []pile
	block int // bytes at which a block is complete
	file  scratch.File
	held  atomic.Int64 // bytes of blocks in memory
}

// pile is a sequence of blocks of what belongs to one span. They are compressed: a fifth
// as much is in memory and goes to the disk, for less than what writing it would cost.
type pile struct {
	mu     sync.Mutex
	blocks []block
	events int64 // also those that are only counted
}

// block is some rows: in memory, or in the file if data is nil.
type block struct {
	data   []byte
	offset int64
	size   int
	sum    uint32
}

func newPiles(spans, senders int, dir string) *piles {
	return &piles{
		list: make([]pile, spans), file: scratch.File{Dir: dir, Name: "events"},
		block: min(max(openInMemory/(spans*senders), smallestBlock), mostBlock),
	}
}

func (p *piles) close() error { return p.file.Close() }

// sender adds to piles. It is not safe for concurrent use; several are.
type sender struct {
	piles *piles
	open  [][]byte
	count []int64
	small []byte
}

func (p *piles) sender() *sender {
	return &sender{piles: p, open: make([][]byte, len(p.list)), count: make([]int64, len(p.list))}
}

// event adds an event to a pile.
func (s *sender) event(to int, e *durable.EventRow) error {
	b := s.open[to]
	b = packed.AppendText(b, e.Account)
	b = binary.AppendVarint(b, e.Number)
	b = binary.AppendVarint(b, e.Sequence)
	b = binary.AppendVarint(b, e.Before)
	b = binary.AppendVarint(b, int64(e.Received))
	b = packed.AppendText(b, e.Source)
	b = packed.AppendText(b, e.Principal)
	b = packed.AppendText(b, e.ID)
	b = packed.AppendText(b, e.Type)
	b = append(b, byte(e.Outcome), byte(e.Code))
	b = packed.AppendText(b, e.Event)
	if e.Postings == nil {
		b = append(b, 0)
	} else {
		b = packed.AppendText(append(b, 1), e.Postings)
	}
	s.count[to]++
	if s.open[to] = b; len(b) < s.piles.block {
		return nil
	}
	return s.complete(to)
}

// complete puts the block that is open on its pile.
func (s *sender) complete(to int) error {
	s.small = s2.Encode(s.small[:cap(s.small)], s.open[to])
	one := block{size: len(s.small)}
	s.open[to] = s.open[to][:0]
	if held := s.piles.held.Add(int64(one.size)); held <= pilesInMemory {
		one.data = bytes.Clone(s.small)
	} else {
		s.piles.held.Add(-int64(one.size))
		var err error
		if one.offset, one.sum, err = s.piles.file.Write(s.small); err != nil {
			return err
		}
	}
	p := &s.piles.list[to]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks = append(p.blocks, one)
	return nil
}

// close completes all that is open.
func (s *sender) close() error {
	for to := range s.open {
		if len(s.open[to]) > 0 {
			if err := s.complete(to); err != nil {
				return err
			}
		}
		p := &s.piles.list[to]
		p.mu.Lock()
		p.events += s.count[to]
		p.mu.Unlock()
	}
	s.open = nil
	return nil
}

// take takes a pile away and returns its bytes, in what the caller has for them.
func (p *piles) take(of int, into []byte) ([]byte, error) {
	from := &p.list[of]
	into = into[:0]
	var read []byte
	for i := range from.blocks {
		b := &from.blocks[i]
		small := b.data
		if small == nil {
			read = slices.Grow(read[:0], b.size)[:b.size]
			if err := p.file.Read(read, b.offset, b.sum); err != nil {
				return nil, err
			}
			small = read
		} else {
			p.held.Add(-int64(b.size))
			b.data = nil
		}
		n, err := s2.DecodedLen(small)
		if err == nil {
			at := len(into)
			into = slices.Grow(into, n)[:at+n]
			_, err = s2.Decode(into[at:], small)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errPile, err)
		}
	}
	from.blocks = nil
	return into, nil
}

// unpiler takes what was on a pile apart again.
type unpiler struct {
	packed.Reader
	names map[string]string // texts that come again and again
}

var errPile = errors.New("what was put on a pile is not what was taken from it")

// mostNames is how many texts an unpiler keeps.
const mostNames = 1 << 12

// name reads a text that is likely to have come before.
func (u *unpiler) name() string {
	b := u.Text()
	if known, ok := u.names[string(b)]; ok {
		return known
	}
	if u.names == nil || len(u.names) >= mostNames {
		u.names = make(map[string]string)
	}
	text := string(b)
	u.names[text] = text
	return text
}

// event reads an event, after its account. Its line and its postings lie in the
// pile.
func (u *unpiler) event(account string, e *durable.EventRow) {
	*e = durable.EventRow{
		Account: account, Number: u.Int(), Sequence: u.Int(), Before: u.Int(), Received: reward.Instant(u.Int()),
		Source: u.name(), Principal: u.name(), ID: string(u.Text()), Type: u.name(), Outcome: reward.Outcome(u.Byte()), Code: reward.Code(u.Byte()), Event: u.Text(),
	}
	if u.Byte() == 1 {
		e.Postings = u.Text()
	}
}

// skip reads of an event, after its account, only where it stands.
func (u *unpiler) skip() (number, sequence int64) {
	number, sequence = u.Int(), u.Int()
	u.Int()
	u.Int()
	for range 4 {
		u.Text()
	}
	u.Bytes(2)
	u.Text()
	if u.Byte() == 1 {
		u.Text()
	}
	return number, sequence
}
