package intake

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"recoup/internal/kit/yamltree"
)

// Error says what is wrong with a mapping, or with a file of an export as a
// whole, and where. Its Member is one of the mapping, such as
// rewards.columns.amount, or a column of the export.
type Error = yamltree.Error

// quote shows text of an export in a message, of which a report may have many:
// quoted, and cut early.
func quote(text string) string { return yamltree.QuoteUpTo(text, 24) }

const (
	maxColumns = 4096
	maxWindow  = 128 << 20 // bytes that a decoder looks back on
)

// file is a file of rows with named columns, whatever its format.
type file struct {
	path     string
	is       string // what is expected of it, before what is wrong with it
	disk     *os.File
	size     int64 // bytes on the disk
	grown    guard
	progress func(int64) // told of bytes as they are read from the disk; may be nil
	closers  []func() error

	columns []string // their names
	kinds   []columnKind
	place   int64 // the line or the number of the row that next returned, from 1
	// use says that a column is wanted; the values of others may be missing.
	use func(column int) error
	// row returns the values of the next row; the slice is valid until the next
	// call, the strings are for good. Where the row cannot be read but those after
	// it can, the error is errBareQuote; at the end it is io.EOF.
	row func() ([]string, error)
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
func open(path string, l *layout, progress func(int64)) (f *file, err error) {
	if f, err = openDisk(path, progress); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = f.fail(err)
			f.close()
		}
	}()
	defer caught(&err)
	switch compressed, content := formatOf(path); {
	case isText(content):
		err = f.openText(l)
	case content == ".parquet" && compressed == "":
		f.is = "expected a Parquet file: "
		err = f.openParquet()
	case content == ".xlsx" && compressed == "":
		f.is = "expected a workbook (xlsx): "
		err = f.openWorkbook(l)
	default:
		err = errors.New("expected a name that ends in .csv, .tsv or .txt, by itself or with .gz, .xz or .zst after it, or in .parquet or .xlsx")
	}
	if count := len(f.columns); err == nil && (count == 0 || count > maxColumns) {
		err = fmt.Errorf("expected 1 to %d columns, not %d", maxColumns, count)
	}
	return f, err
}

// openDisk opens a file whose format is not looked at yet.
func openDisk(path string, progress func(int64)) (*file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &Error{File: path, Reason: "is a folder, expected a file"}
	}
	disk, err := os.Open(path)
	return &file{
		path: path, disk: disk, size: info.Size(), progress: progress, closers: []func() error{disk.Close}, use: func(int) error { return nil },
	}, err
}

// next returns the values of the next row, see row.
func (f *file) next() (values []string, err error) {
	defer caught(&err)
	return f.row()
}

// caught turns into an error that a decoder met what its authors did not expect.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("is damaged: %v", p)
	}
}

// fail puts the file and the line, if there is one, before an error.
func (f *file) fail(err error) error {
	if errors.As(err, new(*Error)) {
		return err
	}
	return &Error{File: f.path, Line: int(f.place), Reason: f.is + err.Error()}
}

// wrong is an error about a column or a sheet.
func (f *file) wrong(what, name, format string, args ...any) error {
	return &Error{File: f.path, Member: what + " " + quote(name), Reason: fmt.Sprintf(format, args...)}
}

// close closes what was opened, the last first.
func (f *file) close() {
	for _, closer := range slices.Backward(f.closers) {
		closer() // nothing was written
	}
}

// Read and ReadAt count what is read from the disk.
func (f *file) Read(p []byte) (int, error) { return f.count(f.disk.Read(p)) }

// ReadAt is for formats that are read from their end.
func (f *file) ReadAt(p []byte, at int64) (int, error) { return f.count(f.disk.ReadAt(p, at)) }

func (f *file) count(n int, err error) (int, error) {
	f.grown.packed += int64(n)
	if f.progress != nil && n > 0 {
		f.progress(int64(n))
	}
	return n, err
}

// compressions undo what the extensions of names promise.
var compressions = map[string]func(io.Reader) (io.Reader, error){
	".gz": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	".xz": func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) },
	".zst": func(r io.Reader) (io.Reader, error) { // which has no goroutines that it must be closed for
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

// text returns the text of the file, decompressed and in UTF-8. It is in the charset,
// unless a byte order mark says that it is in UTF-16.
func (f *file) text(charset encoding.Encoding) (io.Reader, error) {
	text := bufio.NewReaderSize(f, 16)
	if compressed, _ := formatOf(f.path); compressed != "" {
		plain, err := compressions[compressed](f)
		if err != nil {
			return nil, fmt.Errorf("expected a %s file: %w", compressed, err)
		}
		f.grown.from, f.grown.as = plain, compressed
		text.Reset(&f.grown)
	}
	if mark, _ := text.Peek(2); string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" {
		charset = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	if charset == encoding.Nop {
		return text, nil
	}
	return transform.NewReader(text, charset.NewDecoder()), nil
}

// guard refuses what grows beyond any export when it is unpacked: exports have ids and
// times, and grow some tenfold. It may be the reader of what is unpacked.
type guard struct {
	from          io.Reader
	as            string // how it is packed, as the name says it
	packed, plain int64
}

func (g *guard) grows(bytes int64) error {
	const (
		free     = 64 << 20 // bytes that are no suspect
		maxRatio = 1000
	)
	if g.plain += bytes; g.plain > free && g.plain/maxRatio > g.packed {
		return fmt.Errorf("%d bytes grew to %d when unpacked; expected at most %d-fold", g.packed, g.plain, maxRatio)
	}
	return nil
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("is damaged, cut short, or goes on after its end; expected a whole %s file and nothing else: %w", g.as, err)
	}
	return n, cmp.Or(g.grows(int64(n)), err)
}
