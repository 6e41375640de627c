// Package packed writes values closely, and reads them: integers of variable length, as
// encoding/binary has them, and texts with their lengths before them.
package packed

import "encoding/binary"

// AppendText appends a text with its length in bytes before it.
func AppendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Reader takes a value apart, from its beginning. What it cannot read is Bad, after which
// it gives zeros and nothing: one look at the end is enough.
type Reader struct {
	Left []byte // what was not read yet
	Bad  bool   // the value is cut off, or not one
}

// Int reads an integer that binary.AppendVarint wrote.
func (r *Reader) Int() int64 {
	n := r.Uint()
	return int64(n>>1) ^ -int64(n&1)
}

// Uint reads an integer that binary.AppendUvarint wrote.
func (r *Reader) Uint() uint64 {
	if len(r.Left) > 0 && r.Left[0] < 0x80 { // most are short
		n := uint64(r.Left[0])
		r.Left = r.Left[1:]
		return n
	}
	n, size := binary.Uvarint(r.Left)
	if size <= 0 {
		r.Fail()
		return 0
	}
	r.Left = r.Left[size:]
	return n
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// Bytes reads n bytes, which stay where they lie: appending to them changes nothing there.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.Left)) {
		r.Fail()
		return nil
	}
	b := r.Left[:n:n]
	r.Left = r.Left[n:]
	return b
}

// Text reads a text that AppendText wrote, which stays where it lies, like Bytes.
func (r *Reader) Text() []byte { return r.Bytes(r.Uint()) }

// Fail makes it Bad, with nothing left.
func (r *Reader) Fail() { r.Left, r.Bad = nil, true }

// Whole reports whether all of the value was read, and was one.
func (r *Reader) Whole() bool { return !r.Bad && len(r.Left) == 0 }
