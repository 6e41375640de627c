package intake

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

const (
	maxFooter = 256 << 20 // bytes
	// leastValue is what a value counts for at least where rows are held against the
	// size of their file: a file of a kilobyte may say that it has a billion of one.
	leastValue = 1
)

// parquetRows reads a Parquet file. Its columns are those that hold values, lists
// aside; one inside a group is named with the groups before it, "a.b". Values
// become text as they are: what reads them next is the same for all formats.
type parquetRows struct {
	*file
	groups []parquet.RowGroup // not begun yet
	leaves []leaf
	wanted []int
	left   int64 // rows of the group at hand
	grown  guard
	fields []string
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
func (f *file) openParquet(*layout) error {
	// The last bytes say how long the footer is, before memory is taken for it.
	var tail [8]byte
	if _, err := f.disk.ReadAt(tail[:], max(f.size-int64(len(tail)), 0)); err != nil {
		return err
	}
	if length := int64(binary.LittleEndian.Uint32(tail[:])); length > min(f.size-int64(len(tail)), maxFooter) {
		return fmt.Errorf("its footer is said to have %d bytes, in a file of %d", length, f.size)
	}
	opened, err := parquet.OpenFile(f, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	var unpacked guard
	for _, group := range opened.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			unpacked.packed += max(min(chunk.MetaData.TotalCompressedSize, f.size), 0)
			if err := unpacked.grows(chunk.MetaData.TotalUncompressedSize); err != nil {
				return err
			}
		}
	}
	p := &parquetRows{file: f, groups: opened.RowGroups(), grown: guard{packed: f.size}}
	for _, path := range opened.Schema().Columns() {
		c, _ := opened.Schema().Lookup(path...)
		kind, text, why := parquetText(c.Node.Type())
		if c.MaxRepetitionLevel > 0 {
			why = "a list; expected one value a row"
		}
		f.columns = append(f.columns, column{strings.Join(path, "."), kind})
		p.leaves = append(p.leaves, leaf{index: c.ColumnIndex, text: text, why: why})
	}
	p.fields = make([]string, len(p.leaves))
	f.use, f.row = p.want, p.row
	f.closers = append(f.closers, p.closeGroup)
	return nil
}

func (p *parquetRows) want(columns []int) error {
	for _, i := range columns {
		if why := p.leaves[i].why; why != "" {
			return p.wrong("column", p.columns[i].name, "%s", why)
		}
	}
	p.wanted = slices.Compact(slices.Sorted(slices.Values(columns)))
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
			return nil, fmt.Errorf("expected a Parquet file: a group of %d rows", p.left)
		}
		p.groups = p.groups[1:]
		for _, c := range p.wanted {
			p.leaves[c].from = parquet.NewColumnChunkValueReader(chunks[p.leaves[c].index])
		}
	}
	p.left--
	p.place++
	for _, c := range p.wanted {
		text, err := p.leaves[c].next()
		if err == nil {
			err = p.grown.grows(leastValue + int64(len(text)))
		}
		if err != nil {
			return nil, fmt.Errorf("expected a Parquet file: column %s: %w", quote(p.columns[c].name), err)
		}
		p.fields[c] = text
	}
	return p.fields, nil
}

// next returns the next value of the column as text.
func (l *leaf) next() (string, error) {
	if len(l.values) == 0 {
		if l.space == nil {
			l.space = make([]parquet.Value, batchRows)
		}
		n, err := l.from.ReadValues(l.space)
		if n == 0 && (err == nil || errors.Is(err, io.EOF)) {
			err = errors.New("has fewer values than rows")
		}
		if n == 0 {
			return "", err
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
	return l.last, nil
}

func (p *parquetRows) closeGroup() (err error) {
	for i := range p.leaves {
		if l := &p.leaves[i]; l.from != nil {
			err = errors.Join(err, l.from.Close())
			l.from, l.values = nil, nil
		}
	}
	return err
}
