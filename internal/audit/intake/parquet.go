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
	batch   string  // the text of some rows
	ends    [][]int // of the values of each wanted column in the batch
	rows    int     // in the batch
	at      int     // the next one
	read    int64   // rows that next returned
	fields  []string
}

// leaf is a column that holds values.
type leaf struct {
	index    int
	text     appender
	repeated bool
	why      string // why its values cannot be read; "" where they can
}

const parquetBatch = 1000 // rows

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
	opened, err := parquet.OpenFile(&countingFile{file, progress}, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, notParquet(path, err)
	}
	f = &parquetFile{file: file, groups: opened.RowGroups(), raw: make([]parquet.Value, parquetBatch)}
	f.add(opened.Root(), nil)
	if len(f.header) == 0 || len(f.header) > maxColumns {
		return nil, &Error{File: path, Reason: fmt.Sprintf("expected 1 to %d columns, not %d", maxColumns, len(f.header))}
	}
	f.fields = make([]string, len(f.header))
	return f, nil
}

// notParquet says that a file is not what its name promises, or is damaged.
func notParquet(path string, why any) error {
	return &Error{File: path, Reason: fmt.Sprintf("expected a Parquet file: %v", why)}
}

const maxFooter = 256 << 20 // bytes

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
	f.ends = make([][]int, len(f.wanted))
	return nil
}

func (f *parquetFile) next() ([]string, error) {
	if f.at == f.rows {
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
	for i, c := range f.wanted {
		start := 0
		if f.at > 0 {
			start = f.ends[i][f.at-1]
		} else if i > 0 {
			start = f.ends[i-1][f.rows-1]
		}
		f.fields[c] = f.batch[start:f.ends[i][f.at]]
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
		if len(f.groups) == 0 {
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
	f.at, f.rows = 0, int(min(f.left, parquetBatch))
	f.left -= int64(f.rows)
	var batch strings.Builder
	batch.Grow(len(f.batch) + len(f.batch)/8)
	var scratch []byte
	for i, c := range f.wanted {
		f.ends[i] = f.ends[i][:0]
		for len(f.ends[i]) < f.rows {
			n, err := f.readers[i].ReadValues(f.raw[:f.rows-len(f.ends[i])])
			for _, v := range f.raw[:n] {
				if !v.IsNull() {
					scratch = f.leaves[c].text(scratch[:0], v)
					batch.Write(scratch)
				}
				f.ends[i] = append(f.ends[i], batch.Len())
			}
			switch {
			case len(f.ends[i]) == f.rows:
			case errors.Is(err, io.EOF) || n == 0 && err == nil:
				return notParquet(f.file.Name(), "column "+quote(f.header[c].name)+" has fewer values than rows")
			case err != nil:
				return notParquet(f.file.Name(), err)
			}
		}
	}
	f.batch = batch.String()
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

// countingFile tells of the bytes that are read.
type countingFile struct {
	*os.File
	progress func(int64)
}

func (c *countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	if c.progress != nil && n > 0 {
		c.progress(int64(n))
	}
	return n, err
}
