package ingest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/event"
	"recoup/internal/ingest"
	"recoup/internal/intake"
)

// imported imports a file by a mapping, in dollars.
func imported(t testing.TB, mapping, file, content string, link ingest.Link) (*ingest.Imported, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := intake.ParseMapping("map.yaml", []byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	return ingest.Import(t.Context(), ingest.Options{Mapping: m, Files: []string{path}, Currency: "USD", Source: "shop", Link: link, BadLimit: -1})
}

// short writes events as lines of what differs: the id, type, day and data.
func short(t testing.TB, i *ingest.Imported) []string {
	t.Helper()
	var lines []string
	for e := range i.Events() {
		line := string(event.Append(nil, &e))
		line = strings.TrimPrefix(line, `{"specversion":"1.0","id":`)
		line = strings.NewReplacer(`"source":"shop",`, "", `"type":`, "", `"time":`, "", `T00:00:00Z`, "", `"subject":`, "", `"currency":"USD",`, "",
			`,"currency":"USD"`, "", `"data":`, "", `"`, "").Replace(line)
		lines = append(lines, strings.TrimSuffix(line, "}"))
	}
	return lines
}

const (
	// till is a file of purchases and, below zero, of what came back.
	till = "amount_format: decimal\ndate_format: iso\nconstants: {currency: USD}\n" +
		"columns: {account: who, posted_at: day, amount: sum, merchant: shop}\n" +
		"transactions: {columns: {transaction: nr}, only: {column: sum, above: 0}}\n" +
		"refunds: {columns: {refund: nr, transaction: of}, only: {column: sum, below: 0}, sign: negated}\n"
	// receipts is one of articles.
	receipts = "amount_format: decimal\ndate_format: iso\nconstants: {currency: USD}\nrounding: down\nreceipts: sum\n" +
		"columns: {account: who, posted_at: day, price: each, quantity: n, article: what, category: aisle}\n" +
		"transactions: {columns: {transaction: nr}, only: {column: n, above: 0}}\n" +
		"refunds: {columns: {refund: nr}, only: {column: n, below: 0}, sign: negated}\n"
)

func TestImport(t *testing.T) {
	const tillHead, receiptsHead = "nr,who,day,sum,shop,of\n", "nr,who,day,each,n,what,aisle\n"
	items := strings.Replace(receipts, "receipts: sum", "receipts: items", 1)
	for _, c := range []struct {
		name, mapping, content string
		link                   ingest.Link
		want                   []string
		report                 []string
	}{
		{
			name: "what the file links stays linked, matched or not", mapping: till, link: ingest.LinkNone,
			content: tillHead + "t1,a,2026-01-05,10.00,s,\nr1,a,2026-01-06,-4.00,s,t1\nr2,a,2026-01-07,-1.00,s,t9\n",
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:1000,merchant:s}", "r1,refund.posted,2026-01-06,a,{refund:r1,amount:400,transaction:t1}",
				"r2,refund.posted,2026-01-07,a,{refund:r2,amount:100,transaction:t9}",
			},
			report: []string{"refunds that name their purchase in the file: 2, of them 1 one that is not in it"},
		},
		{
			name: "the newest purchase at the shop that covers it, of two; what nothing covers is unlinked", mapping: till,
			content: tillHead + "t1,a,2026-01-05,10.00,s,\nt2,a,2026-01-06,10.00,s,\nt3,a,2026-01-06,10.00,other,\nt4,b,2026-01-06,10.00,s,\n" +
				"r1,a,2026-01-07,-4.00,s,\nr2,a,2026-01-08,-11.00,s,\nr3,a,2026-01-09,-99.00,s,\nr4,b,2026-01-05,-1.00,s,\n",
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:1000,merchant:s}", "r4,refund.posted,2026-01-05,b,{refund:r4,amount:100,merchant:s}",
				"t2,transaction.settled,2026-01-06,a,{transaction:t2,amount:1000,merchant:s}", "t3,transaction.settled,2026-01-06,a,{transaction:t3,amount:1000,merchant:other}",
				"t4,transaction.settled,2026-01-06,b,{transaction:t4,amount:1000,merchant:s}",
				"r1/t2,refund.posted,2026-01-07,a,{refund:r1/t2,amount:400,transaction:t2}",
				"r2/t2,refund.posted,2026-01-08,a,{refund:r2/t2,amount:600,transaction:t2}", "r2/t1,refund.posted,2026-01-08,a,{refund:r2/t1,amount:500,transaction:t1}",
				"r3/t1,refund.posted,2026-01-09,a,{refund:r3/t1,amount:500,transaction:t1}", "r3,refund.posted,2026-01-09,a,{refund:r3,amount:9400,merchant:s}",
			},
			report: []string{"1 of one purchase (1 of several that would do, the newest), 1 of several together, 1 in part, 1 of none"},
		},
		{
			name: "the same without matching", mapping: till, link: ingest.LinkNone,
			content: tillHead + "t1,a,2026-01-05,10.00,s,\nr1,a,2026-01-07,-4.00,s,\n",
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:1000,merchant:s}", "r1,refund.posted,2026-01-07,a,{refund:r1,amount:400,merchant:s}",
			},
			report: []string{"0 of one purchase"},
		},
		{
			name: "a till gives what comes back the number of its receipt", mapping: till,
			content: tillHead + "t1,a,2026-01-05,10.00,s,\nt1,a,2026-01-06,-4.00,s,\n",
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:1000,merchant:s}", "t1/refund,refund.posted,2026-01-06,a,{refund:t1/refund,amount:400,transaction:t1}",
			},
		},
		{
			name: "chargebacks, and what did not stand",
			mapping: strings.Replace(strings.Replace(till, "transaction: of}", "transaction: of, kind: shop}", 1), "merchant: shop", "merchant: ~", 1) +
				"  \n",
			content: tillHead + "t1,a,2026-01-05,10.00,,\nc1,a,2026-01-06,-10.00,chargeback,t1\nc1,a,2026-01-07,-10.00,chargeback_reversed,t1\n" +
				"c2,a,2026-01-08,-3.00,chargeback,\n",
			link: ingest.LinkNone,
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:1000}", "c1,chargeback.posted,2026-01-06,a,{chargeback:c1,transaction:t1,amount:1000}",
				"c1/reversed,chargeback.reversed,2026-01-07,a,{chargeback:c1}", "c2,refund.posted,2026-01-08,a,{refund:c2,amount:300}",
			},
			report: []string{"chargebacks without a purchase became refunds: 1", "1 reversals"},
		},
		{
			name: "a price with three decimals is rounded once for the receipt, and what is left is said", mapping: receipts,
			content: receiptsHead + "t1,a,2026-01-05,0.125,3,pen,\nt1,a,2026-01-06,0.201,1,cap,\nr1,a,2026-01-07,0.125,-1,pen,\n",
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:57}", "r1/t1,refund.posted,2026-01-07,a,{refund:r1/t1,amount:12,transaction:t1}",
			},
			report: []string{"purchases: 1 events of 57 minor units; 0.600 left by rounding down", "refunds: 1 events of 12 minor units; 0.500 left"},
		},
		{
			name: "rows of one receipt are items, and what comes back names them", mapping: items,
			content: receiptsHead + "t1,a,2026-01-05,2.00,3,milk,GROCERY\nt1,a,2026-01-05,10.00,1,pan,HOME\nt1,a,2026-01-05,2.00,1,milk,GROCERY\n" +
				"t1,a,2026-01-05,1.00,1,milk,PETS\nt2,a,2026-01-06,10.00,1,pan,HOME\nr1,a,2026-01-07,2.00,-2,milk,GROCERY\nr1,a,2026-01-07,10.00,-2,pan,\n",
			want: []string{
				"t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:1900,items:[{item:milk,amount:800,category:GROCERY},{item:pan,amount:1000,category:HOME},{item:milk#2,amount:100,category:PETS}]}",
				"t2,transaction.settled,2026-01-06,a,{transaction:t2,amount:1000,items:[{item:pan,amount:1000,category:HOME}]}",
				"r1/t1,refund.posted,2026-01-07,a,{refund:r1/t1,amount:1400,transaction:t1,items:[{item:milk,amount:400},{item:pan,amount:1000}]}",
				"r1/t2,refund.posted,2026-01-07,a,{refund:r1/t2,amount:1000,transaction:t2,items:[{item:pan,amount:1000}]}",
			},
			report: []string{"items: 2 purchases list theirs, 0 have more than 200"},
		},
		{
			name: "rows without ids are named by their place", mapping: strings.NewReplacer("{columns: {transaction: nr}, ", "{", "refund: nr, ", "").Replace(till) + "ids: generated\n",
			content: tillHead + ",a,2026-01-05,10.00,s,\n,a,2026-01-06,-4.00,s,\n",
			want: []string{
				"x#2,transaction.settled,2026-01-05,a,{transaction:x#2,amount:1000,merchant:s}", "x#3/x#2,refund.posted,2026-01-06,a,{refund:x#3/x#2,amount:400,transaction:x#2}",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			i, err := imported(t, c.mapping, "x.csv", c.content, c.link)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(short(t, i), "\n"), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			var report bytes.Buffer
			if err := i.Report().Print(&report); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.report {
				if !strings.Contains(report.String(), want) {
					t.Errorf("no %q in\n%s", want, report.String())
				}
			}
		})
	}
}

