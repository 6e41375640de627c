package ingest_test

import (
	"os"
	"testing"

	"recoup/internal/ingest"
)

// publishedRetail is the Online Retail II data set (D. Chen, UCI Machine
// Learning Repository, CC BY 4.0, doi:10.24432/C5CG6D) with the days that its
// two sheets share kept once. It is not part of this repository.
const publishedRetail = "../../../shared/data/online_retail_ii.csv.xz"

// The figures were counted independently of this package.
func TestPublishedFile(t *testing.T) {
	if _, err := os.Stat(publishedRetail); err != nil {
		t.Skipf("the Online Retail II data set is not there: %v", err)
	}
	file, err := ingest.OpenRetail(publishedRetail, ingest.LinkMatched)
	if err != nil {
		t.Fatal(err)
	}
	checkRefunds(t, file)
	s := file.Summary()
	for name, c := range map[string]struct{ got, want ingest.Tally }{
		"all lines":                        {s.All, ingest.Tally{Lines: 1_044_848, Value: 18_909_762_118}},
		"cancellations":                    {s.Cancellations, ingest.Tally{Lines: 19_165, Value: -1_465_303_660}},
		"cancellations of customers":       {s.CustomerCancellations, ingest.Tally{Lines: 18_446, Value: -1_087_882_140}},
		"purchases of customers":           {s.CustomerPurchases, ingest.Tally{Lines: 791_115, Value: 17_431_551_178}},
		string(ingest.SkipBadDebt):         {s.Skipped[ingest.SkipBadDebt], ingest.Tally{Lines: 6, Value: -147_614_080}},
		string(ingest.SkipWriteOff):        {s.Skipped[ingest.SkipWriteOff], ingest.Tally{Lines: 3_393}},
		string(ingest.SkipNotReturned):     {s.Skipped[ingest.SkipNotReturned], ingest.Tally{Lines: 1, Value: 373_570}},
		string(ingest.SkipNoPrice):         {s.Skipped[ingest.SkipNoPrice], ingest.Tally{Lines: 2_631}},
		string(ingest.SkipNoCustomer):      {s.Skipped[ingest.SkipNoCustomer], ingest.Tally{Lines: 229_326, Value: 2_713_333_590}},
		string(ingest.SkipNonProduct):      {s.Skipped[ingest.SkipNonProduct], ingest.Tally{Lines: 3_663, Value: -68_247_542}},
		"imported purchases":               {ingest.Tally{Lines: s.Purchases.Lines, Value: s.Purchases.Value}, ingest.Tally{Lines: 788_187, Value: 17_124_926_230}},
		"imported refunds, as the file is": {ingest.Tally{Lines: s.Refunds.Lines, Value: -s.Refunds.Value}, ingest.Tally{Lines: 17_641, Value: -713_009_650}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, c.got, c.want)
		}
	}
	for name, c := range map[string]struct{ got, want int }{
		"returns covered by one purchase":      {s.Matching.Products.OnePurchase + s.Matching.Others.OnePurchase, 15_251},
		"returns covered by several purchases": {s.Matching.Products.SeveralPurchases + s.Matching.Others.SeveralPurchases, 117},
		"returns covered in part":              {s.Matching.Products.InPart + s.Matching.Others.InPart, 115},
		"returns covered by none":              {s.Matching.Products.None + s.Matching.Others.None, 2_963},
		"purchase invoices":                    {s.Purchases.Invoices, 36_594},
		"cancellation invoices":                {s.Refunds.Invoices, 7_282},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", name, c.got, c.want)
		}
	}
	if err := s.Print(t.Output()); err != nil {
		t.Error(err)
	}
}
