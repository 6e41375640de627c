package intake_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recoup/internal/intake"
	"recoup/internal/intake/history"
)

// Each bad row is counted under its reason, and the others are read.
func TestBadRows(t *testing.T) {
	long := strings.Repeat("x", 257)
	const (
		transactions = "transaction,account,amount,currency,posted_at,mcc\n"
		refunds      = "refund,account,amount,posted_at,kind\n"
		rewards      = "account,amount,posted_at,dc\n"
	)
	for _, c := range []struct{ table, header, mapping, row, want string }{
		{"transactions", transactions, "", "t1,a1,12.50,USD,2026-01-05T10:00:00Z,", `amount: expected an integer in minor units (see amount_format in the mapping), not "12.50"`},
		{"transactions", transactions, "", "t1,a1,,USD,2026-01-05T10:00:00Z,", `amount: missing`},
		{"transactions", transactions, "", "t1,a1,0,USD,2026-01-05T10:00:00Z,", `amount: zero; expected an amount`},
		{"transactions", transactions, "", "t1,a1,-5,USD,2026-01-05T10:00:00Z,", `amount: below zero; expected it above (see sign and only in the mapping), not "-5"`},
		{"transactions", transactions, "", "t1,a1,1000000000000001,USD,2026-01-05T10:00:00Z,", `amount: expected at most 1000000000000000 minor units, not "1000000000000001"`},
		{"transactions", transactions, "", "t1,a1,99999999999999999999999,USD,2026-01-05T10:00:00Z,", `amount: expected at most 1000000000000000 minor units, not "99999999999999999999999"`},
		{"transactions", transactions, "", ",a1,5,USD,2026-01-05T10:00:00Z,", `transaction: missing`},
		{"transactions", transactions, "", "t1,  ,5,USD,2026-01-05T10:00:00Z,", `account: missing`},
		{"transactions", transactions, "", "t1," + long + ",5,USD,2026-01-05T10:00:00Z,", `account: longer than 256 bytes`},
		{"transactions", transactions, "", "t1,a\xff,5,USD,2026-01-05T10:00:00Z,", `account: not in the encoding that the mapping says; see encoding in the mapping`},
		{"transactions", transactions, "", "t1,a1,5,,2026-01-05T10:00:00Z,", `currency: missing`},
		{"transactions", transactions, "", "t1,a1,5,USD,2026-01-05,", `posted_at: expected a time as rfc3339 has it, not "2026-01-05"`},
		{"transactions", transactions, "", "t1,a1,5,USD,2026-02-29T10:00:00Z,", `posted_at: expected a time as rfc3339 has it, not "2026-02-29T10:00:00Z"`},
		{"transactions", transactions, "", "t1,a1,5,USD,2026-01-05T10:00:60Z,", `posted_at: expected a time as rfc3339 has it, not "2026-01-05T10:00:60Z"`},
		{"transactions", transactions, "", "t1,a1,5,USD,1969-12-31T23:59:59Z,", `posted_at: expected a time from 1970-01-01T00:00:00Z to 2199-12-31T23:59:59.999999999Z, not "1969-12-31T23:59:59Z"`},
		{"transactions", transactions, "", "t1,a1,5,USD,2026-01-05T10:00:00Z,742", `mcc: expected four digits, not "742"`},
		{"transactions", transactions, "mcc_format: number", "t1,a1,5,USD,2026-01-05T10:00:00Z,54111", `mcc: expected four digits, not "54111"`},
		{"transactions", transactions, "", "t1,a1,5,USD", `expected 6 values, as the header has columns`},
		{"transactions", transactions, "", "t1,a\"1,5,USD,2026-01-05T10:00:00Z,", `a quotation mark inside a value; expected values with one in quotes, and it doubled`},
		{"transactions", transactions, "amount_format: decimal", "t1,a1,12.505,USD,2026-01-05T10:00:00Z,", `amount: expected at most 2 decimals, not "12.505"`},
		{"transactions", transactions, "amount_format: decimal", "t1,a1,\"12,50\",USD,2026-01-05T10:00:00Z,", `amount: expected a decimal number, not "12,50"`},
		{"transactions", transactions, "amount_format: decimal\nthousands_separator: \",\"", "t1,a1,\"1,23.50\",USD,2026-01-05T10:00:00Z,", `amount: expected a decimal number with "." before its decimals, not "1,23.50"`},
		{"transactions", transactions, "amount_format: decimal\nthousands_separator: \",\"", "t1,a1,\"1,23,456\",USD,2026-01-05T10:00:00Z,", `amount: expected a decimal number with "." before its decimals, not "1,23,456"`},
		{"transactions", transactions, "amount_format: decimal\nthousands_separator: \",\"", "t1,a1,\"1234,567\",USD,2026-01-05T10:00:00Z,", `amount: expected a decimal number with "." before its decimals, not "1234,567"`},
		{"transactions", transactions, "", "t1,a1,5,USD,2100-02-29T10:00:00Z,", `posted_at: expected a time as rfc3339 has it, not "2100-02-29T10:00:00Z"`},
		{"transactions", transactions, "date_format: unix_us", "t1,a1,5,USD,1767607200000000.0001,", `posted_at: expected a time as unix_us has it, not "1767607200000000.0001"`},
		{"transactions", transactions, "", "t1,a1,5,USD,2026-01-05T10:00:00Z,,x", `expected 6 values, as the header has columns`},
		{"refunds", refunds, "", "\"r1,a1,5,2026-01-05T10:00:00Z,\nr2\",a1,5,2026-01-05T10:00:00Z,", `refund: a line break or another control character in it; is a quotation mark missing?, not "r1,a1,5,2026-01-05T10:00"…`},
		{"refunds", refunds, "only: {column: amount, above: 0}", "r1,a1,x,2026-01-05T10:00:00Z,", `column "amount": expected a decimal number, which says whether the row counts, not "x"`},
		{"refunds", refunds, "amount_format: decimal\nrefunds: {columns: {price: amount, quantity: kind, kind: ~}}", "r1,a1,1.005,2026-01-05T10:00:00Z,3", `price (column "amount"): expected at most 2 decimals, not "1.005"`},
		{"refunds", refunds, "amount_format: decimal\nrefunds: {columns: {price: amount, quantity: kind, kind: ~}}", "r1,a1,1.00,2026-01-05T10:00:00Z,1.2345", `quantity (column "kind"): expected at most 3 decimals, not "1.2345"`},
		{"refunds", refunds, "amount_format: decimal\nrefunds: {columns: {price: amount, quantity: kind, kind: ~}}", "r1,a1,999999999999,2026-01-05T10:00:00Z,99999999", `price (column "amount"): expected at most 1000000000000000 minor units, not "999999999999"`},
		{"refunds", refunds, "", "r1,a1,5,2026-01-05T10:00:00Z,CR", `kind: expected a known kind (see kinds in the mapping), not "CR"`},
		{"refunds", refunds, "kinds: {X: adjustment}", "r1,a1,5,2026-01-05T10:00:00Z,X", `kind: expected a known kind (see kinds in the mapping), not "X"`},
		{"rewards", rewards, "direction: {column: dc, negative: [D], positive: [C]}", "a1,5,2026-01-05T10:00:00Z,E", `amount: expected one of the values of direction in the mapping, not "E"`},
		{"rewards", rewards, "rewards: {columns: {negative_amount: dc}}", "a1,5,2026-01-05T10:00:00Z,7", `negative_amount (column "dc"): given beside an amount; expected one of them`},
	} {
		t.Run(c.want, func(t *testing.T) {
			path := write(t, "x.csv", []byte(c.header+c.row+"\n"))
			var sink collected
			o := options("USD", mapping(t, c.mapping), map[string]string{c.table: path})
			o.BadLimit = 1000
			in, err := intake.Read(t.Context(), o, &sink)
			if err != nil || len(sink.lines) != 0 || in.Bad != 1 || len(in.ByWhy) != 1 {
				t.Fatalf("%v, %+v, %v", sink.lines, in, err)
			}
			if why := in.ByWhy[0]; why.Reason != c.want || why.Rows != 1 || !slices.Equal(why.First, []string{path + ":2"}) {
				t.Errorf("%+v", why)
			}
		})
	}
}

