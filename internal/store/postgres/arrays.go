package postgres

import (
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Rows are written column by column, as arrays. The driver's own way to encode
// an array takes any element of any type; here the common ones are written
// straight into a buffer of the right size, in PostgreSQL's binary format:
// dimensions, whether there are NULLs, type of the elements, length, lower bound,
// and then each element after its size.

const arrayHeader = 5 * 4

// arrays teaches a connection to encode slices of these types.
func arrays(conn *pgx.Conn) {
	m := conn.TypeMap()
	for _, t := range []struct {
		name           string
		array, element uint32
	}{
		{"_text", pgtype.TextArrayOID, pgtype.TextOID},
		{"_bytea", pgtype.ByteaArrayOID, pgtype.ByteaOID},
		{"_int8", pgtype.Int8ArrayOID, pgtype.Int8OID},
		{"_int2", pgtype.Int2ArrayOID, pgtype.Int2OID},
		{"_bool", pgtype.BoolArrayOID, pgtype.BoolOID},
	} {
		element, _ := m.TypeForOID(t.element)
		m.RegisterType(&pgtype.Type{Name: t.name, OID: t.array, Codec: arrayCodec{&pgtype.ArrayCodec{ElementType: element}}})
	}
}

// arrayCodec is pgx's, but for how it encodes.
type arrayCodec struct{ *pgtype.ArrayCodec }

func (c arrayCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if format == pgtype.BinaryFormatCode {
		switch value.(type) {
		case []string, [][]byte, []int64, []int16, []bool:
			return arrayPlan(c.ElementType.OID)
		}
	}
	return c.ArrayCodec.PlanEncode(m, oid, format, value)
}

// arrayPlan encodes arrays whose elements have this type.
type arrayPlan uint32

func (p arrayPlan) Encode(value any, buf []byte) ([]byte, error) {
	switch list := value.(type) {
	case []string:
		size := 0
		for _, v := range list {
			size += len(v)
		}
		buf = p.header(buf, len(list), size, false)
		for _, v := range list {
			buf = append(binary.BigEndian.AppendUint32(buf, uint32(len(v))), v...)
		}
	case [][]byte:
		size, nulls := 0, false
		for _, v := range list {
			size += len(v)
			nulls = nulls || v == nil
		}
		buf = p.header(buf, len(list), size, nulls)
		for _, v := range list {
			length := uint32(len(v))
			if v == nil {
				length = 1<<32 - 1 // which stands for NULL
			}
			buf = append(binary.BigEndian.AppendUint32(buf, length), v...)
		}
	case []int64:
		buf = p.header(buf, len(list), 8*len(list), false)
		for _, v := range list {
			buf = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(buf, 8), uint64(v))
		}
	case []int16:
		buf = p.header(buf, len(list), 2*len(list), false)
		for _, v := range list {
			buf = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(buf, 2), uint16(v))
		}
	case []bool:
		buf = p.header(buf, len(list), len(list), false)
		for _, v := range list {
			one := byte(0)
			if v {
				one = 1
			}
			buf = append(binary.BigEndian.AppendUint32(buf, 1), one)
		}
	}
	return buf, nil
}

// header makes room for n elements of a size in all and writes what comes before
// them.
func (p arrayPlan) header(buf []byte, n, size int, nulls bool) []byte {
	buf = slices.Grow(buf, arrayHeader+4*n+size)
	dimensions, flags := uint32(1), uint32(0)
	if n == 0 {
		dimensions = 0
	}
	if nulls {
		flags = 1
	}
	buf = binary.BigEndian.AppendUint32(buf, dimensions)
	buf = binary.BigEndian.AppendUint32(buf, flags)
	buf = binary.BigEndian.AppendUint32(buf, uint32(p))
	if n == 0 {
		return buf
	}
	buf = binary.BigEndian.AppendUint32(buf, uint32(n))
	return binary.BigEndian.AppendUint32(buf, 1)
}
