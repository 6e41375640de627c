package intake_test

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/internal/intake"
)

// workbookOf writes rows as the sheets of a workbook.
func workbookOf(t testing.TB, sheets map[string][][]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	for name, rows := range sheets {
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		w, err := f.NewStreamWriter(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			cell, err := excelize.CoordinatesToCellName(1, i+1)
			if err == nil {
				err = w.SetRow(cell, row)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.DeleteSheet("Sheet1"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shop is a sheet as a shop has it: a row for each article of an invoice, what comes
// back with a quantity below zero, dates as a spreadsheet counts them.
var shop = [][]any{
	{"InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country"},
	{536365, "85123A", "LANTERN", 6, time.Date(2010, 12, 1, 8, 26, 0, 0, time.UTC), 2.55, 17850, "United Kingdom"},
	{536365, 71053, "LIGHT", 3, time.Date(2010, 12, 1, 8, 26, 0, 0, time.UTC), 1.1 + 2.2, 17850, "United Kingdom"},
	{},
	{"C536379", "85123A", "LANTERN", -1, time.Date(2010, 12, 1, 9, 41, 0, 0, time.UTC), 2.55, 17850, "United Kingdom"},
}

const shopMapping = `
amount_format: decimal
columns: {account: CustomerID, posted_at: InvoiceDate, price: UnitPrice, quantity: Quantity, article: StockCode}
constants: {currency: GBP}
date_format: excel
transactions: {columns: {transaction: InvoiceNo}, only: {column: Quantity, above: 0}}
refunds: {columns: {refund: InvoiceNo}, only: {column: Quantity, below: 0}, sign: negated}
`

// Cells are what was typed into them, and a guess reads a workbook like a text.
func TestWorkbook(t *testing.T) {
	want := []string{
		"purchase 17850 536365 1530 at 2010-12-01T08:26:00Z", "purchase 17850 536365 990 at 2010-12-01T08:26:00Z",
		"refund 17850 C536379 255 at 2010-12-01T09:41:00Z",
	}
	e := export{currency: "GBP", tables: []string{"transactions", "refunds"}}
	path := write(t, "shop.xlsx", workbookOf(t, map[string][][]any{"shop": shop}))
	if got := e.readAs(t, path, mapping(t, shopMapping)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	guess, err := inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(guess.YAML)
	for _, guessed := range []string{
		`price: "UnitPrice"`, `quantity: "Quantity"`, `article: "StockCode"`, "date_format: excel", "receipts: sum  # check",
		`only: {column: "Quantity", above: 0}  # check: 2 are above zero and 1 below`, `only: {column: "Quantity", below: 0}`,
	} {
		if !strings.Contains(text, guessed) {
			t.Errorf("no %q in\n%s", guessed, text)
		}
	}
	text = strings.ReplaceAll(text, "receipts: sum", "receipts: none")
	if got := e.readAs(t, path, mapping(t, strings.ReplaceAll(text, `"USD"`, "GBP"))); !slices.Equal(got, want) {
		t.Errorf("as guessed\n%s\nwant\n%s\nby\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), text)
	}
}

// What stands above the header of a sheet is passed over, as it is in text.
func TestInspectPassesOverTitlesOfSheets(t *testing.T) {
	titles := [][]any{{"Report of December"}, {}, {"Made", "by", "the shop"}}
	path := write(t, "shop.xlsx", workbookOf(t, map[string][][]any{"shop": slices.Concat(titles, shop)}))
	guess, err := inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`"USD"`, "GBP", "receipts: sum", "receipts: none").Replace(string(guess.YAML))
	e := export{currency: "GBP", tables: []string{"transactions", "refunds"}}
	got := e.readAs(t, path, mapping(t, text))
	if len(got) != 3 || !strings.Contains(text, "  skip_lines: 3  # before the header\n") {
		t.Errorf("read %q by\n%s", got, text)
	}
}

func TestSheetsAreNamed(t *testing.T) {
	rewards := [][]any{{"account", "amount", "posted_at"}, {"a1", 5, "2026-01-05T10:00:00Z"}}
	path := write(t, "r.xlsx", workbookOf(t, map[string][][]any{"notes": {{"nothing"}}, "January": rewards}))
	var sink collected
	o := options("USD", mapping(t, "sheet: January"), map[string]string{"rewards": path})
	if _, err := intake.Read(t.Context(), o, &sink); err != nil || !slices.Equal(sink.lines, []string{"reward a1 5 at 2026-01-05T10:00:00Z"}) {
		t.Errorf("%v, %v", sink.lines, err)
	}
	o = options("USD", mapping(t, "sheet: March"), map[string]string{"rewards": path})
	if _, err := intake.Read(t.Context(), o, &sink); err == nil || !strings.Contains(err.Error(), path+`: sheet "March": missing; the workbook has `) {
		t.Errorf("%v", err)
	}
}

// damaged writes a workbook with a part in the place of another's.
func damaged(t *testing.T, whole []byte, part string, content func() []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range in.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Name, part) {
			data = content()
		}
		to, err := z.Create(f.Name)
		if err == nil {
			_, err = to.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A part that unpacks to a thousand times its size is refused before it is unpacked.
func TestWorkbookThatGrows(t *testing.T) {
	whole := workbookOf(t, map[string][][]any{"shop": shop})
	bomb := damaged(t, whole, "xl/worksheets/", func() []byte { return bytes.Repeat([]byte(" "), 80<<20) })
	for name, content := range map[string][]byte{"a bomb": bomb, "half of a file": whole[:len(whole)/2], "empty": nil} {
		path := write(t, "r.xlsx", content)
		_, err := intake.Read(t.Context(), options("USD", nil, map[string]string{"rewards": path}), &collected{})
		if err == nil || !strings.Contains(err.Error(), path) || name == "a bomb" && !strings.Contains(err.Error(), "expected at most 1000-fold") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzWorkbook: a workbook of any bytes is rows or an error.
func FuzzWorkbook(f *testing.F) {
	f.Add(workbookOf(f, map[string][][]any{"shop": shop}))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, content []byte) {
		o := options("GBP", mapping(t, shopMapping), map[string]string{"transactions": write(t, "x.xlsx", content)})
		o.BadLimit = 1000
		if in, err := intake.Read(t.Context(), o, lawful{t}); err == nil && in.Rows != in.Files[0].Rows {
			t.Errorf("%+v", in)
		}
	})
}