// good is a reward as a line of a file.
const goodReward = "a1,5,2026-01-05T10:00:00Z\n"

// Reasons of several files are added up; the first places are those of the first
// files.
func TestBadRowsOfFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		content := "account,amount,posted_at\n" + strings.Repeat(goodReward, 997) + "a1,x,2026-01-05T10:00:00Z\n,5,2026-01-05T10:00:00Z\na1,y,2026-01-05T10:00:00Z\n"
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("r%d.csv", i)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var sink collected
	in, err := intake.Read(t.Context(), options("USD", nil, map[string]string{"rewards": filepath.Join(dir, "r*.csv")}), &sink)
	if err != nil || in.Rows != 3*997 || in.Bad != 9 || len(in.Files) != 3 || in.Files[2].Bad != 3 {
		t.Fatalf("%+v, %v", in, err)
	}
	at := func(file, line int) string {
		return fmt.Sprintf("%s:%d", filepath.Join(dir, fmt.Sprintf("r%d.csv", file)), line)
	}
	want := []intake.BadReason{
		{Reason: `amount: expected an integer in minor units (see amount_format in the mapping), not "x"`, Rows: 6, First: []string{at(0, 999), at(0, 1001), at(1, 999), at(1, 1001), at(2, 999)}},
		{Reason: `account: missing`, Rows: 3, First: []string{at(0, 1000), at(1, 1000), at(2, 1000)}},
	}
	if fmt.Sprint(in.ByWhy) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", in.ByWhy, want)
	}
}