// A receipt of more rows than an event may have items goes without.
func TestTooManyItems(t *testing.T) {
	var content strings.Builder
	content.WriteString("nr,who,day,each,n,what,aisle\n")
	for i := range 201 {
		content.WriteString("t1,a,2026-01-05,1.00,1,what-" + strings.Repeat("x", i) + ",\n")
	}
	i, err := imported(t, strings.Replace(receipts, "receipts: sum", "receipts: items", 1), "x.csv", content.String(), ingest.LinkMatched)
	if err != nil {
		t.Fatal(err)
	}
	if got := short(t, i); len(got) != 1 || got[0] != "t1,transaction.settled,2026-01-05,a,{transaction:t1,amount:20100}" || i.Report().TooManyItems != 1 {
		t.Errorf("%v, %+v", got, i.Report())
	}
}

// What cannot be told apart is an error with its place, and no guess.
func TestRefusedImports(t *testing.T) {
	for _, c := range []struct{ name, mapping, content, want string }{
		{"an id that is there twice", till, "nr,who,day,sum,shop,of\nt1,a,2026-01-05,10.00,s,\nt1,a,2026-01-05,10.00,s,\n", `x.csv:3: id "t1" of account "a" is on `},
		{"a row of both tables", strings.ReplaceAll(strings.ReplaceAll(till, ", only: {column: sum, above: 0}", ""), ", only: {column: sum, below: 0}, sign: negated", ""),
			"nr,who,day,sum,shop,of\nt1,a,2026-01-05,10.00,s,\n", "x.csv:2: the mapping takes the row for a purchase and for a refund"},
		{"a row that cannot be told", till, "nr,who,day,sum,shop,of\nt1,a,2026-01-05,ten,s,\n", `column "sum": expected a decimal number, which says whether the row counts, not "ten"`},
		{"rows of one refund that are of two purchases", strings.Replace(till, "refunds: {", "refunds: {receipts: sum, ", 1),
			"nr,who,day,sum,shop,of\nr1,a,2026-01-05,-1.00,s,t1\nr1,a,2026-01-05,-1.00,s,t2\n", `x.csv:3: refund "r1" is of another purchase or kind there`},
		{"a mapping without tables", "constants: {currency: USD}", "a\n", "the mapping has neither transactions nor refunds"},
		{"a missing column", till, "nr,who,day,sum\n", `column "of": missing`},
	} {
		i, err := imported(t, c.mapping, "x.csv", c.content, ingest.LinkMatched)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %s", c.name, i, err, c.want)
		}
	}
}
