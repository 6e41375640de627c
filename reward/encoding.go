package reward

import (
	"encoding/binary"
	"fmt"
)

// What is written down of an account is a sequence of variable-length integers
// and of texts with their lengths before them. The first integer is the format,
// so that what an earlier version of this package wrote can always be read.

// encoding is the format that is written: 2 has places, kinds and holds as
// allocation in four passes needs them.
const encoding = 2

// layeredEncoding is the format of what only terms have that are not plain, and of a
// transaction that says more than where it was made.
const layeredEncoding = 3

// CorruptError says that something which was written down cannot be read back.
type CorruptError struct {
	Account string
	Kind    PartKind // zero: the head
	ID      string
	Problem string
	// Outdated: it is whole, but of a version of this package that gave events
	// another meaning.
	Outdated bool
}

// Error implements error.
func (e *CorruptError) Error() string {
	if e.Kind == 0 {
		return fmt.Sprintf("account %s: its row is damaged: %s", e.Account, e.Problem)
	}
	return fmt.Sprintf("account %s: %s %s is damaged: %s", e.Account, e.Kind, e.ID, e.Problem)
}

// writer appends to a part's data.
type writer struct{ b []byte }

func (w *writer) int(n int64)       { w.b = binary.AppendVarint(w.b, n) }
func (w *writer) instant(i Instant) { w.int(int64(i)) }
func (w *writer) text(s string) {
	w.b = binary.AppendUvarint(w.b, uint64(len(s)))
	w.b = append(w.b, s...)
}

// flags writes up to 63 booleans.
func (w *writer) flags(list ...bool) {
	var n int64
	for i, on := range list {
		if on {
			n |= 1 << i
		}
	}
	w.int(n)
}

// reader reads what a writer wrote. Damage makes it panic with a *CorruptError,
// which Open returns as an error and callers of Apply recover, as any failure to
// read from a shelf.
type reader struct {
	b       []byte
	what    CorruptError
	layered bool // it is of layeredEncoding
}

func (a *Account) reader(kind PartKind, id string, data []byte) *reader {
	return newReader(a.id, kind, id, data)
}

func newReader(account string, kind PartKind, id string, data []byte) *reader {
	r := &reader{b: data, what: CorruptError{Account: account, Kind: kind, ID: id}}
	format := r.int()
	r.layered = format == layeredEncoding && (kind == TransactionPart || kind == BucketPart)
	if format != encoding && !r.layered {
		r.what.Outdated = format > 0 && format < encoding
		r.fail(fmt.Sprintf("format %d, expected %d; one of another version of Recoup is brought over with recoup rebuild", format, encoding))
	}
	return r
}

func (r *reader) fail(problem string) {
	e := r.what
	e.Problem = problem
	panic(&e)
}

func (r *reader) int() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.fail("it ends too early")
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) instant() Instant { return Instant(r.int()) }

func (r *reader) text() string { return string(r.skip()) }

// skip passes over a text, which is good as long as what is read.
func (r *reader) skip() []byte {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > uint64(len(r.b)-size) {
		r.fail("it ends too early")
	}
	s := r.b[size : size+int(n)]
	r.b = r.b[size+int(n):]
	return s
}

// count reads how many of something follow, each at least one byte long.
func (r *reader) count() int {
	n := r.int()
	if n < 0 || n > int64(len(r.b)) {
		r.fail(fmt.Sprintf("%d elements cannot follow", n))
	}
	return int(n)
}

func (r *reader) flags(list ...*bool) {
	n := r.int()
	for i, on := range list {
		*on = n&(1<<i) != 0
	}
}

func (r *reader) end() {
	if len(r.b) > 0 {
		r.fail(fmt.Sprintf("%d bytes are left over", len(r.b)))
	}
}
