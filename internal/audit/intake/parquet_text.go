package intake

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// appender appends a value as text.
type appender func(dst []byte, v parquet.Value) []byte

// parquetText returns how values of a type become text, or why they cannot.
func parquetText(t parquet.Type) (kind columnKind, text appender, why string) {
	if t.Kind() == parquet.Int96 {
		return timeColumn, appendInt96, ""
	}
	logical := t.LogicalType()
	if logical == nil {
		return textColumn, appendPlain, ""
	}
	switch l := logical.Value.(type) {
	case *format.DecimalType:
		const most = 38
		switch scale := int(l.Scale); {
		case scale < 0 || scale > most:
			return textColumn, nil, fmt.Sprintf("of decimals with %d digits after the point; expected at most %d", scale, most)
		case scale > 0:
			return decimalColumn, func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, scale) }, ""
		}
		return textColumn, appendWhole, "" // in whichever units the mapping says
	case *format.TimestampType:
		perSecond := int64(time.Second / l.Unit.Value.Duration())
		layout := time.RFC3339Nano
		if !l.IsAdjustedToUTC {
			layout = "2006-01-02T15:04:05.999999999"
		}
		return timeColumn, func(dst []byte, v parquet.Value) []byte {
			n := v.Int64()
			return time.Unix(n/perSecond, n%perSecond*(1e9/perSecond)).UTC().AppendFormat(dst, layout)
		}, ""
	case *format.DateType:
		return timeColumn, func(dst []byte, v parquet.Value) []byte {
			return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
		}, ""
	case *format.UUIDType:
		return textColumn, func(dst []byte, v parquet.Value) []byte {
			id := v.ByteArray()
			return fmt.Appendf(dst, "%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
		}, ""
	case *format.IntType:
		if !l.IsSigned {
			return textColumn, appendUnsigned, ""
		}
	case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType, nil:
	default:
		return textColumn, nil, fmt.Sprintf("of type %s; expected text, numbers, decimals, dates or timestamps", t)
	}
	return textColumn, appendPlain, ""
}

// appendPlain writes a value of no logical type. A number in floating point is written
// as the shortest decimal that stands for it, which is the one that it was made from.
func appendPlain(dst []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(dst, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case parquet.Float:
		return strconv.AppendFloat(dst, float64(v.Float()), 'f', -1, 32)
	case parquet.Double:
		return strconv.AppendFloat(dst, v.Double(), 'f', -1, 64)
	}
	value := v.ByteArray()
	return append(dst, value[:min(len(value), maxText+1)]...) // so long a text is refused anyway
}

func appendUnsigned(dst []byte, v parquet.Value) []byte {
	if v.Kind() == parquet.Int32 {
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
	}
	return strconv.AppendUint(dst, v.Uint64(), 10)
}

// appendDecimal writes an unscaled number as one with a point.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	dst = appendWhole(dst, v)
	first := 0
	if dst[0] == '-' {
		first = 1
	}
	for len(dst)-first <= scale {
		dst = slices.Insert(dst, first, '0')
	}
	return slices.Insert(dst, len(dst)-scale, '.')
}

// appendWhole writes an unscaled number: of either integer type, or in bytes as two's
// complement, the most significant first.
func appendWhole(dst []byte, v parquet.Value) []byte {
	if kind := v.Kind(); kind == parquet.Int32 || kind == parquet.Int64 {
		return appendPlain(dst, v)
	}
	const longest = 32 // bytes, twice as many as any decimal type has
	number := v.ByteArray()
	if len(number) == 0 || len(number) > longest {
		return append(dst, '?') // which is no number
	}
	n := new(big.Int).SetBytes(number)
	if number[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(number))*8))
	}
	return n.Append(dst, 10)
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
