package intake

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// source is a file of rows with named columns.
type source interface {
	columns() []column
	// use says which columns are wanted; the values of others may be missing.
	use(columns []int) error
	// next returns the values of the next row, valid until the next call; the
	// strings are valid for good. Where the row cannot be read but those after it
	// can, the error is errBareQuote or errOpenQuote; at the end it is io.EOF.
	next() ([]string, error)
	// place is the line or the number of the row that next returned, from 1.
	place() int64
	close() error
}

// column is one column of a source.
type column struct {
	name string
	kind columnKind
}

// columnKind is what the file itself says of the values of a column, which
// stands above the mapping.
type columnKind uint8

const (
	textColumn    columnKind = iota
	timeColumn               // moments, or local times, as ISO 8601 has them
	decimalColumn            // numbers with decimals, with a point before them
)

// open opens a file by its name. l is the layout of its table.
func open(path string, l *layout, progress func(int64)) (source, error) {
	compressed, content := formatOf(path)
	switch {
	case content == ".csv", content == ".tsv", content == ".txt":
		return openCSV(path, l, progress)
	case content == ".parquet" && compressed == "":
		return openParquet(path, progress)
	}
	return nil, &Error{File: path, Reason: "expected a name that ends in .csv, .tsv or .txt, by itself or with .gz, .xz or .zst after it, or in .parquet"}
}

// csvFile is a file of comma-separated values, or others' separated.
type csvFile struct {
	splitter
	text   *text
	header []column
}

const byteOrderMark = "\ufeff"

// openCSV opens the file and reads its header.
func openCSV(path string, l *layout, progress func(int64)) (*csvFile, error) {
	text, err := openText(path, l.latin1, progress)
	if err != nil {
		return nil, err
	}
	f := &csvFile{text: text, splitter: splitter{more: text.next, comma: l.delimiter}}
	if f.comma == 0 {
		f.comma = ','
		if _, content := formatOf(path); content == ".tsv" {
			f.comma = '\t'
		}
	}
	if err := f.readHeader(l.skipLines); err != nil {
		f.close()
		return nil, inFile(path, f.line+1, err)
	}
	return f, nil
}

func (f *csvFile) readHeader(skip int) error {
	if err := f.read(); err != nil {
		return err
	}
	f.block = strings.TrimPrefix(f.block, byteOrderMark)
	for _, foreign := range []struct{ mark, what string }{
		{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"}, {"\x1f\x8b", "compressed by gzip"}, {"\xfd7zXZ\x00", "compressed by xz"},
		{"\x28\xb5\x2f\xfd", "compressed by zstd"}, {"PAR1", "Parquet"}, {"PK\x03\x04", "a ZIP archive or a workbook"},
		{"ÿþ", "UTF-16"}, {"þÿ", "UTF-16"},
	} {
		if strings.HasPrefix(f.block, foreign.mark) {
			return fmt.Errorf("the content is %s; expected text as the name promises, in UTF-8 or latin-1", foreign.what)
		}
	}
	for range skip {
		if err := f.skipLine(); err != nil && !errors.Is(err, io.EOF) { // an end shows below
			return err
		}
	}
	names, err := f.next()
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("empty; expected a header")
	case err != nil:
		return err
	case len(names) > maxColumns:
		return fmt.Errorf("expected at most %d columns", maxColumns)
	}
	f.header = make([]column, len(names))
	for i, name := range names {
		f.header[i].name = strings.TrimSpace(name)
	}
	return nil
}

func (f *csvFile) columns() []column { return f.header }
func (f *csvFile) use([]int) error   { return nil }
func (f *csvFile) place() int64      { return f.begins }
func (f *csvFile) close() error      { return f.text.close() }

// inFile puts the file and the line, if there is one, before an error.
func inFile(path string, line int64, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return err
	}
	return &Error{File: path, Line: int(line), Reason: err.Error()}
}
