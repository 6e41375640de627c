package intake

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Limits on workbooks, of which whole sheets are unpacked.
const (
	maxWorkbook = 2 << 30  // bytes of all parts together
	maxInMemory = 16 << 20 // bytes of a sheet or of its texts: others go to a folder of our own
)

// workbook is a sheet of an xlsx file, read row by row. Cells are as they are
// stored: a date is a number of days, which the format excel reads.
type workbook struct {
	path   string
	file   *excelize.File
	rows   *excelize.Rows
	dir    string // that large sheets are unpacked into, for the owner alone
	header []column
	at     int64
	fields []string
}

// openWorkbook opens the file and reads the header of a sheet.
func openWorkbook(path string, l *layout, progress func(int64)) (w *workbook, err error) {
	size, err := checkWorkbook(path)
	if err != nil {
		return nil, err
	}
	if progress != nil {
		progress(size)
	}
	w = &workbook{path: path}
	defer func() {
		if p := recover(); p != nil { // a decoder met what its authors did not expect
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			w.close()
			w, err = nil, inFile(path, 0, fmt.Errorf("expected a workbook (xlsx): %w", err))
		}
	}()
	if w.dir, err = os.MkdirTemp("", "recoup-workbook-"); err != nil {
		return w, err
	}
	w.file, err = excelize.OpenFile(path, excelize.Options{
		RawCellValue: true, TmpDir: w.dir, UnzipSizeLimit: maxWorkbook, UnzipXMLSizeLimit: maxInMemory,
	})
	if err != nil {
		return w, err
	}
	sheet := l.sheet
	if sheets := w.file.GetSheetList(); sheet == "" && len(sheets) > 0 {
		sheet = sheets[0]
	} else if i, _ := w.file.GetSheetIndex(sheet); i < 0 {
		return w, &Error{File: path, Member: "sheet " + quote(sheet), Reason: "missing; the workbook has " + quoted(sheets)}
	}
	if props, err := w.file.GetWorkbookProps(); err == nil && props.Date1904 != nil && *props.Date1904 {
		return w, errors.New("it counts days from 1904; expected 1900, which is an option of the program that writes it")
	}
	if w.rows, err = w.file.Rows(sheet); err != nil {
		return w, err
	}
	for range l.skipLines + 1 {
		if w.header = nil; !w.rows.Next() {
			return w, errors.New("empty; expected a header")
		}
		names, err := w.rows.Columns()
		if w.at++; err != nil {
			return w, err
		}
		for _, name := range names {
			w.header = append(w.header, column{name: strings.TrimSpace(name)})
		}
	}
	if len(w.header) == 0 || len(w.header) > maxColumns {
		return w, fmt.Errorf("expected a header of 1 to %d columns, not %d", maxColumns, len(w.header))
	}
	w.fields = make([]string, len(w.header))
	return w, nil
}

// checkWorkbook sees to what a workbook unpacks to, which archive/zip holds it to.
func checkWorkbook(path string) (size int64, err error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
		return 0, inFile(path, 0, fmt.Errorf("expected a workbook (xlsx): %w", err))
	}
	defer z.Close()
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	for _, part := range z.File {
		grown := guard{packed: int64(min(part.CompressedSize64, uint64(size)))}
		if part.UncompressedSize64 > maxWorkbook {
			return 0, inFile(path, 0, fmt.Errorf("%s unpacks to %d bytes; expected at most %d", quote(part.Name), part.UncompressedSize64, maxWorkbook))
		}
		if err := grown.grows(int64(part.UncompressedSize64)); err != nil {
			return 0, inFile(path, 0, err)
		}
	}
	return size, nil
}

func (w *workbook) columns() []column { return w.header }
func (w *workbook) use([]int) error   { return nil }
func (w *workbook) place() int64      { return w.at }

func (w *workbook) next() (fields []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not a sheet: %v", p)
		}
	}()
	for w.rows.Next() {
		w.at++
		cells, err := w.rows.Columns()
		if err != nil {
			return nil, err
		}
		if len(cells) == 0 {
			continue
		}
		clear(w.fields)
		copy(w.fields, cells)
		for i, cell := range w.fields {
			w.fields[i] = plainNumber(cell)
		}
		return append(w.fields[:len(w.header):len(w.header)], cells[min(len(cells), len(w.header)):]...), nil
	}
	if err := w.rows.Error(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// plainNumber writes a number as people see it: a workbook stores the binary
// fraction next to what was typed, and Excel shows 15 digits of it.
func plainNumber(cell string) string {
	const shown = 15
	if len(cell) <= shown || strings.Trim(cell, "+-.0123456789eE") != "" || !strings.ContainsAny(cell, ".eE") {
		return cell
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return cell
	}
	if x, err = strconv.ParseFloat(strconv.FormatFloat(x, 'e', shown-1, 64), 64); err != nil {
		return cell
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func (w *workbook) close() error {
	var err error
	if w.rows != nil {
		err = w.rows.Close()
	}
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	if w.dir != "" {
		err = errors.Join(err, os.RemoveAll(w.dir))
	}
	return err
}