// Rows in another currency and those that the mapping leaves out are counted
// apart, and are not bad.
func TestRowsLeftOut(t *testing.T) {
	content := "transaction,account,amount,currency,posted_at,status\nt1,a1,5,USD,2026-01-05T10:00:00Z,OK\n" +
		strings.Repeat("t2,a1,5,EUR,2026-01-05T10:00:00Z,OK\n", 3) + "t3,a1,not a number,USD,never,PENDING\n"
	path := write(t, "t.csv", []byte(content))
	var sink collected
	m := mapping(t, "transactions: {skip: {column: Status, values: [PENDING, DECLINED]}}")
	in, err := intake.Read(t.Context(), options("USD", m, map[string]string{"transactions": path}), &sink)
	if err != nil || in.Rows != 1 || in.Bad != 0 || in.Left != 4 || in.Files[0].OtherCurrency != 3 || in.Files[0].Skipped != 1 {
		t.Fatalf("%+v, %v", in, err)
	}
	want := []intake.BadReason{
		{Reason: `currency: expected USD, the program's, not "EUR"`, Rows: 3, First: []string{path + ":3", path + ":4", path + ":5"}},
		{Reason: `left out as the mapping says (skip, only)`, Rows: 1, First: []string{path + ":6"}},
	}
	if fmt.Sprint(in.LeftByWhy) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", in.LeftByWhy, want)
	}
}

// Above the limit reading stops, at the end of the file or once it is clear; at
// the limit it does not.
func TestBadLimit(t *testing.T) {
	for _, c := range []struct {
		name      string
		good, bad int
		limit     int
		goodAfter int
		stops     bool
		rows      int64 // when it stops
	}{
		{"as many as allowed", 990, 10, 0, 0, false, 0},
		{"one more", 989, 11, 0, 0, true, 1000},
		{"none allowed", 999, 1, -1, 0, true, 1000},
		{"a limit of its own", 950, 50, 50, 0, false, 0},
		{"many bad ones first, but not before many rows are read", 0, 150, 0, 14850, false, 0},
		{"clear before the end", 9950, 101, 0, 100_000, true, 10_051},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := "account,amount,posted_at\n" + strings.Repeat(goodReward, c.good) + strings.Repeat("a1,secret,2026-01-05T10:00:00Z\n", c.bad) + strings.Repeat(goodReward, c.goodAfter)
			path := write(t, "r.csv", []byte(content))
			o := options("USD", nil, map[string]string{"rewards": path})
			o.BadLimit = c.limit
			in, err := intake.Read(t.Context(), o, &collected{})
			var tooMany *intake.BadRowsError
			switch {
			case !c.stops && (err != nil || in.Rows != int64(c.good+c.goodAfter) || in.Bad != int64(c.bad)):
				t.Fatalf("%+v, %v", in, err)
			case !c.stops:
			case !errors.As(err, &tooMany):
				t.Fatalf("%+v, %v; want it to stop", in, err)
			case tooMany.Rows != c.rows || tooMany.File != path || !strings.Contains(err.Error(), fmt.Sprintf("%s:%d", path, c.good+2)) ||
				!strings.Contains(err.Error(), "amount: expected an integer"):
				t.Errorf("%v", err)
			}
		})
	}
}

