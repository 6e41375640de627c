package event

import (
	"bytes"
	"io"
	"slices"

	"recoup/reward"
)

// blockSize is how much is read, decoded and handed over at once, in bytes. A
// block and its events should stay in a processor's cache from one end of the
// Reader to the other.
const blockSize = 64 << 10

// block is a piece of the stream on its way to the consumer: whole lines at
// first, then their events as well.
type block struct {
	buffer []byte
	lines  []byte // the part of the buffer that holds whole lines
	events []reward.Event
	err    error // what is wrong after the events
	last   bool
	// decoded has room for the one signal that the events are there.
	decoded chan struct{}
}

func newBlock() *block {
	return &block{buffer: make([]byte, 0, blockSize), decoded: make(chan struct{}, 1)}
}

// decode turns the lines into events, up to the first bad one. The line of an
// error counts from the first of the block.
func (b *block) decode(d *Decoder) {
	for rest := b.lines; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, newline)
		n := len(b.events)
		if n == cap(b.events) {
			b.events = slices.Grow(b.events, 1)
		}
		b.events = b.events[:n+1]
		if err := d.Decode(line, &b.events[n]); err != nil {
			b.events, b.err = b.events[:n], err
			return
		}
	}
}

// cutter cuts a stream into blocks of whole lines.
type cutter struct {
	in   io.Reader
	rest []byte // the beginning of a line that the last block had no end of
}

// maxIdleReads is how often a stream may give nothing before it counts as
// broken.
const maxIdleReads = 100

// fill refills the block with the next lines of the stream. It reads until the
// buffer is full and has the end of a line, and no more than a little beyond
// MaxLine. The error of a stream that fails is kept in the block, to be met
// after the lines that came before.
func (c *cutter) fill(b *block) {
	buffer := append(b.buffer[:0], c.rest...)
	c.rest = c.rest[:0]
	b.events, b.err, b.last = b.events[:0], nil, false
	end, idle := 0, 0 // end of the last whole line
	for !b.last {
		if len(buffer) == cap(buffer) {
			if end > 0 {
				break
			}
			if len(buffer) > MaxLine {
				b.err, b.last = lineTooLong(), true
				break
			}
			buffer = slices.Grow(buffer, min(len(buffer), MaxLine+1-len(buffer)))
		}
		n, err := c.in.Read(buffer[len(buffer):cap(buffer)])
		if i := bytes.LastIndexByte(buffer[len(buffer):len(buffer)+n], '\n'); i >= 0 {
			end = len(buffer) + i + 1
		}
		buffer = buffer[:len(buffer)+n]
		if n > 0 {
			idle = 0
		} else if idle++; err == nil && idle == maxIdleReads {
			err = io.ErrNoProgress
		}
		switch {
		case err == io.EOF:
			end, b.last = len(buffer), true
		case err != nil:
			b.err, b.last = err, true
		}
	}
	c.rest = append(c.rest, buffer[end:]...)
	b.buffer, b.lines = buffer, buffer[:end]
}
