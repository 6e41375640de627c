package intake

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"recoup/internal/kit/yamltree"
)

// Error says what is wrong with a mapping, or with a file of an export as a
// whole, and where. Its Member is one of the mapping, such as
// rewards.columns.amount, or a column of the export.
type Error = yamltree.Error

// quote shows text of an export in a message, of which a report may have many:
// quoted, and cut early.
func quote(text string) string { return yamltree.QuoteUpTo(text, 24) }

// Limits on files.
const (
	maxColumns = 4096
	maxWindow  = 128 << 20 // bytes that a decoder looks back on
	// What grows to more than freeText becomes suspect where it grows more than
	// maxRatio-fold: exports have ids and times, and grow some tenfold.
	maxRatio = 1000
	freeText = 64 << 20
)

// source is a file of rows with named columns.
type source interface {
	columns() []column
	// use says which columns are wanted; the values of others may be missing.
	use(columns []int) error
	// next returns the values of the next row; the slice is valid until the next
	// call, the strings are for good. Where the row cannot be read but those after
	// it can, the error is errBareQuote; at the end it is io.EOF.
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
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &Error{File: path, Reason: "is a folder, expected a file"}
	}
	compressed, content := formatOf(path)
	switch {
	case content == ".csv", content == ".tsv", content == ".txt":
		return openCSV(path, l, progress)
	case content == ".parquet" && compressed == "":
		return openParquet(path, progress)
	case content == ".xlsx" && compressed == "":
		return openWorkbook(path, l, progress)
	}
	return nil, &Error{File: path, Reason: "expected a name that ends in .csv, .tsv or .txt, by itself or with .gz, .xz or .zst after it, or in .parquet or .xlsx"}
}

// inFile puts the file and the line, if there is one, before an error.
func inFile(path string, line int64, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return err
	}
	return &Error{File: path, Line: int(line), Reason: err.Error()}
}

// compressions undo what the extensions of names promise.
var compressions = map[string]func(io.Reader) (io.Reader, error){
	".gz": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	".xz": func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) },
	".zst": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	},
}

// formatOf returns the extension that says how a file is compressed, "" for not
// at all, and the one that says what is in it.
func formatOf(path string) (compressed, content string) {
	path = strings.ToLower(filepath.Base(path))
	if ext := filepath.Ext(path); compressions[ext] != nil {
		compressed, path = ext, strings.TrimSuffix(path, ext)
	}
	return compressed, filepath.Ext(path)
}

// text is the text of a file, decompressed.
type text struct {
	file  *os.File
	plain io.Reader
	read  guard
}

// openText opens a file of text. Progress, where it is not nil, is told of the
// bytes as they are read from the disk.
func openText(path string, progress func(int64)) (*text, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &text{file: file}
	t.plain = &counter{file, &t.read, progress}
	compressed, _ := formatOf(path)
	if compressed == "" {
		return t, nil
	}
	if t.plain, err = compressions[compressed](t.plain); err != nil {
		file.Close()
		return nil, &Error{File: path, Reason: fmt.Sprintf("expected a %s file: %v", compressed, err)}
	}
	return t, nil
}

func (t *text) Read(p []byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil { // a decoder met what its authors did not expect
			n, err = 0, fmt.Errorf("cannot be decompressed: %v", p)
		}
	}()
	if n, err = t.plain.Read(p); n > 0 {
		if wrong := t.read.grows(int64(n)); wrong != nil {
			return 0, wrong
		}
	}
	return n, err
}

func (t *text) close() error {
	if z, ok := t.plain.(*zstd.Decoder); ok {
		z.Close()
	}
	return t.file.Close()
}

// guard refuses what grows beyond any export when it is unpacked.
type guard struct{ packed, plain int64 }

func (g *guard) grows(bytes int64) error {
	if g.plain += bytes; g.plain > freeText && g.plain/maxRatio > g.packed {
		return fmt.Errorf("%d bytes grew to %d when unpacked; expected at most %d-fold", g.packed, g.plain, maxRatio)
	}
	return nil
}

// counter counts what is read from the disk.
type counter struct {
	from     *os.File
	read     *guard
	progress func(int64)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.tell(n)
	return n, err
}

// ReadAt is for formats that are read from their end. What is to be in them is
// said by whoever checks them.
func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.from.ReadAt(p, at)
	c.tell(n)
	return n, err
}

func (c *counter) tell(n int) {
	c.read.packed += int64(n)
	if c.progress != nil && n > 0 {
		c.progress(int64(n))
	}
}
