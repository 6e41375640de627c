package spill

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"

	"recoup/internal/audit/history"
	"recoup/internal/kit/scratch"
)

// fanOut is the number of partitions that rows are spread over at once, by one
// byte of the hash, and hashBytes how often they can be.
const (
	fanOut    = 256
	hashBytes = 8
)

// Bounds of the bytes at which a block is complete.
const (
	minBlock = 256
	maxBlock = 64 << 10
)

// fan spreads rows over partitions by one byte of their account's hash. Its add is
// safe for concurrent use.
type fan struct {
	level  int // which byte, from the lowest
	words  *words
	file   scratch.File
	block  int   // bytes at which a block is complete
	budget int64 // of complete blocks in memory

	held  atomic.Int64 // bytes of complete blocks in memory
	parts [fanOut]partition
}

// newFan returns a fan that takes up to so many bytes of memory, or as little as
// it can: a block for each partition in use.
func newFan(level int, memory int64, w *words, dir string) *fan {
	block := min(max(memory/(4*fanOut), minBlock), maxBlock)
	return &fan{
		level: level, words: w, file: scratch.File{Dir: dir, Name: "rows"},
		block: int(block), budget: max(memory-fanOut*block, 0),
	}
}

// partition is the rows of the accounts whose hashes have a byte in common.
type partition struct {
	mu      sync.Mutex
	blocks  []block
	written int // the first of them are in the file
	open    encoder
	rows    int64
	text    int64  // bytes of the rows' texts, words aside
	hash    uint64 // of the first row's account
	mixed   bool   // there are other hashes, too
}

// block is a number of rows, encoded.
type block struct {
	data   []byte // nil if it is in the file
	offset int64
	size   int
	sum    uint32
}

// rowMemory is what a row takes in memory while it is handed out, its texts aside:
// the row, its place, and its part in the index of accounts.
var rowMemory = int64(reflect.TypeFor[history.Row]().Size()) + 48

// memory estimates the bytes that the rows take when they are all loaded.
func (p *partition) memory() int64 { return p.rows*rowMemory + p.text }

// add takes a row; hash is its account's.
func (f *fan) add(r *history.Row, hash uint64) error {
	p := &f.parts[byte(hash>>(8*f.level))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rows == 0 {
		p.hash = hash
	}
	p.mixed = p.mixed || p.hash != hash
	p.rows++
	p.text += int64(len(r.Account) + len(r.ID) + len(r.Transaction))
	p.open.add(r, f.words)
	if len(p.open.data) < f.block {
		return nil
	}
	return f.complete(p)
}

// complete ends the partition's open block, and moves the partition to the file if
// there is too much in memory. All partitions come to that in turn.
func (f *fan) complete(p *partition) error {
	full := p.open.data
	p.blocks = append(p.blocks, block{data: full, size: len(full)})
	p.open.begin(make([]byte, 0, f.block+f.block/8))
	if f.held.Add(int64(len(full))) <= f.budget {
		return nil
	}
	for ; p.written < len(p.blocks); p.written++ {
		b := &p.blocks[p.written]
		var err error
		if b.offset, b.sum, err = f.file.Write(b.data); err != nil {
			return err
		}
		b.data = nil
		f.held.Add(-int64(b.size))
	}
	return nil
}

// read calls do with each row of a partition, in the order in which they were
// added, without its account: that is d.account. No row may be added meanwhile.
func (f *fan) read(ctx context.Context, p *partition, d *decoder, buffer *[]byte, do func(r *history.Row) error) error {
	var row history.Row
	rows := func(data []byte) error {
		d.begin(data)
		for d.more() {
			if err := d.next(&row); err != nil {
				return err
			}
			if err := do(&row); err != nil {
				return err
			}
		}
		return nil
	}
	for _, b := range p.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data := b.data
		if data == nil {
			if cap(*buffer) < b.size {
				*buffer = make([]byte, b.size)
			}
			data = (*buffer)[:b.size]
			if err := f.file.Read(data, b.offset, b.sum); err != nil {
				return err
			}
		}
		if err := rows(data); err != nil {
			return err
		}
	}
	return rows(p.open.data)
}
