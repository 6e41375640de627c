package intake

import (
	"archive/zip"
	"cmp"
	"errors"
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

// openWorkbook begins to read a sheet of an xlsx file. Cells are as they are stored: a
// date is a number of days, which the format excel reads.
func (f *file) openWorkbook(l *layout) error {
	if err := f.checkWorkbook(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "recoup-workbook-") // for the owner alone
	if err != nil {
		return err
	}
	f.closers = append(f.closers, func() error { return os.RemoveAll(dir) })
	book, err := excelize.OpenReader(f, excelize.Options{
		RawCellValue: true, TmpDir: dir, UnzipSizeLimit: maxWorkbook, UnzipXMLSizeLimit: maxInMemory,
	})
	if err != nil {
		return err
	}
	f.closers = append(f.closers, book.Close)
	sheets := book.GetSheetList()
	sheet := cmp.Or(l.sheet, append(sheets, "")[0])
	if i, _ := book.GetSheetIndex(sheet); i < 0 {
		return f.wrong("sheet", sheet, "missing; the workbook has %s", quoted(sheets))
	}
	if props, err := book.GetWorkbookProps(); err == nil && props.Date1904 != nil && *props.Date1904 {
		return errors.New("it counts days from 1904; expected 1900, which is an option of the program that writes it")
	}
	rows, err := book.Rows(sheet)
	if err != nil {
		return err
	}
	f.closers = append(f.closers, rows.Close)
	f.row = func() ([]string, error) { // the next that has cells, or is skipped
		for rows.Next() {
			f.place++
			cells, err := rows.Columns()
			for i, cell := range cells {
				cells[i] = plainNumber(cell)
			}
			if err != nil || len(cells) > 0 || f.place <= int64(l.skipLines) {
				return append(cells, make([]string, max(0, len(f.columns)-len(cells)))...), err
			}
		}
		return nil, cmp.Or(rows.Error(), io.EOF)
	}
	for range l.skipLines {
		if _, err := f.row(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return f.head()
}

// checkWorkbook sees to what a workbook unpacks to, which archive/zip holds it to.
func (f *file) checkWorkbook() error {
	z, err := zip.NewReader(f.disk, f.size)
	if err != nil {
		return err
	}
	for _, part := range z.File {
		grown := guard{packed: int64(min(part.CompressedSize64, uint64(f.size)))}
		if err := grown.grows(int64(min(part.UncompressedSize64, maxWorkbook+1))); err != nil {
			return err
		}
	}
	return nil
}

// plainNumber writes a number as people see it: a workbook stores the binary
// fraction next to what was typed, and Excel shows 15 digits of it.
func plainNumber(cell string) string {
	const shown = 15
	if len(cell) <= shown || strings.Trim(cell, "+-.0123456789eE") != "" || !strings.ContainsAny(cell, ".eE") {
		return cell
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err == nil {
		x, err = strconv.ParseFloat(strconv.FormatFloat(x, 'e', shown-1, 64), 64)
	}
	if err != nil {
		return cell
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
