package ingest

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"recoup/reward"
)

// Limits on a file, far above what was published, and low enough that no sum of
// thousandths overflows and no invoice passes reward.MaxAmount.
const (
	maxRetailRows  = 20_000_000
	maxQuantity    = 10_000_000
	maxPrice       = Thousandths(1_000_000_000) // £1,000,000
	maxRetailValue = Thousandths(reward.MaxAmount)
)

// Thousandths is money in thousandths of a pound, which is as fine as prices in
// the file are.
type Thousandths int64

// String renders pounds with three decimals, such as "-12.340".
func (t Thousandths) String() string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return fmt.Sprintf("%s%d.%03d", sign, t/1000, t%1000)
}

// A column of the file, in the order in which retailLine is filled.
type column int

const (
	invoiceColumn column = iota
	codeColumn
	quantityColumn
	dateColumn
	priceColumn
	customerColumn
	columns
)

// columnNames are the headers that each column goes by.
var columnNames = [columns][]string{
	invoiceColumn:  {"Invoice"},
	codeColumn:     {"StockCode"},
	quantityColumn: {"Quantity"},
	dateColumn:     {"InvoiceDate"},
	priceColumn:    {"Price"},
	customerColumn: {"Customer ID", "CustomerID"},
}

// dateLayouts are how the published file writes times, and how spreadsheet
// programs write the same column (month first).
var dateLayouts = []string{"2006-01-02 15:04:05", "1/2/2006 15:04"}

// retailLine is one line of an invoice. Its strings live as long as the row.
type retailLine struct {
	invoice  string // with its letter, if any
	code     string
	customer string      // "" where the file names none
	quantity int64       // negative for what came back
	price    Thousandths // of one
	value    Thousandths // quantity · price
	at       reward.Instant
}

func (l *retailLine) cancellation() bool { return l.invoice[0] == 'C' }
func (l *retailLine) badDebt() bool      { return l.invoice[0] == 'A' }

// product reports whether the stock code is an article's: five digits, and
// letters for its variant. All else is postage, discounts, fees, vouchers,
// corrections by hand and the like.
func (l *retailLine) product() bool {
	if len(l.code) < 5 || strings.Trim(l.code[:5], "0123456789") != "" {
		return false
	}
	for _, c := range []byte(l.code[5:]) {
		if (c|0x20) < 'a' || (c|0x20) > 'z' {
			return false
		}
	}
	return true
}

// retailRows reads a file row by row.
type retailRows struct {
	name   string
	csv    *csv.Reader
	ration *ration
	fields [columns]int // where each column is
	rows   int
	line   int // where the last row that could be read begins
	volume Thousandths
}

func newRetailRows(name string, r io.Reader) (*retailRows, error) {
	limited := &ration{from: r, left: maxRowBytes}
	rows := &retailRows{name: name, csv: csv.NewReader(limited), ration: limited}
	rows.csv.ReuseRecord = true
	header, err := rows.csv.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: the file is empty; expected a header with %s", name, wantedColumns())
	}
	if err != nil {
		return nil, rows.unreadable(err)
	}
	rows.line = 1
	for c, names := range columnNames {
		if rows.fields[c], err = findColumn(header, names); err != nil {
			return nil, fmt.Errorf("%s:1: %w; expected a header with %s", name, err, wantedColumns())
		}
	}
	return rows, nil
}

