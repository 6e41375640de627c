package export_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recoup/ledger/export"
	"recoup/program"
)

// tool runs a program of Debian's packages hledger and beancount on a file.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Fatalf("%v: apt-get install hledger beancount, as make test does", err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "BEANCOUNT_DISABLE_LOAD_CACHE=1")
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		text := errors.String() + out.String()
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text[:min(len(text), 4000)])
	}
	return out.String()
}

// checked exports a log in a format, has its program check the file, and returns
// the file and what the accounts come to by that program's own sums.
func checked(t *testing.T, log export.Log, format string, o export.Options) (file string, sums map[string]int64) {
	t.Helper()
	text, _ := written(t, log, format, o)
	file = fileOf(t, text, format)
	switch format {
	case "hledger":
		tool(t, "hledger", "-f", file, "check", "--strict")
		return file, sumsOf(t, tool(t, "hledger", "-f", file, "balance", "--flat", "--empty", "--no-total", "-O", "csv"), 0, 1)
	case "beancount":
		tool(t, "bean-check", file)
		return file, sumsOf(t, tool(t, "bean-query", "-f", "csv", file, "SELECT account, sum(number), currency GROUP BY account, currency"), 0, 1)
	}
	sums = make(map[string]int64)
	for _, row := range rowsOf(t, text) {
		sums[row["account"]] += minor(t, row["debit"]) - minor(t, row["credit"])
	}
	return file, sums
}

func fileOf(t *testing.T, text, format string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rewards."+format)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// sumsOf reads a table of accounts and amounts of dollars.
func sumsOf(t *testing.T, table string, account, amount int) map[string]int64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]int64)
	for _, row := range rows[1:] {
		sums[strings.TrimSpace(row[account])] += minor(t, strings.TrimSuffix(strings.TrimSpace(row[amount]), " USD"))
	}
	return sums
}

func minor(t *testing.T, amount string) int64 {
	t.Helper()
	if amount == "" {
		return 0
	}
	n, err := program.ParseDecimal(amount, "USD")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rowsOf reads an export as CSV, by column.
func rowsOf(t *testing.T, text string) []map[string]string {
	t.Helper()
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, cells := range table[1:] {
		row := make(map[string]string)
		for i, cell := range cells {
			row[table[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// long reports whether there is time for longer tests.
func long() bool {
	yes, _ := strconv.ParseBool(os.Getenv("RECOUP_LONG"))
	return yes
}

// hledgerAccepts reports whether hledger finds nothing wrong with a journal.
func hledgerAccepts(t *testing.T, text string) bool {
	t.Helper()
	file := fileOf(t, text, "hledger")
	tool(t, "hledger", "--version") // it is there
	cmd := exec.Command("hledger", "-f", file, "check")
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	return cmd.Run() == nil
}
