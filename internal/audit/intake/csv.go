package intake

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/transform"
)

const (
	maxRecord = 1 << 20 // bytes of one record
	readAhead = 256 << 10
)

// What cannot be split. After a quotation mark where none may be, the next line is
// a record of its own; after one that is never closed nobody can tell.
var (
	errBareQuote = errors.New("a quotation mark inside a value; expected values with one in quotes, and it doubled")
	errOpenQuote = errors.New("a quotation mark that is never closed, so that nobody can tell where rows end")
	errLong      = errors.New("a row longer than 1 MiB; expected text in lines, and every quotation mark closed")
)

// csvFile is a file of comma-separated values, or others' separated.
type csvFile struct {
	text    *text
	ration  ration
	rows    *csv.Reader
	skipped int64 // lines before the header
	before  int64 // bytes of them
	line    int64
	header  []column
}

// openCSV opens the file and reads its header.
func openCSV(path string, l *layout, progress func(int64)) (*csvFile, error) {
	text, err := openText(path, progress)
	if err != nil {
		return nil, err
	}
	f := &csvFile{text: text, ration: ration{from: text}}
	if l.charset != nil {
		f.ration.from = transform.NewReader(text, l.charset.NewDecoder())
	}
	comma := l.delimiter
	if _, content := formatOf(path); comma == 0 && content == ".tsv" {
		comma = '\t'
	} else if comma == 0 {
		comma = ','
	}
	if err := f.readHeader(rune(comma), l.skipLines); err != nil {
		f.close()
		return nil, inFile(path, f.line+1, err)
	}
	return f, nil
}

// foreign are the first bytes of what is no text, whatever its name says.
var foreign = []struct{ mark, what string }{
	{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"}, {"ÿþ", "UTF-16"}, {"þÿ", "UTF-16"},
	{"\x1f\x8b", "compressed by gzip"}, {"\xfd7zXZ\x00", "compressed by xz"}, {"\x28\xb5\x2f\xfd", "compressed by zstd"},
	{"PAR1", "Parquet"}, {"PK\x03\x04", "a ZIP archive or a workbook"},
}

const byteOrderMark = "\ufeff"

func (f *csvFile) readHeader(comma rune, skip int) error {
	f.ration.renew()
	in := bufio.NewReaderSize(&f.ration, readAhead)
	head, err := in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, other := range foreign {
		if bytes.HasPrefix(head, []byte(other.mark)) {
			return fmt.Errorf("the content is %s; expected text as the name promises, in the encoding that the mapping says", other.what)
		}
	}
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		if _, err := in.Discard(len(byteOrderMark)); err != nil {
			return err
		}
	}
	for range skip {
		for more := true; more; { // a line may be longer than what is read ahead
			if _, err = in.ReadSlice('\n'); err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
				return err
			}
			more = errors.Is(err, bufio.ErrBufferFull)
		}
		f.skipped++
		f.ration.renew()
	}
	f.line = f.skipped
	f.before = f.ration.read - int64(in.Buffered())
	f.rows = csv.NewReader(in)
	f.rows.Comma, f.rows.FieldsPerRecord, f.rows.ReuseRecord = comma, -1, true
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

// next reads a record. Where a quotation mark went astray, encoding/csv may take
// many rows for one value: that ends the file, for these rows would be lost.
func (f *csvFile) next() ([]string, error) {
	f.ration.renew()
	values, err := f.rows.Read()
	if err == nil {
		line, _ := f.rows.FieldPos(0)
		last, _ := f.rows.FieldPos(len(values) - 1)
		if f.header != nil && last > line && !fits(values, len(f.header)) {
			return nil, errOpenQuote
		}
		f.line = f.skipped + int64(line)
		return values, nil
	}
	var wrong *csv.ParseError
	if !errors.As(err, &wrong) {
		return nil, err
	}
	all := f.ration.ended && f.before+f.rows.InputOffset() == f.ration.read
	if wrong.Line > wrong.StartLine || all && errors.Is(wrong.Err, csv.ErrQuote) {
		f.line = f.skipped + int64(wrong.StartLine) - 1
		return nil, errOpenQuote
	}
	f.line = f.skipped + int64(wrong.StartLine)
	return nil, errBareQuote
}

// fits reports whether there are as many values as columns; an empty one may
// follow.
func fits(values []string, columns int) bool {
	return len(values) == columns || len(values) == columns+1 && values[columns] == ""
}

func (f *csvFile) columns() []column { return f.header }
func (f *csvFile) use([]int) error   { return nil }
func (f *csvFile) place() int64      { return f.line }
func (f *csvFile) close() error      { return f.text.close() }

// ration is a reader that fails once what is left is used up. Whoever reads
// records from it renews it with each.
type ration struct {
	from  io.Reader
	left  int
	read  int64
	ended bool
}

func (r *ration) renew() { r.left = maxRecord + readAhead }

func (r *ration) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLong
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.read += int64(n)
	r.ended = r.ended || err != nil
	return n, err
}
