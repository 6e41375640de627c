package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"

	"recoup/internal/intake/history"
	"recoup/internal/kit/packed"
	"recoup/reward"
)

// Bytes of a chunk of a pile, with what is left of one that is full, and of a block of a table.
const (
	chunkSize = 1 << 20
	chunkRest = 1 << 10
	blockSize = 16 << 10
)

// pile is rows in memory. What they say is in chunks, so that it grows without being copied.
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

func (p *pile) add(r *history.Row, hash, number uint64) {
	if cap(p.chunk)-len(p.chunk) < chunkRest {
		p.chunk = make([]byte, 0, chunkSize)
	}
	start := len(p.chunk)
	p.chunk = appendKey(p.chunk, r, hash, number)
	key := len(p.chunk) - start
	p.chunk = appendRow(p.chunk, r)
	e := entry{bits.ReverseBytes64(hash), p.chunk[start:], key}
	p.rows = append(p.rows, e)
	p.size += int64(len(e.bytes)) + int64(unsafe.Sizeof(e))
}

// write sorts the rows and writes them as a table.
func (p *pile) write(to *objstorage.MemObj) error {
	slices.SortFunc(p.rows, func(a, b entry) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return bytes.Compare(a.bytes[:a.key], b.bytes[:b.key])
	})
	w := sstable.NewWriter(to, sstable.WriterOptions{TableFormat: sstable.TableFormatPebblev2, BlockSize: blockSize, Compression: sstable.NoCompression})
	for i := range p.rows {
		e := &p.rows[i]
		if err := w.Set(e.bytes[:e.key], e.bytes[e.key:]); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

const signBit = 1 << 63 // moves moments so that all are above zero

// appendKey writes what says where a row comes: the hash of its account, the lowest byte
// first; the account; the moment; the kind, and in seven bytes how many rows came before.
func appendKey(dst []byte, r *history.Row, hash, number uint64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, hash)
	dst = packed.AppendText(dst, r.Account)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.At)^signBit)
	return binary.BigEndian.AppendUint64(dst, uint64(r.Kind)<<56|number)
}

// appendRow writes what the key does not say of a row.
func appendRow(dst []byte, r *history.Row) []byte {
	dst = binary.AppendVarint(dst, r.Amount)
	dst = binary.AppendUvarint(dst, uint64(r.MCC))
	for _, text := range [...]string{r.ID, r.Transaction, r.Merchant, r.Category} {
		dst = packed.AppendText(dst, text)
	}
	return dst
}

var errMalformed = errors.New("a row in memory or in the temporary file is malformed")

// readRow reads a row. Its texts share one copy of their bytes, and its account is the one
// before if that has the same name.
func readRow(key, value []byte, before string) (history.Row, error) {
	k, in := packed.Reader{Left: key}, packed.Reader{Left: value}
	var place [16]byte
	k.Bytes(8)
	account := k.Text()
	copy(place[:], k.Bytes(16))
	r := history.Row{
		Kind: history.Kind(place[8]), At: reward.Instant(binary.BigEndian.Uint64(place[:]) ^ signBit),
		Amount: in.Int(), MCC: reward.MCC(in.Uint()), Account: before,
	}
	if string(account) != before {
		r.Account = string(account)
	}
	texts := string(in.Left)
	for _, text := range [...]*string{&r.ID, &r.Transaction, &r.Merchant, &r.Category} {
		n := len(in.Text())
		end := len(texts) - len(in.Left)
		*text = texts[max(end-n, 0):max(end, 0)]
	}
	if !k.Whole() || !in.Whole() {
		return r, errMalformed
	}
	return r, nil
}
