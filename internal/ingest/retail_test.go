package ingest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"recoup/event"
	"recoup/internal/ingest"
	"recoup/reward"
)

const retailHeader = "Invoice,StockCode,Description,Quantity,InvoiceDate,Price,Customer ID,Country\n"

// retailRow is one row as the published file has it, with the day and hour of
// December 2009.
func retailRow(invoice, code string, quantity int, day int, price, customer string) string {
	return fmt.Sprintf("%s,%s,\"A \"\"thing\"\", gilt\",%d,2009-12-%02d 10:00:00,%s,%s,United Kingdom\n", invoice, code, quantity, day, price, customer)
}

func importRetail(t *testing.T, link ingest.Link, rows ...string) (events []string, s *ingest.RetailSummary) {
	t.Helper()
	file, err := ingest.ReadRetail("retail.csv", strings.NewReader(retailHeader+strings.Join(rows, "")), link)
	if err != nil {
		t.Fatal(err)
	}
	for e := range file.Events() {
		events = append(events, strings.TrimRight(fmt.Sprintf("%s %s %s %s %d of %s", e.Time.Time().Format("02"), e.Account, e.Type, e.ID, e.Amount, e.Transaction), " "))
	}
	return events, file.Summary()
}

func TestInvoicesBecomeEvents(t *testing.T) {
	row := retailRow
	for _, c := range []struct {
		name string
		rows []string
		want []string
	}{
		{"the lines of an invoice are summed, wherever they stand",
			[]string{row("1", "22041", 3, 1, "2.1", "7"), row("2", "22041", 1, 1, "1", "8"), row("1", "22042", 2, 1, "0.85", "7")},
			[]string{"01 7 transaction.settled 1 800 of 1", "01 8 transaction.settled 2 100 of 2"}},
		{"a return is linked to the newest purchase of the same article and price",
			[]string{row("1", "22041", 5, 1, "2", "7"), row("2", "22041", 5, 2, "2", "7"), row("3", "22041", 5, 3, "3", "7"), row("C4", "22041", -5, 4, "2", "7")},
			[]string{"01 7 transaction.settled 1 1000 of 1", "02 7 transaction.settled 2 1000 of 2", "03 7 transaction.settled 3 1500 of 3", "04 7 refund.posted C4/2 1000 of 2"}},
		{"and uses its quantity up",
			[]string{row("1", "22041", 5, 1, "2", "7"), row("2", "22041", 5, 2, "2", "7"), row("C3", "22041", -5, 3, "2", "7"), row("C4", "22041", -5, 4, "2", "7"), row("C5", "22041", -5, 5, "2", "7")},
			[]string{"01 7 transaction.settled 1 1000 of 1", "02 7 transaction.settled 2 1000 of 2", "03 7 refund.posted C3/2 1000 of 2", "04 7 refund.posted C4/1 1000 of 1", "05 7 refund.posted C5 1000 of"}},
		{"an older purchase that covers it alone is preferred to several",
			[]string{row("1", "22041", 9, 1, "2", "7"), row("2", "22041", 4, 2, "2", "7"), row("3", "22041", 4, 3, "2", "7"), row("C4", "22041", -8, 4, "2", "7")},
			[]string{"01 7 transaction.settled 1 1800 of 1", "02 7 transaction.settled 2 800 of 2", "03 7 transaction.settled 3 800 of 3", "04 7 refund.posted C4/1 1600 of 1"}},
		{"several purchases cover it, newest first",
			[]string{row("1", "22041", 4, 1, "2", "7"), row("2", "22041", 4, 2, "2", "7"), row("C3", "22041", -6, 3, "2", "7")},
			[]string{"01 7 transaction.settled 1 800 of 1", "02 7 transaction.settled 2 800 of 2", "03 7 refund.posted C3/2 800 of 2", "03 7 refund.posted C3/1 400 of 1"}},
		{"what nothing covers is an unlinked refund",
			[]string{row("1", "22041", 4, 1, "2", "7"), row("C2", "22041", -6, 2, "2", "7")},
			[]string{"01 7 transaction.settled 1 800 of 1", "02 7 refund.posted C2/1 800 of 1", "02 7 refund.posted C2 400 of"}},
		{"a return that is covered in part gives way to a later one that is covered whole",
			[]string{row("1", "22041", 4, 1, "2", "7"), row("C2", "22041", -6, 2, "2", "7"), row("C3", "22041", -3, 3, "2", "7")},
			[]string{"01 7 transaction.settled 1 800 of 1", "02 7 refund.posted C2/1 200 of 1", "02 7 refund.posted C2 1000 of", "03 7 refund.posted C3/1 600 of 1"}},
		{"another customer's, another article's, a dearer and a later purchase are none",
			[]string{row("1", "22041", 9, 1, "2", "8"), row("2", "22042", 9, 1, "2", "7"), row("3", "22041", 9, 1, "2.01", "7"), row("C4", "22041", -1, 2, "2", "7"), row("5", "22041", 9, 3, "2", "7")},
			[]string{"01 8 transaction.settled 1 1800 of 1", "01 7 transaction.settled 2 1800 of 2", "01 7 transaction.settled 3 1809 of 3", "02 7 refund.posted C4 200 of", "03 7 transaction.settled 5 1800 of 5"}},
		{"a purchase of the same minute may stand later in the file",
			[]string{row("C2", "22041", -1, 1, "2", "7"), row("1", "22041", 1, 1, "2", "7")},
			[]string{"01 7 transaction.settled 1 200 of 1", "01 7 refund.posted C2/1 200 of 1"}},
		{"a file that is not sorted by time gives the same events",
			[]string{row("C4", "22041", -5, 4, "2", "7"), row("2", "22041", 5, 2, "2", "7"), row("1", "22041", 5, 1, "2", "7")},
			[]string{"01 7 transaction.settled 1 1000 of 1", "02 7 transaction.settled 2 1000 of 2", "04 7 refund.posted C4/2 1000 of 2"}},
		{"the earliest line of an invoice gives its time",
			[]string{row("1", "22041", 1, 3, "2", "7"), row("1", "22042", 1, 2, "2", "7"), row("C2", "22041", -1, 2, "2", "7")},
			[]string{"02 7 transaction.settled 1 400 of 1", "02 7 refund.posted C2/1 200 of 1"}},
		{"published customer ids end in .0",
			[]string{row("1", "22041", 1, 1, "2", "13085.0"), row("C2", "22041", -1, 2, "2", "13085")},
			[]string{"01 13085 transaction.settled 1 200 of 1", "02 13085 refund.posted C2/1 200 of 1"}},
		{"thousandths are rounded down once per event",
			[]string{row("1", "22041", 3, 1, "0.335", "7"), row("1", "22042", 1, 1, "0.002", "7"), row("C2", "22041", -1, 2, "0.335", "7"), row("C3", "22041", -2, 3, "0.335", "7")},
			[]string{"01 7 transaction.settled 1 100 of 1", "02 7 refund.posted C2/1 33 of 1", "03 7 refund.posted C3/1 67 of 1"}},
		{"what is below a penny is no event",
			[]string{row("1", "22041", 9, 1, "0.001", "7"), row("C2", "22041", -9, 2, "0.001", "7")},
			nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := importRetail(t, ingest.LinkMatched, c.rows...)
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestWithoutLinksEachCancellationIsOneRefund(t *testing.T) {
	got, s := importRetail(t, ingest.LinkNone,
		retailRow("1", "22041", 4, 1, "2", "7"), retailRow("C2", "22041", -3, 2, "2", "7"), retailRow("C2", "22042", -1, 2, "5", "7"))
	want := []string{"01 7 transaction.settled 1 800 of 1", "02 7 refund.posted C2 1100 of"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.LinkedRefunds != 0 || s.Matching.Lines() != 0 {
		t.Errorf("got %d linked refunds and %d matched lines, want none", s.LinkedRefunds, s.Matching.Lines())
	}
}

func TestEventsCarryWhatRulesMatchOn(t *testing.T) {
	file, err := ingest.ReadRetail("retail.csv", strings.NewReader(retailHeader+
		retailRow("1", "22041", 1, 1, "2", "7")+retailRow("C2", "22041", -1, 2, "2", "7")+retailRow("C3", "22041", -1, 3, "2", "7")), ingest.LinkMatched)
	if err != nil {
		t.Fatal(err)
	}
	decoder := event.NewDecoder()
	for e := range file.Events() {
		var back reward.Event
		if err := decoder.Decode(event.Append(nil, &e), &back); err != nil || back != e {
			t.Errorf("%s comes back from the wire as %+v: %v", e.ID, back, err)
		}
		if e.Source != ingest.RetailSource || e.Currency != ingest.RetailCurrency || !e.HasAmount {
			t.Errorf("%s: source %q, currency %q, amount %v", e.ID, e.Source, e.Currency, e.HasAmount)
		}
		if e.Type == reward.RefundPosted && e.Fact != e.ID {
			t.Errorf("refund %q has the id %q", e.Fact, e.ID)
		}
		linked := e.Type == reward.RefundPosted && e.Transaction != ""
		if shop := e.Merchant == ingest.RetailMerchant && e.MCC.String() == ingest.RetailMCC; shop == linked {
			t.Errorf("%s: merchant %q and mcc %s", e.ID, e.Merchant, e.MCC)
		}
	}
}

func TestEverySkippedLineHasAReason(t *testing.T) {
	row := retailRow
	_, s := importRetail(t, ingest.LinkMatched,
		row("1", "22041", 4, 1, "2", "7"),
		row("A2", "B", 1, 1, "-50", ""),
		row("3", "22041", -9, 1, "0", ""),
		row("C4", "M", 1, 1, "373.57", ""),
		row("5", "22041", 1, 1, "0", "7"),
		row("6", "22041", 1, 1, "-1", "7"),
		row("7", "22041", 0, 1, "1", "7"),
		row("8", "22041", 2, 1, "1.5", ""),
		row("C9", "22041", -1, 1, "1.5", ""),
		row("10", "POST", 1, 1, "18", "7"),
		row("C11", "POST", -1, 1, "18", "7"),
		row("12", "gift_0001_20", 1, 1, "17.02", "7"),
		row("13", "2204", 1, 1, "1", "7"),
		row("14", "22041-B", 1, 1, "1", "7"),
		row("15", "22041b", 1, 1, "1", "7"),
	)
	want := map[ingest.SkipReason]ingest.Tally{
		ingest.SkipBadDebt:       {Lines: 1, Value: -50_000},
		ingest.SkipWriteOff:      {Lines: 1},
		ingest.SkipNotReturned:   {Lines: 1, Value: 373_570},
		ingest.SkipNoPrice:       {Lines: 1},
		ingest.SkipNegativePrice: {Lines: 1, Value: -1_000},
		ingest.SkipNoQuantity:    {Lines: 1},
		ingest.SkipNoCustomer:    {Lines: 2, Value: 1_500},
		ingest.SkipNonProduct:    {Lines: 5, Value: 19_020},
	}
	for _, reason := range ingest.SkipReasons {
		if s.Skipped[reason] != want[reason] {
			t.Errorf("%s: got %+v, want %+v", reason, s.Skipped[reason], want[reason])
		}
	}
	if s.Purchases.Lines != 2 || s.Purchases.Amount != 900 {
		t.Errorf("imported %d lines of %dp, want 2 of 900p", s.Purchases.Lines, s.Purchases.Amount)
	}
	if got := s.Matching.Others; got != (ingest.Coverage{OnePurchase: 1}) {
		t.Errorf("non-product matching: got %+v", got)
	}
}

func TestSummaryReconcilesToTheThousandth(t *testing.T) {
	_, s := importRetail(t, ingest.LinkMatched,
		retailRow("1", "22041", 3, 1, "0.335", "7"), retailRow("2", "22041", 1, 1, "0.009", "7"),
		retailRow("C3", "22041", -1, 2, "0.335", "7"), retailRow("4", "M", 1, 2, "10", "7"))
	if s.All != (ingest.Tally{Lines: 4, Value: 1_005 + 9 - 335 + 10_000}) {
		t.Errorf("read %+v", s.All)
	}
	if want := (ingest.Booked{Lines: 2, Value: 1_014, Invoices: 2, Events: 1, Amount: 100, Rounding: 5 + 9, BelowPenny: 1}); s.Purchases != want {
		t.Errorf("purchases: got %+v, want %+v", s.Purchases, want)
	}
	if want := (ingest.Booked{Lines: 1, Value: 335, Invoices: 1, Events: 1, Amount: 33, Rounding: 5}); s.Refunds != want {
		t.Errorf("refunds: got %+v, want %+v", s.Refunds, want)
	}
	if err := s.Check(); err != nil {
		t.Errorf("Check: %v", err)
	}
	for name, spoil := range map[string]func(*ingest.RetailSummary){
		"a penny":      func(s *ingest.RetailSummary) { s.Refunds.Amount++ },
		"a thousandth": func(s *ingest.RetailSummary) { s.Purchases.Rounding-- },
		"a line":       func(s *ingest.RetailSummary) { s.All.Lines++ },
	} {
		spoiled := *s
		if spoil(&spoiled); spoiled.Check() == nil {
			t.Errorf("Check does not notice that %s is missing", name)
		}
	}
	var table strings.Builder
	if err := s.Print(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"10.679", "skipped: non-product code", "1 accounts, 1 settlements, 1 refunds, of them 1 linked (GBP 0.330)", "imported: 1 covered by one purchase"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the printed summary lacks %q:\n%s", want, &table)
		}
	}
}

func TestHeadersAndDatesThatAreAccepted(t *testing.T) {
	for name, file := range map[string]string{
		"published":   retailHeader + "1,22041,x,2,2009-12-01 07:45:00,6.95,13085.0,UK\n",
		"tidied":      "Invoice,StockCode,Description,Quantity,InvoiceDate,Price,CustomerID,Country\n1,22041,x,2,2009-12-01 07:45:00,6.950,13085,UK\n",
		"spreadsheet": "\ufeffPrice,InvoiceDate,Quantity,StockCode,Invoice,Customer ID\r\n6.95,12/1/2009 7:45,2,22041,1,13085\r\n",
	} {
		imported, err := ingest.ReadRetail("retail.csv", strings.NewReader(file), ingest.LinkMatched)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for e := range imported.Events() {
			if e.Time.String() != "2009-12-01T07:45:00Z" || e.Amount != 1390 || e.Account != "13085" {
				t.Errorf("%s: got %+v", name, e)
			}
		}
		if imported.Summary().Purchases.Events != 1 {
			t.Errorf("%s: no event", name)
		}
	}
}

func TestErrorsNameFileLineAndColumn(t *testing.T) {
	good := retailRow("1", "22041", 1, 1, "2", "7")
	long := strings.Repeat("x", 1<<17)
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "retail.csv: the file is empty"},
		{"no customer column", "Invoice,StockCode,Quantity,InvoiceDate,Price\n", "retail.csv:1: column Customer ID: is missing"},
		{"two customer columns", "Invoice,StockCode,Quantity,InvoiceDate,Price,CustomerID,Customer ID\n", "retail.csv:1: column Customer ID: is there twice"},
		{"invoice", retailHeader + good + "X1,22041,x,1,2009-12-01 10:00:00,2,7,UK\n", `retail.csv:3: column Invoice: "X1": expected up to 12 digits`},
		{"letter inside", retailHeader + "1C,22041,x,1,2009-12-01 10:00:00,2,7,UK\n", `column Invoice: "1C"`},
		{"two letters", retailHeader + "AC1,22041,x,1,2009-12-01 10:00:00,2,7,UK\n", `column Invoice: "AC1"`},
		{"no code", retailHeader + "1, ,x,1,2009-12-01 10:00:00,2,7,UK\n", `column StockCode: " ": expected a stock code`},
		{"quantity", retailHeader + "1,22041,x,1.5,2009-12-01 10:00:00,2,7,UK\n", `column Quantity: "1.5": expected a whole number`},
		{"huge quantity", retailHeader + "1,22041,x,10000001,2009-12-01 10:00:00,2,7,UK\n", `column Quantity`},
		{"date", retailHeader + "1,22041,x,1,13/1/2009 7:45,2,7,UK\n", `column InvoiceDate: "13/1/2009 7:45": expected a time`},
		{"early", retailHeader + "1,22041,x,1,1969-12-01 10:00:00,2,7,UK\n", `column InvoiceDate`},
		{"price", retailHeader + "1,22041,x,1,2009-12-01 10:00:00,£2,7,UK\n", `column Price: "£2": expected pounds`},
		{"fine price", retailHeader + "1,22041,x,1,2009-12-01 10:00:00,2.0001,7,UK\n", `column Price: "2.0001": expected pounds`},
		{"bare point", retailHeader + "1,22041,x,1,2009-12-01 10:00:00,2.,7,UK\n", `column Price`},
		{"huge price", retailHeader + "1,22041,x,1,2009-12-01 10:00:00,1000000.001,7,UK\n", `column Price`},
		{"customer", retailHeader + "1,22041,x,1,2009-12-01 10:00:00,2,7.5,UK\n", `column Customer ID: "7.5": expected up to 12 digits`},
		{"missing field", retailHeader + good + good + "1,22041\n", "retail.csv:4: character 1: wrong number of fields"},
		{"open quotation mark", retailHeader + good + `1,22041,"` + long, "retail.csv: after line 2: the row is longer than 64 KiB"},
		{"too much money", retailHeader + strings.Repeat("1,22041,x,10000000,2009-12-01 10:00:00,1000000,7,UK\n", 2), "retail.csv:2: the lines up to here come to more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ingest.ReadRetail("retail.csv", strings.NewReader(c.file), ingest.LinkMatched)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestCompressedFiles(t *testing.T) {
	plain := []byte(retailHeader + retailRow("1", "22041", 1, 1, "2", "7"))
	var gz, x bytes.Buffer
	g := gzip.NewWriter(&gz)
	w, err := xz.NewWriter(&x)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{g, w} {
		if _, err := c.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		content []byte
		ok      bool
	}{
		{"retail.csv", plain, true}, {"retail.csv.gz", gz.Bytes(), true}, {"retail.csv.XZ", x.Bytes(), true},
		{"-", x.Bytes(), true}, {"retail.csv", gz.Bytes(), true},
		{"retail.csv.gz", plain, false}, {"retail.csv.xz", gz.Bytes(), false}, {"retail.csv.gz", gz.Bytes()[:gz.Len()-9], false},
	} {
		file, err := ingest.ReadRetail(c.name, bytes.NewReader(c.content), ingest.LinkMatched)
		if c.ok && (err != nil || file.Summary().All.Lines != 1) {
			t.Errorf("%s: got error %v", c.name, err)
		}
		if !c.ok && (err == nil || !strings.Contains(err.Error(), c.name)) {
			t.Errorf("%s: got error %v, want one that names the file", c.name, err)
		}
	}
}

func TestParseLink(t *testing.T) {
	for s, want := range map[string]ingest.Link{"matched": ingest.LinkMatched, "none": ingest.LinkNone} {
		if got, err := ingest.ParseLink(s); err != nil || got != want {
			t.Errorf("ParseLink(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := ingest.ParseLink("some"); err == nil || !strings.Contains(err.Error(), "matched or none") {
		t.Errorf("ParseLink(some): got error %v", err)
	}
}

func FuzzReadRetail(f *testing.F) {
	f.Add([]byte(retailHeader + retailRow("1", "22041", 3, 1, "2.105", "7") + retailRow("C2", "22041", -1, 2, "2.105", "7")))
	f.Add([]byte(retailHeader + "A1,B,\"x\ny\",-1,12/1/2009 7:45,-0.5,13085.0,UK\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if bytes.HasPrefix(content, []byte{0xfd, '7', 'z'}) {
			t.Skip("the fuzzer is after this reader, not the one of xz")
		}
		file, err := ingest.ReadRetail("fuzz.csv", bytes.NewReader(content), ingest.LinkMatched)
		if err != nil {
			if !strings.Contains(err.Error(), "fuzz.csv") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		checkRefunds(t, file)
	})
}

// checkRefunds checks that the events are in order and distinct, and that the
// refunds of a purchase never sum to more than it.
func checkRefunds(t *testing.T, file *ingest.Retail) {
	t.Helper()
	type key struct{ account, transaction string }
	left := make(map[key]int64)
	ids := make(map[key]bool)
	var last reward.Instant
	for e := range file.Events() {
		if e.Time < last {
			t.Fatalf("event %s is of %v, after one of %v", e.ID, e.Time, last)
		}
		last = e.Time
		if id := (key{e.Account, e.ID}); ids[id] {
			t.Fatalf("event id %s is there twice in account %s", e.ID, e.Account)
		} else {
			ids[id] = true
		}
		if e.Amount <= 0 {
			t.Fatalf("event %s has the amount %d", e.ID, e.Amount)
		}
		of := key{e.Account, e.Transaction}
		switch {
		case e.Type == reward.TransactionSettled:
			left[of] = e.Amount
		case e.Transaction != "":
			if left[of] -= e.Amount; left[of] < 0 {
				t.Fatalf("refund %s takes more than is left of purchase %s", e.ID, e.Transaction)
			}
		}
	}
}