func findColumn(header, names []string) (int, error) {
	found := -1
	for i, field := range header {
		for _, name := range names {
			if !strings.EqualFold(strings.TrimSpace(field), name) {
				continue
			}
			if found >= 0 {
				return 0, fmt.Errorf("column %s: is there twice", names[0])
			}
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("column %s: is missing", names[0])
	}
	return found, nil
}

func wantedColumns() string {
	var names []string
	for _, n := range columnNames {
		names = append(names, n[0])
	}
	return strings.Join(names, ", ")
}

// next returns the next line, or io.EOF.
func (r *retailRows) next() (retailLine, error) {
	r.ration.left = maxRowBytes
	record, err := r.csv.Read()
	if err == io.EOF {
		return retailLine{}, err
	}
	if err != nil {
		return retailLine{}, r.unreadable(err)
	}
	r.rows++
	r.line, _ = r.csv.FieldPos(0)
	if r.rows > maxRetailRows {
		return retailLine{}, fmt.Errorf("%s: more than %d rows", r.name, maxRetailRows)
	}
	line, wrong, err := parseRetailLine(record, &r.fields)
	if err != nil {
		field := r.fields[wrong]
		at, _ := r.csv.FieldPos(field)
		return retailLine{}, fmt.Errorf("%s:%d: column %s: %q: %w", r.name, at, columnNames[wrong][0], record[field], err)
	}
	if r.volume += max(line.value, -line.value); r.volume > maxRetailValue {
		return retailLine{}, fmt.Errorf("%s:%d: the lines up to here come to more than £%v", r.name, r.line, maxRetailValue)
	}
	return line, nil
}

// unreadable words an error of the CSV reader like all others.
func (r *retailRows) unreadable(err error) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: character %d: %w; expected comma-separated values like the header's", r.name, syntax.Line, syntax.Column, syntax.Err)
	}
	return fmt.Errorf("%s: after line %d: %w", r.name, r.line, err)
}

// parseRetailLine also returns the column that an error is about.
func parseRetailLine(record []string, fields *[columns]int) (line retailLine, wrong column, err error) {
	at := func(c column) string { return strings.TrimSpace(record[fields[c]]) }
	line.invoice, line.code = at(invoiceColumn), at(codeColumn)
	if !isNumber(strings.TrimLeft(line.invoice, "AC")) || strings.LastIndexAny(line.invoice, "AC") > 0 {
		return line, invoiceColumn, errors.New("expected up to 12 digits, after C for a cancellation or A for a bad debt")
	}
	if line.code == "" || len(line.code) > 32 {
		return line, codeColumn, errors.New("expected a stock code of 1 to 32 characters")
	}
	if line.quantity, err = strconv.ParseInt(at(quantityColumn), 10, 64); err != nil || line.quantity < -maxQuantity || line.quantity > maxQuantity {
		return line, quantityColumn, fmt.Errorf("expected a whole number between -%d and %d", maxQuantity, maxQuantity)
	}
	if line.at, err = parseRetailTime(at(dateColumn)); err != nil {
		return line, dateColumn, err
	}
	if line.price, err = parsePrice(at(priceColumn)); err != nil {
		return line, priceColumn, err
	}
	line.customer = strings.TrimSuffix(at(customerColumn), ".0")
	if line.customer != "" && !isNumber(line.customer) {
		return line, customerColumn, errors.New("expected up to 12 digits, with or without .0 at the end, or nothing")
	}
	line.value = Thousandths(line.quantity) * line.price
	return line, 0, nil
}

func isNumber(s string) bool {
	return s != "" && len(s) <= 12 && strings.Trim(s, "0123456789") == ""
}

func parseRetailTime(s string) (reward.Instant, error) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			// The comparison is by year because instants wrap outside their range.
			if t.Year() < reward.EarliestInstant.Time().Year() || t.Year() > reward.LatestInstant.Time().Year() {
				break
			}
			return reward.At(t), nil
		}
	}
	return 0, errors.New("expected a time between 1970 and 2199 such as 2009-12-01 07:45:00 or 12/1/2009 7:45")
}

// parsePrice reads pounds with up to three decimals; zeros after those are
// accepted, for they change nothing.
func parsePrice(s string) (Thousandths, error) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, decimals, point := strings.Cut(digits, ".")
	decimals = strings.TrimRight(decimals, "0")
	bad := fmt.Errorf("expected pounds with up to three decimals, at most %v", maxPrice)
	if !isNumber(whole) || len(decimals) > 3 || decimals != "" && !isNumber(decimals) || point && strings.HasSuffix(digits, ".") {
		return 0, bad
	}
	n, err := strconv.ParseInt(whole+decimals+"000"[len(decimals):], 10, 64)
	if err != nil || Thousandths(n) > maxPrice {
		return 0, bad
	}
	if negative {
		n = -n
	}
	return Thousandths(n), nil
}
