package main

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeneratedTrafficReplaysAlike(t *testing.T) {
	workspace(t)
	generate := func(more ...string) string {
		return succeed(t, append([]string{"generate", "--accounts", "50", "--events", "3000", "--program", "program.yaml",
			"--returns", "200", "--over-refunds", "50", "--duplicates", "20", "--disorder", "20"}, more...)...)
	}
	events := generate("--seed", "7")
	if n := strings.Count(events, "\n"); n != 3000 {
		t.Fatalf("%d lines, want 3000", n)
	}
	if again := generate("--seed", "7"); again != events {
		t.Error("the same seed gave other events")
	}
	if other := generate("--seed", "8"); other == events {
		t.Error("another seed gave the same events")
	}
	if printed := generate("--seed", "7", "--out", "generated.jsonl"); printed != "" || readFile(t, "generated.jsonl") != events {
		t.Errorf("with --out it prints %d bytes and writes other events than without", len(printed))
	}

	replay := func(file string) (state, outcomes string) {
		state = succeed(t, "replay", "-p", "program.yaml", "--output", "json", "--outcomes", "outcomes.jsonl", file)
		return state, readFile(t, "outcomes.jsonl")
	}
	state, outcomes := replay("generated.jsonl")
	fromStandardInput(t, events)
	fromPipe, outcomesFromPipe := replay("-")
	if fromPipe != state || outcomesFromPipe != outcomes {
		t.Error("from a pipe comes another end than from a file")
	}
	if n := strings.Count(outcomes, "\n"); n != 3000 {
		t.Errorf("%d outcomes of 3000 events", n)
	}
	if n := strings.Count(state, `"account":`); n != 50 {
		t.Errorf("%d accounts, want 50", n)
	}
}

func TestGenerateTakesItsOptions(t *testing.T) {
	workspace(t)
	base := []string{"generate", "--accounts", "20", "--events", "2000"}
	with := func(more ...string) string { return succeed(t, append(append([]string{}, base...), more...)...) }
	if got := with("--returns", "0"); strings.Contains(got, `"refund.posted"`) {
		t.Error("with --returns 0 something comes back")
	}
	if got := with("--returns", "500"); !strings.Contains(got, `"refund.posted"`) {
		t.Error("with --returns 500 nothing comes back")
	}
	if got := with("--start", "2031-03-01"); !strings.Contains(got[:strings.Index(got, "\n")], `"time":"2031-03-01T`) {
		t.Errorf("with --start 2031-03-01 the first event is %s", got[:strings.Index(got, "\n")])
	}
	writeFile(t, "program.yaml", strings.Replace(everyday, "USD", "JPY", 1))
	if got := with("--program", "program.yaml"); strings.Contains(got, `"USD"`) || !strings.Contains(got, `"JPY"`) {
		t.Error("the events of a program in yen are not in yen")
	}
}

// retail is a purchase of two articles of which one comes back, as the UCI data
// set has it.
const retail = "Invoice,StockCode,Description,Quantity,InvoiceDate,Price,Customer ID,Country\n" +
	"489434,85048,15CM CHRISTMAS GLASS BALL,12,2009-12-01 07:45:00,6.95,13085.0,United Kingdom\n" +
	"489434,79323P,\"PINK, CHERRY LIGHTS\",4,2009-12-01 07:45:00,6.75,13085.0,United Kingdom\n" +
	"C489449,79323P,\"PINK, CHERRY LIGHTS\",-4,2009-12-03 10:33:00,6.75,13085.0,United Kingdom\n" +
	"489435,POST,POSTAGE,1,2009-12-04 07:46:00,18,13085.0,United Kingdom\n"

