package intake

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	readAhead     = 256 << 10
	maxRecord     = 1<<20 + readAhead // bytes to read for one record
	byteOrderMark = "\ufeff"
)

// What cannot be split. After a quotation mark where none may be, the next line is
// a record of its own; after one that is never closed nobody can tell.
var (
	errBareQuote = errors.New("a quotation mark inside a value; expected values with one in quotes, and it doubled")
	errOpenQuote = errors.New("a quotation mark that is never closed, so that nobody can tell where rows end")
	errLong      = errors.New("a row longer than 1 MiB; expected text in lines, and every quotation mark closed")
)

// foreign are the first bytes of what is no text, whatever its name says.
var foreign = []struct{ mark, what string }{
	{"ÿþ", "UTF-16"}, {"þÿ", "UTF-16"},
	{"\x1f\x8b", "compressed by gzip"}, {"\xfd7zXZ\x00", "compressed by xz"}, {"\x28\xb5\x2f\xfd", "compressed by zstd"},
	{"PAR1", "Parquet"}, {"PK\x03\x04", "a ZIP archive or a workbook"},
}

func isText(extension string) bool {
	return extension == ".csv" || extension == ".tsv" || extension == ".txt"
}

// openText begins to read comma-separated values, or others' separated.
func (f *file) openText(l *layout) error {
	text, err := f.text(l.charset)
	if err != nil {
		return err
	}
	c := csvRows{file: f, ration: io.LimitedReader{R: text, N: maxRecord}, skipped: int64(l.skipLines)}
	c.in = bufio.NewReaderSize(&c.ration, readAhead)
	f.place = 1
	head, err := c.in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, other := range foreign {
		if bytes.HasPrefix(head, []byte(other.mark)) {
			return fmt.Errorf("the content is %s; expected text as the name promises, in the encoding that the mapping says", other.what)
		}
	}
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		c.in.Discard(len(byteOrderMark))
	}
	for range l.skipLines {
		if _, err := c.in.ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if c.ration.N <= 0 {
			return errLong
		}
		c.ration.N = maxRecord
	}
	c.rows = csv.NewReader(c.in) // which reads from in itself, since that reads ahead enough
	c.rows.Comma, c.rows.FieldsPerRecord, c.rows.ReuseRecord = rune(cmp.Or(l.delimiter, ',')), -1, true
	if _, content := formatOf(f.path); l.delimiter == 0 && content == ".tsv" {
		c.rows.Comma = '\t'
	}
	f.place = c.skipped
	f.row = c.row
	return f.head()
}

// head reads the names of columns.
func (f *file) head() error {
	names, err := f.row()
	if errors.Is(err, io.EOF) {
		return errors.New("empty; expected a header")
	}
	f.columns, f.kinds = each(names, strings.TrimSpace), make([]columnKind, len(names))
	return err
}

// csvRows reads the records of a file.
type csvRows struct {
	*file
	ration  io.LimitedReader // renewed with each record
	in      *bufio.Reader
	rows    *csv.Reader
	skipped int64 // lines before the header
}

// row reads a record. Where a quotation mark went astray, encoding/csv may take
// many rows for one value: that ends the file, for these rows would be lost.
func (c *csvRows) row() ([]string, error) {
	c.ration.N = maxRecord
	values, err := c.rows.Read()
	if c.ration.N <= 0 {
		err = errLong
	}
	if err == nil {
		line, _ := c.rows.FieldPos(0)
		last, _ := c.rows.FieldPos(len(values) - 1)
		if c.place = c.skipped + int64(line); c.columns != nil && last > line && !fits(values, len(c.columns)) {
			return nil, errOpenQuote
		}
		return values, nil
	}
	var wrong *csv.ParseError
	if !errors.As(err, &wrong) {
		c.place++
		return nil, err
	}
	c.place = c.skipped + int64(wrong.StartLine)
	if _, more := c.in.Peek(1); wrong.Line > wrong.StartLine || more != nil && errors.Is(wrong.Err, csv.ErrQuote) {
		return nil, errOpenQuote
	}
	return nil, errBareQuote
}

// fits reports whether there are as many values as columns; an empty one may
// follow.
func fits(values []string, columns int) bool {
	return len(values) == columns || len(values) == columns+1 && values[columns] == ""
}
