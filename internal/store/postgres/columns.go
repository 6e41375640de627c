package postgres

import "encoding/binary"

// row is a row as the server sent it, in its binary format; it is valid until
// the next one is read, so what is kept of it is copied, which the functions below do.
// NULL is nil.
type row [][]byte

// integer reads an INT8, NULL as zero.
func integer(v []byte) int64 {
	if v == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(v))
}

// small reads an INT2.
func small(v []byte) int16 { return int16(binary.BigEndian.Uint16(v)) }

// flag reads a BOOL.
func flag(v []byte) bool { return v[0] != 0 }

// text reads a TEXT.
func text(v []byte) string { return string(v) }

// data reads a BYTEA, NULL as nil.
func data(v []byte) []byte {
	if v == nil {
		return nil
	}
	return append(make([]byte, 0, len(v)), v...)
}
