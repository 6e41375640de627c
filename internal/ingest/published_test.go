package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/ingest"
	"recoup/internal/intake"
	"recoup/internal/kit/labtest"
)

// The figures were counted independently of this package.
func TestPublishedFile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := labtest.Retail(t, "../..", ingest.LinkMatched).Report()
	for name, c := range map[string]struct{ got, want int64 }{
		"rows of purchases":         {r.Purchases.Rows, 788_187},
		"pence of purchases":        {r.Purchases.Amount, 1_712_492_623},
		"rows of refunds":           {r.Refunds.Rows, 17_641},
		"pence of refunds":          {r.Refunds.Amount, 71_300_965},
		"purchases":                 {int64(r.Purchases.Events), 36_594},
		"refunds":                   {int64(r.Refunds.Events), 9_516},
		"accounts":                  {int64(r.Accounts), 5_875},
		"bad rows":                  {r.Input.Bad, 0},
		"covered by one purchase":   {int64(r.Matching.OnePurchase), 15_118},
		"covered by several":        {int64(r.Matching.SeveralPurchases), 116},
		"covered in part":           {int64(r.Matching.InPart), 113},
		"covered by none":           {int64(r.Matching.None), 2_294},
		"refunds with a purchase":   {int64(r.Linked), 8_184},
		"pence with their purchase": {r.LinkedAmount, 66_438_937},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", name, c.got, c.want)
		}
	}
}

// The mappings of the examples read made-up files of the same layouts.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		mapping, file, content string
		want                   []string
	}{
		{"card-transactions.yaml", "cards.csv",
			"User,Card,Year,Month,Day,Time,Amount,Use Chip,Merchant Name,Merchant City,Merchant State,Zip,MCC,Errors?,Is Fraud?\n" +
				"0,1,2002,9,1,06:21,$134.09,Swipe Transaction,3527213246127876953,La Verne,CA,91750.0,5300,,No\n" +
				"0,1,2002,9,3,10:00,$50.00,Swipe Transaction,3527213246127876953,La Verne,CA,91750.0,5300,Insufficient Balance,No\n" +
				"0,1,2002,9,5,20:18,$-99.00,Swipe Transaction,3527213246127876953,La Verne,CA,91750.0,5300,,No\n",
			[]string{
				"cards#2,transaction.settled,2002-09-01T06:21:00Z,0 1,{transaction:cards#2,amount:13409,merchant:3527213246127876953,mcc:5300}",
				"cards#4/cards#2,refund.posted,2002-09-05T20:18:00Z,0 1,{refund:cards#4/cards#2,amount:9900,transaction:cards#2}",
			}},
		{"purchase-cards.yaml", "cards.csv",
			"Year-Month,Agency Number,Agency Name,Cardholder Last Name,Cardholder First Initial,Description,Amount,Vendor,Transaction Date,Posted Date,Merchant Category Code (MCC)\n" +
				"201307,1000,STATE UNIVERSITY,Doe,J,GENERAL PURCHASE,\"$1,890.00\",ACME,07/30/2013 12:00:00 AM,07/31/2013 12:00:00 AM,OFFICE SUPPLIES\n" +
				"201307,1000,STATE UNIVERSITY,Doe,J,GENERAL PURCHASE,($90.00),ACME,08/30/2013 12:00:00 AM,08/31/2013 12:00:00 AM,OFFICE SUPPLIES\n",
			[]string{
				"cards#2,transaction.settled,2013-07-31,1000 Doe J,{transaction:cards#2,amount:189000,merchant:ACME,category:OFFICE SUPPLIES}",
				"cards#3/cards#2,refund.posted,2013-08-31,1000 Doe J,{refund:cards#3/cards#2,amount:9000,transaction:cards#2}",
			}},
	} {
		text, err := os.ReadFile(filepath.Join("../../examples/imports", c.mapping))
		if err != nil {
			t.Fatal(err)
		}
		i, err := imported(t, string(text), c.file, c.content, ingest.LinkMatched)
		if err != nil {
			t.Fatal(err)
		}
		if got := short(t, i); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.mapping, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	for _, name := range []string{"online-retail.yaml", "online-retail-xlsx.yaml"} {
		if _, err := intake.LoadMapping(filepath.Join("../../examples/imports", name)); err != nil {
			t.Error(err)
		}
	}
}
