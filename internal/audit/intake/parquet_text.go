package intake

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// appender appends a value as text.
type appender func(dst []byte, v parquet.Value) []byte

// parquetText returns how values of a type become text, or why they cannot. A
// number in floating point is written as the shortest decimal that stands for it,
// which is the one that it was made from.
func parquetText(t parquet.Type) (kind columnKind, text appender, why string) {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			return decimalText(int(l.Scale))
		case *format.TimestampType:
			return timeColumn, timestampText(l), ""
		case *format.DateType:
			return timeColumn, func(dst []byte, v parquet.Value) []byte {
				return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
			}, ""
		case *format.UUIDType:
			return textColumn, appendUUID, ""
		case *format.IntType:
			if !l.IsSigned {
				return textColumn, appendUnsigned, ""
			}
		case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType, nil:
		default:
			return textColumn, nil, fmt.Sprintf("of type %s; expected text, numbers, decimals, dates or timestamps", t)
		}
	}
	switch t.Kind() {
	case parquet.Boolean:
		text = func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }
	case parquet.Int32:
		text = func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, int64(v.Int32()), 10) }
	case parquet.Int64:
		text = func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, v.Int64(), 10) }
	case parquet.Float:
		text = func(dst []byte, v parquet.Value) []byte {
			return strconv.AppendFloat(dst, float64(v.Float()), 'f', -1, 32)
		}
	case parquet.Double:
		text = func(dst []byte, v parquet.Value) []byte { return strconv.AppendFloat(dst, v.Double(), 'f', -1, 64) }
	case parquet.Int96:
		kind, text = timeColumn, appendInt96
	default:
		text = func(dst []byte, v parquet.Value) []byte {
			value := v.ByteArray()
			return append(dst, value[:min(len(value), maxText+1)]...) // so long a text is refused anyway
		}
	}
	return kind, text, ""
}

func appendUnsigned(dst []byte, v parquet.Value) []byte {
	if v.Kind() == parquet.Int32 {
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
	}
	return strconv.AppendUint(dst, v.Uint64(), 10)
}

// timestampText writes a timestamp with its offset from UTC, or as a local time
// where it is none of UTC.
func timestampText(t *format.TimestampType) appender {
	perSecond := int64(time.Second / t.Unit.Value.Duration())
	layout := time.RFC3339Nano
	if !t.IsAdjustedToUTC {
		layout = "2006-01-02T15:04:05.999999999"
	}
	return func(dst []byte, v parquet.Value) []byte {
		n := v.Int64()
		return time.Unix(n/perSecond, n%perSecond*(1e9/perSecond)).UTC().AppendFormat(dst, layout)
	}
}

// decimalText writes decimals. Those without a fraction are integers as others
// are, in whichever units the mapping says.
func decimalText(scale int) (columnKind, appender, string) {
	const most = 38
	if scale < 0 || scale > most {
		return textColumn, nil, fmt.Sprintf("of decimals with %d digits after the point; expected at most %d", scale, most)
	}
	kind := textColumn
	if scale > 0 {
		kind = decimalColumn
	}
	return kind, func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, scale) }, ""
}

// appendDecimal writes an unscaled number, of either integer type or in bytes, as
// one with a point.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	var digits []byte
	switch v.Kind() {
	case parquet.Int32:
		digits = strconv.AppendInt(nil, int64(v.Int32()), 10)
	case parquet.Int64:
		digits = strconv.AppendInt(nil, v.Int64(), 10)
	default:
		digits = unscaled(v.ByteArray())
	}
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if short := scale + 1 - len(digits); short > 0 {
		digits = append(bytes.Repeat([]byte{'0'}, short), digits...)
	}
	point := len(digits) - scale
	dst = append(dst, digits[:point]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[point:]...)
	}
	return dst
}

// unscaled writes a two's complement number, most significant byte first.
func unscaled(number []byte) []byte {
	const longest = 32 // bytes, twice as many as any decimal type has
	if len(number) == 0 || len(number) > longest {
		return []byte("?") // which is no number
	}
	n := new(big.Int).SetBytes(number)
	if number[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(number))*8))
	}
	return n.Append(nil, 10)
}

func appendUUID(dst []byte, v parquet.Value) []byte {
	id := v.ByteArray()
	for i := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, id[i:i+1])
	}
	return dst
}

// appendInt96 writes a moment in the form that Hive and Spark used to write:
// nanoseconds of the day, then the Julian day, in UTC.
func appendInt96(dst []byte, v parquet.Value) []byte {
	const epoch = 2440588 // the Julian day of 1970-01-01
	raw := v.Int96()
	nanos := int64(raw[1])<<32 | int64(raw[0])
	days := int64(raw[2]) - epoch
	return time.Unix(days*86400, nanos).UTC().AppendFormat(dst, time.RFC3339Nano)
}
