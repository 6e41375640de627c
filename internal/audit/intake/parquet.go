package intake

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetFile is a Parquet file. Its columns are those that hold values, lists
// aside; one inside a group is named with the groups before it, "a.b". Values
// become text as they are: what reads them next is the same for all formats.
type parquetFile struct {
	file   *os.File
	groups []parquet.RowGroup // not begun yet
	header []column
	leaves []leaf
	wanted []int

	readers []parquet.ColumnChunkValueReader // of the row group at hand, in the order of wanted
	left    int64                            // rows of that group that are not in the batch
	raw     []parquet.Value
	batch   [][]string // of each wanted column, as many values as there are rows
	at      int        // the next one
	read    int64      // rows that next returned
	grown   guard
	fields  []string
}

// leaf is a column that holds values.
type leaf struct {
	index    int
	text     appender
	repeated bool
	why      string // why its values cannot be read; "" where they can
}

const (
	parquetBatch = 1000      // rows
	maxFooter    = 256 << 20 // bytes
	// leastValue is what a value counts for at least where rows are held against the
	// size of their file: a file of a kilobyte may say that it has a billion of one.
	leastValue = 1
)

// openParquet opens a file. Progress, where it is not nil, is told of the bytes
// as they are read.
func openParquet(path string, progress func(int64)) (f *parquetFile, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = notParquet(path, p)
		}
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkFooter(file, info.Size()); err != nil {
		return nil, notParquet(path, err)
	}
	read := &counter{file, &guard{}, progress}
	opened, err := parquet.OpenFile(read, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, notParquet(path, err)
	}
	f = &parquetFile{file: file, groups: opened.RowGroups(), raw: make([]parquet.Value, parquetBatch), grown: guard{packed: info.Size()}}
	f.add(opened.Root(), nil)
	if len(f.header) == 0 || len(f.header) > maxColumns {
		return nil, &Error{File: path, Reason: fmt.Sprintf("expected 1 to %d columns, not %d", maxColumns, len(f.header))}
	}
	var unpacked guard
	for _, group := range opened.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			unpacked.packed += max(min(chunk.MetaData.TotalCompressedSize, info.Size()), 0)
			if err := unpacked.grows(chunk.MetaData.TotalUncompressedSize); err != nil {
				return nil, notParquet(path, err)
			}
		}
	}
	f.fields = make([]string, len(f.header))
	return f, nil
}

// notParquet says that a file is not what its name promises, or is damaged.
func notParquet(path string, why any) error {
	return &Error{File: path, Reason: fmt.Sprintf("expected a Parquet file: %v", why)}
}

// checkFooter sees to the length of the footer, which the file's last bytes say,
// before memory is taken for it.
func checkFooter(file io.ReaderAt, size int64) error {
	var tail [8]byte // the length, then PAR1
	if _, err := file.ReadAt(tail[:], max(size-int64(len(tail)), 0)); err != nil {
		return err
	}
	if length := int64(binary.LittleEndian.Uint32(tail[:])); length > min(size-int64(len(tail)), maxFooter) {
		return fmt.Errorf("its footer is said to have %d bytes, in a file of %d", length, size)
	}
	return nil
}

// add adds the columns below one of the schema.
func (f *parquetFile) add(of *parquet.Column, path []string) {
	for _, c := range of.Columns() {
		path := append(path[:len(path):len(path)], c.Name())
		if !c.Leaf() {
			f.add(c, path)
			continue
		}
		kind, text, why := parquetText(c.Type())
		f.header = append(f.header, column{strings.Join(path, "."), kind})
		f.leaves = append(f.leaves, leaf{c.Index(), text, c.MaxRepetitionLevel() > 0, why})
	}
}

func (f *parquetFile) columns() []column { return f.header }
func (f *parquetFile) place() int64      { return f.read }

func (f *parquetFile) use(columns []int) error {
	f.wanted = nil
	used := make(map[int]bool, len(columns))
	for _, i := range columns {
		name := "column " + quote(f.header[i].name)
		switch leaf := f.leaves[i]; {
		case leaf.repeated:
			return &Error{File: f.file.Name(), Member: name, Reason: "a list; expected one value a row"}
		case leaf.why != "":
			return &Error{File: f.file.Name(), Member: name, Reason: leaf.why}
		}
		if !used[i] {
			f.wanted = append(f.wanted, i)
		}
		used[i] = true
	}
	f.readers = make([]parquet.ColumnChunkValueReader, len(f.wanted))
	f.batch = make([][]string, len(f.wanted))
	return nil
}

func (f *parquetFile) next() ([]string, error) {
	if len(f.batch) == 0 || f.at == len(f.batch[0]) {
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
	for i, c := range f.wanted {
		f.fields[c] = f.batch[i][f.at]
	}
	f.at++
	f.read++
	return f.fields, nil
}

// fill reads the next batch.
func (f *parquetFile) fill() (err error) {
	defer func() {
		if p := recover(); p != nil { // a decoder met what its authors did not expect
			err = notParquet(f.file.Name(), p)
		}
	}()
	for f.left == 0 {
		f.closeReaders()
		if len(f.groups) == 0 || len(f.wanted) == 0 {
			return io.EOF
		}
		group := f.groups[0]
		f.groups = f.groups[1:]
		f.left = group.NumRows()
		chunks := group.ColumnChunks()
		for i, c := range f.wanted {
			f.readers[i] = parquet.NewColumnChunkValueReader(chunks[f.leaves[c].index])
		}
	}
	rows := int(min(f.left, parquetBatch))
	f.at, f.left = 0, f.left-int64(rows)
	for i, c := range f.wanted {
		if err := f.column(i, &f.leaves[c], rows); err != nil {
			return notParquet(f.file.Name(), fmt.Errorf("column %s: %w", quote(f.header[c].name), err))
		}
	}
	return nil
}

// column reads so many values of a wanted column.
func (f *parquetFile) column(i int, l *leaf, rows int) error {
	values := f.batch[i][:0]
	var text []byte
	for len(values) < rows {
		n, err := f.readers[i].ReadValues(f.raw[:rows-len(values)])
		for _, v := range f.raw[:n] {
			if text = text[:0]; !v.IsNull() {
				text = l.text(text, v)
			}
			if err := f.grown.grows(leastValue + int64(len(text))); err != nil {
				return err
			}
			if last := len(values) - 1; last >= 0 && values[last] == string(text) { // most columns say the same again and again
				values = append(values, values[last])
				continue
			}
			values = append(values, string(text))
		}
		switch {
		case len(values) == rows:
		case errors.Is(err, io.EOF) || n == 0 && err == nil:
			return errors.New("has fewer values than rows")
		case err != nil:
			return err
		}
	}
	f.batch[i] = values
	return nil
}

func (f *parquetFile) closeReaders() {
	for i, r := range f.readers {
		if r != nil {
			r.Close()
			f.readers[i] = nil
		}
	}
}

func (f *parquetFile) close() error {
	f.closeReaders()
	return f.file.Close()
}