// A file as a whole that cannot be read is an error that says which and why.
func TestRefusedFiles(t *testing.T) {
	const header = "account,amount,posted_at\n"
	for _, c := range []struct {
		name, file, mapping, want string
		content                   []byte
	}{
		{"missing column", "r.csv", "", `column "amount": missing; the header has "account", "posted_at"`, []byte("account,posted_at\n")},
		{"missing mapped column", "r.csv", "rewards: {columns: {kind: Art}}", `column "Art": missing`, []byte(header)},
		{"missing column of a condition", "r.csv", "skip: {column: Status, values: [X]}", `column "Status": missing`, []byte(header)},
		{"the only column of amounts left out", "r.csv", "columns: {amount: ~, negative_amount: debit}", `column "amount": left out by the mapping`, []byte(header + goodReward)},
		{"column there twice", "r.csv", "", `column "amount": there twice, as number 2 and 4`, []byte("account,amount,posted_at,amount\n")},
		{"column there twice but for case", "r.csv", "", `column "amount": there twice, as number 2 and 4`, []byte("account,Amount,posted_at,AMOUNT\n")},
		{"empty", "r.csv", "", `empty; expected a header`, nil},
		{"too many lines to skip", "r.csv", "skip_lines: 3", `empty; expected a header`, []byte(header)},
		{"UTF-16 that was read as something else before", "r.csv", "", `the content is UTF-16`, []byte("ÿþa\x00")},
		{"gzip with something after its end", "r.csv.gz", "", `goes on after its end; expected a whole .gz file`, append(packed(t, ".gz", []byte(header+goodReward)), "trailing"...)},
		{"a workbook", "r.csv", "", `the content is a ZIP archive or a workbook`, []byte("PK\x03\x04")},
		{"compressed without saying so", "r.csv", "", `the content is compressed by gzip`, packed(t, ".gz", []byte(header))},
		{"not compressed", "r.csv.gz", "", `expected a .gz file`, []byte(header)},
		{"not xz", "r.csv.xz", "", `expected a .xz file`, []byte(header)},
		{"not zstd", "r.csv.zst", "", `magic number mismatch`, []byte(header + goodReward)},
		{"cut short", "r.csv.gz", "", `unexpected EOF`, packed(t, ".gz", []byte(header+goodReward))[:40]},
		{"another format", "r.xls", "", `expected a name that ends in .csv`, []byte(header)},
		{"not a workbook", "r.xlsx", "", `expected a workbook (xlsx)`, []byte(header)},
		{"not Parquet", "r.parquet", "", `expected a Parquet file`, []byte(header)},
		{"no line ends", "r.csv", "", `a row longer than 1 MiB`, []byte(header + strings.Repeat("x", 3<<20))},
		{"a decompression bomb", "r.csv.zst", "", `when unpacked; expected at most 1000-fold`, packed(t, ".zst", []byte("account,amount,posted_at,note\n"+strings.Repeat(strings.TrimSpace(goodReward)+","+strings.Repeat("x", 1<<10)+"\n", 80<<10)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.file, c.content)
			in, err := intake.Read(t.Context(), options("USD", mapping(t, c.mapping), map[string]string{"rewards": path}), &collected{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%+v, %v; want %s", in, err, c.want)
			}
		})
	}
}

// Files are read in order, each once, and what names none is an error.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"r1.csv", "r2.csv", "r[1].csv"} {
		content := "account,amount,posted_at\n" + strings.Replace(goodReward, "a1", name, 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) (o intake.Options) {
		o = options("USD", nil, nil)
		for _, name := range names {
			o.Rewards = append(o.Rewards, filepath.Join(dir, name))
		}
		return o
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"r*.csv"}, "r1.csv r2.csv r[1].csv"},
		{[]string{"r2.csv", "r?.csv"}, "r2.csv r1.csv"},
		{[]string{"r[1].csv"}, "r[1].csv"},
	} {
		var sink collected
		var read int64
		o := in(c.names...)
		o.Progress = func(n int64) { read += n }
		got, err := intake.Read(t.Context(), o, &sink)
		var names []string
		for _, line := range sink.lines {
			names = append(names, strings.Fields(line)[1])
		}
		size, sizeErr := o.Size()
		if err != nil || sizeErr != nil || strings.Join(names, " ") != c.want || size != read {
			t.Errorf("%v: read %v of %+v, %d bytes of %d, %v, %v", c.names, names, got, read, size, err, sizeErr)
		}
	}
	if got, err := intake.Read(t.Context(), in("r1.csv", "x*.csv"), &collected{}); err == nil || !strings.Contains(err.Error(), "rewards: no file is named "+filepath.Join(dir, "x*.csv")) {
		t.Errorf("%+v, %v", got, err)
	}
}

type refusing struct{ err error }

func (r refusing) Add([]history.Row) error { return r.err }

// What the sink and the context say ends the reading.
func TestStops(t *testing.T) {
	path := write(t, "r.csv", []byte("account,amount,posted_at\n"+strings.Repeat(goodReward, 100_000)))
	o := options("USD", nil, map[string]string{"rewards": path})
	full := errors.New("the disk is full")
	if _, err := intake.Read(t.Context(), o, refusing{full}); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := intake.Read(ctx, o, &collected{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}
