package sqlite

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"recoup/reward"
	"recoup/store/durable"
)

// A row of the backlog holds what one commit left, one thing after the other,
// each begun by a byte that says what it is. Numbers are varints; texts and blobs
// have their length in front, blobs one more than it, 0 for nil.
const (
	accountRecord  = 'a'
	partRecord     = 'p'
	identityRecord = 'i'
)

// appendChanges appends what is to be filed of the changes.
func appendChanges(dst []byte, c *durable.Changes) []byte {
	for i := range c.Accounts {
		a := &c.Accounts[i]
		dst = append(dst, accountRecord)
		dst = appendText(dst, a.Account)
		dst = appendText(dst, a.Program)
		dst = binary.AppendVarint(dst, a.Version)
		dst = binary.AppendVarint(dst, a.Last)
		dst = binary.AppendVarint(dst, int64(a.Due))
		dst = appendBlob(dst, a.Head)
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		dst = append(dst, partRecord, byte(p.Kind))
		dst = appendText(dst, p.Account)
		dst = appendText(dst, p.ID)
		dst = binary.AppendVarint(dst, flag(p.Working))
		dst = binary.AppendVarint(dst, p.Bucket)
		dst = binary.AppendVarint(dst, int64(p.Settled))
		dst = binary.AppendVarint(dst, int64(p.ReviewSince))
		dst = appendBlob(dst, p.Data)
	}
	for i := range c.Events {
		e := &c.Events[i]
		dst = append(dst, identityRecord)
		dst = appendText(dst, e.Account)
		dst = appendText(dst, e.Source)
		dst = appendText(dst, e.ID)
		dst = binary.AppendVarint(dst, e.Number)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendBlob(dst, b []byte) []byte {
	if b == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(b))+1), b...)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// reader reads a row of the backlog.
type reader struct {
	rest []byte
	text string // the same as rest
	bad  bool
}

var errBacklog = errors.New("the backlog holds a row that is cut off or not one; restore the database from a backup")

// readChanges calls back for everything in a row of the backlog, in order. What
// it hands out lies in the row, which must not be changed any more.
func readChanges(row []byte, account func(durable.AccountRow), part func(durable.Part), identity func(durable.Identity, int64)) error {
	r := reader{rest: row, text: unsafe.String(unsafe.SliceData(row), len(row))}
	for len(r.rest) > 0 && !r.bad {
		switch r.byte() {
		case accountRecord:
			a := durable.AccountRow{Account: r.string(), Program: r.string(), Version: r.int(), Last: r.int(), Due: reward.Instant(r.int()), Head: r.blob()}
			if !r.bad {
				account(a)
			}
		case partRecord:
			kind := reward.PartKind(r.byte())
			p := durable.Part{Account: r.string(), Part: reward.Part{
				Kind: kind, ID: r.string(), Working: r.int() == 1, Bucket: r.int(),
				Settled: reward.Instant(r.int()), ReviewSince: reward.Instant(r.int()), Data: r.blob(),
			}}
			if !r.bad {
				part(p)
			}
		case identityRecord:
			id := durable.Identity{Account: r.string(), Source: r.string(), ID: r.string()}
			if number := r.int(); !r.bad {
				identity(id, number)
			}
		default:
			r.bad = true
		}
	}
	if r.bad {
		return errBacklog
	}
	return nil
}

func (r *reader) skip(n int) {
	r.rest, r.text = r.rest[n:], r.text[n:]
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.skip(1)
	return b
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.skip(n)
	return v
}

// length reads a length, of which less many are what follows.
func (r *reader) length(less uint64) int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v < less || v-less > uint64(len(r.rest)-n) {
		r.bad = true
		return 0
	}
	r.skip(n)
	return int(v - less)
}

func (r *reader) string() string {
	n := r.length(0)
	if r.bad {
		return ""
	}
	s := r.text[:n]
	r.skip(n)
	return s
}

func (r *reader) blob() []byte {
	if len(r.rest) > 0 && r.rest[0] == 0 {
		r.skip(1)
		return nil
	}
	n := r.length(1)
	if r.bad {
		return nil
	}
	b := r.rest[:n:n]
	r.skip(n)
	return b
}
