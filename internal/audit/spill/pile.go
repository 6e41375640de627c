package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/audit/history"
)

// pile is rows in memory, as they will be in a table. What they say is in chunks, so that it
// grows without being copied.
type pile struct {
	rows  []entry
	chunk []byte // the last
	size  int64  // bytes, about
}

// entry is a row: its key, then its value. Most are told apart by how the key begins.
type entry struct {
	hash  uint64
	bytes []byte
	key   int // bytes of it
}

const chunkSize = 1 << 20

func (p *pile) add(r *history.Row, hash, number uint64) {
	need := len(r.Account) + len(r.ID) + len(r.Transaction) + len(r.Merchant) + len(r.Category) + 10*binary.MaxVarintLen64
	if cap(p.chunk)-len(p.chunk) < need {
		p.chunk = make([]byte, 0, max(chunkSize, need))
	}
	start := len(p.chunk)
	p.chunk = appendKey(p.chunk, r, hash, number)
	key := len(p.chunk) - start
	p.chunk = appendRow(p.chunk, r)
	e := entry{binary.BigEndian.Uint64(p.chunk[start:]), p.chunk[start:len(p.chunk):len(p.chunk)], key}
	p.rows = append(p.rows, e)
	p.size += int64(len(e.bytes)) + int64(unsafe.Sizeof(e))
}

// write sorts the rows and writes them as a table of Pebble's.
func (p *pile) write(blockSize int, packed *sstable.CompressionProfile, to written) error {
	slices.SortFunc(p.rows, func(a, b entry) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return bytes.Compare(a.bytes[:a.key], b.bytes[:b.key])
	})
	w := sstable.NewWriter(to, sstable.WriterOptions{TableFormat: sstable.TableFormatPebblev2, BlockSize: blockSize, Compression: packed})
	for i := range p.rows {
		e := &p.rows[i]
		if err := w.Set(e.bytes[:e.key], e.bytes[e.key:]); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

// written takes what Pebble writes.
type written func(p []byte) error

func (w written) Write(p []byte) error { return w(p) }
func (written) Finish() error          { return nil }
func (written) Abort()                 {}

// table is a table that was written, as Pebble reads one: what it is in is the store's.
type table struct{ *io.SectionReader }

func (t table) Stat() (vfs.FileInfo, error) { return size{n: t.Size()}, nil }
func (table) Close() error                  { return nil }

// size is all that Pebble asks of a file.
type size struct {
	vfs.FileInfo
	n int64
}

func (s size) Size() int64 { return s.n }