func TestImportedRetailReplays(t *testing.T) {
	root := repository(t)
	workspace(t)
	writeFile(t, "retail.csv", retail)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(retail)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "retail.csv.gz", packed.String())

	const want = `{"specversion":"1.0","id":"489434","source":"online-retail-ii","type":"transaction.settled","time":"2009-12-01T07:45:00Z","subject":"13085",` +
		`"data":{"transaction":"489434","amount":11040,"currency":"GBP","merchant":"uk-gift-wholesaler","mcc":"5947"}}` + "\n" +
		`{"specversion":"1.0","id":"C489449/489434","source":"online-retail-ii","type":"refund.posted","time":"2009-12-03T10:33:00Z","subject":"13085",` +
		`"data":{"refund":"C489449/489434","amount":2700,"currency":"GBP","transaction":"489434"}}` + "\n"
	mapping := filepath.Join(root, "examples/imports/online-retail.yaml")
	importing := func(more ...string) []string {
		return append([]string{"import", "csv", "--mapping", mapping, "--source", "online-retail-ii"}, more...)
	}
	for _, file := range []string{"retail.csv", "retail.csv.gz"} {
		events, report, err := recoup(importing(file)...)
		if err != nil {
			t.Fatal(err)
		}
		if events != want {
			t.Errorf("%s becomes\n%s, want\n%s", file, events, want)
		}
		if !strings.Contains(report, "rows: 4; 2 of purchases, 1 of refunds, 0 of reversals, 1 neither") ||
			!strings.Contains(report, "events: 1 accounts, 1 settlements, 1 refunds, 1 of them with their purchase (2700 minor units)") {
			t.Errorf("the report is\n%s", report)
		}
	}
	unlinked, _, err := recoup(importing("--link", "none", "--out", "events.jsonl", "retail.csv.gz")...)
	if err != nil || unlinked != "" {
		t.Fatalf("with --out it prints %q, error %v", unlinked, err)
	}
	if got := readFile(t, "events.jsonl"); strings.Count(got, "\n") != 2 || strings.Contains(got, "C489449/489434") {
		t.Errorf("without links it becomes\n%s", got)
	}

	writeFile(t, "program.yaml", "{id: retail, currency: GBP, clawback_method: rerate, rules: [{id: everything, rate: 5%}]}")
	state := oneLine(succeed(t, "replay", "-p", "program.yaml", "--output", "json", "events.jsonl"))
	if !strings.Contains(state, `"balance":417,`) || !strings.Contains(state, `"net_spend":8340,`) {
		t.Errorf("the state is %s, want 5 %% of the £83.40 kept", state)
	}
}

func TestBadFilesAreRefused(t *testing.T) {
	root := repository(t)
	workspace(t)
	mapping := filepath.Join(root, "examples/imports/online-retail.yaml")
	writeFile(t, "retail.csv", strings.Replace(retail, ",4,", ",four,", 1))
	got := refuse(t, "import", "csv", "--mapping", mapping, "--out", "imported.jsonl", "retail.csv")
	if !strings.Contains(got, `column "Quantity": expected a decimal number`) || !strings.Contains(got, `not "four" (retail.csv:3)`) {
		t.Errorf("the message is %q, want line 3 of retail.csv", got)
	}
	writeFile(t, "retail.csv.gz", retail)
	if got := refuse(t, "import", "csv", "--mapping", mapping, "retail.csv.gz"); !strings.HasPrefix(got, "retail.csv.gz: ") {
		t.Errorf("the message is %q", got)
	}
	writeFile(t, "own.yaml", "transactions: {columns: {transaction: Invoice}}")
	if got := refuse(t, "import", "csv", "--mapping", "own.yaml", "retail.csv"); !strings.Contains(got, `--currency "": expected a code of ISO 4217`) {
		t.Errorf("the message is %q", got)
	}
}

// A guess that leaves the currency to a column needs one flag more, and the refusal says which.
func TestGuessedMappingImports(t *testing.T) {
	workspace(t)
	writeFile(t, "sales.csv", "Transaction ID,Account,Date,Amount,Currency\nt1,a1,2026-01-05,25.00,EUR\nt2,a1,2026-01-06,10.00,USD\n")
	writeFile(t, "map.yaml", succeed(t, "import", "csv", "--inspect", "sales.csv"))
	imported := []string{"import", "csv", "--mapping", "map.yaml", "sales.csv"}
	if got := refuse(t, imported...); !strings.Contains(got, "add --currency USD, say, for the rows in that") {
		t.Errorf("the message is %q", got)
	}
	if got, _, err := recoup(append(imported, "--currency", "EUR")...); err != nil || !strings.Contains(got, `"transaction":"t1"`) || strings.Contains(got, "t2") {
		t.Errorf("imported %s: %v", got, err)
	}
}

// repository is the folder that the repository is in, before a test goes elsewhere.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}
