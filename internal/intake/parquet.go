package intake

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const maxDecimal = 38 // digits of a decimal; its bytes are fewer

// parquetRows reads a Parquet file. Its columns are those that hold values, lists
// aside; one inside a group is named with the groups before it, "a.b". Values
// become text as they are: what reads them next is the same for all formats.
type parquetRows struct {
	*file
	groups   []parquet.RowGroup // not begun yet
	leaves   []leaf             // of the columns
	wanted   []*leaf            // in the order of the file
	left     int64              // rows of the group at hand
	unpacked guard
	fields   []string
}

// leaf is a column that holds values.
type leaf struct {
	index int
	text  appender
	why   string // why its values cannot be read; "" where they can

	from   parquet.ColumnChunkValueReader // of the group at hand
	space  []parquet.Value
	values []parquet.Value // not looked at yet
	bytes  []byte
	last   string // most columns say the same again and again
}

// openParquet begins to read a file.
func (f *file) openParquet() error {
	// The last bytes say how long the footer is, before memory is taken for it.
	var tail [8]byte
	if _, err := f.disk.ReadAt(tail[:], max(f.size-8, 0)); err != nil {
		return err
	}
	if length := int64(binary.LittleEndian.Uint32(tail[:])); length > f.size-8 {
		return fmt.Errorf("its footer is said to have %d bytes, in a file of %d", length, f.size)
	}
	opened, err := parquet.OpenFile(f, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	var said guard
	for _, group := range opened.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			said.packed += max(min(chunk.MetaData.TotalCompressedSize, f.size), 0)
			if err := said.grows(chunk.MetaData.TotalUncompressedSize); err != nil {
				return err
			}
		}
	}
	p := &parquetRows{file: f, groups: opened.RowGroups(), unpacked: guard{packed: f.size}}
	for _, path := range opened.Schema().Columns() {
		c, _ := opened.Schema().Lookup(path...)
		kind, text, why := parquetText(c.Node.Type())
		if c.MaxRepetitionLevel > 0 {
			why = "a list; expected one value a row"
		}
		f.columns, f.kinds = append(f.columns, strings.Join(path, ".")), append(f.kinds, kind)
		p.leaves = append(p.leaves, leaf{index: c.ColumnIndex, text: text, why: why})
	}
	p.fields = make([]string, len(p.leaves))
	f.use, f.row = p.use, p.row
	f.closers = append(f.closers, p.closeGroup)
	return nil
}

func (p *parquetRows) use(column int) error {
	l := &p.leaves[column]
	switch {
	case l.why != "":
		return p.wrong("column", p.columns[column], "%s", l.why)
	case l.space == nil:
		l.space = make([]parquet.Value, batchRows)
		p.wanted = append(p.wanted, l)
		slices.SortFunc(p.wanted, func(a, b *leaf) int { return cmp.Compare(a.index, b.index) })
	}
	return nil
}

func (p *parquetRows) row() ([]string, error) {
	for p.left <= 0 {
		p.closeGroup()
		if len(p.groups) == 0 || len(p.wanted) == 0 {
			return nil, io.EOF
		}
		chunks := p.groups[0].ColumnChunks()
		if p.left = p.groups[0].NumRows(); p.left < 0 {
			return nil, fmt.Errorf("a group of %d rows", p.left)
		}
		p.groups = p.groups[1:]
		for _, l := range p.wanted {
			l.from = parquet.NewColumnChunkValueReader(chunks[l.index])
		}
	}
	p.left--
	p.place++
	for _, l := range p.wanted {
		err := l.next()
		if err == nil { // a value counts for something: a file of a kilobyte may say that it has a billion of one
			err = p.unpacked.grows(1 + int64(len(l.last)))
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", quote(p.columns[l.index]), err)
		}
		p.fields[l.index] = l.last
	}
	return p.fields, nil
}

// next goes to the next value of the column.
func (l *leaf) next() error {
	if len(l.values) == 0 {
		n, err := l.from.ReadValues(l.space)
		if n == 0 && (err == nil || errors.Is(err, io.EOF)) {
			err = errors.New("has fewer values than rows")
		}
		if n == 0 {
			return err
		}
		l.values = l.space[:n]
	}
	l.bytes = l.bytes[:0]
	if v := l.values[0]; !v.IsNull() {
		l.bytes = l.text(l.bytes, v)
	}
	if l.values = l.values[1:]; string(l.bytes) != l.last {
		l.last = string(l.bytes)
	}
	return nil
}

func (p *parquetRows) closeGroup() (err error) {
	for _, l := range p.wanted {
		if l.from != nil {
			err = errors.Join(err, l.from.Close())
		}
		l.from, l.values = nil, nil
	}
	return err
}

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
		kind := decimalColumn
		switch {
		case l.Scale < 0 || l.Scale > maxDecimal:
			why = fmt.Sprintf("of decimals with %d digits after the point; expected at most %d", l.Scale, maxDecimal)
		case l.Scale == 0:
			kind = textColumn // in whichever units the mapping says
		}
		return kind, func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, int(l.Scale)) }, why
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
			return textColumn, func(dst []byte, v parquet.Value) []byte {
				return strconv.AppendUint(dst, v.Uint64()&(1<<l.BitWidth-1), 10)
			}, ""
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

// appendDecimal writes a number with so many digits behind the point.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	dst = appendWhole(dst, v)
	first := len(dst) - len(bytes.TrimPrefix(dst, []byte("-")))
	for len(dst)-first <= scale {
		dst = slices.Insert(dst, first, '0')
	}
	if scale == 0 {
		return dst
	}
	return slices.Insert(dst, len(dst)-scale, '.')
}

// appendWhole writes a whole number: of either integer type, or in bytes as two's
// complement, the most significant first.
func appendWhole(dst []byte, v parquet.Value) []byte {
	if kind := v.Kind(); kind == parquet.Int32 || kind == parquet.Int64 {
		return appendPlain(dst, v)
	}
	number := v.ByteArray()
	if len(number) == 0 || len(number) > maxDecimal {
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
	days := int64(raw[2]) - epoch
	return time.Unix(days*86400, raw.Int64()).UTC().AppendFormat(dst, time.RFC3339Nano)
}
