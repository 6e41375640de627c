package present

import (
	"fmt"
	"strconv"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/program"
)

// calibration is what each wait before rewards can be redeemed would have brought.
func (r report) calibration() *page.Sheet {
	s := page.NewSheet("Of the refunded value", ">Arrived within", ">maturity_days", ">grace_days", ">Would have saved", ">Honest customers wait longer by")
	s.Caption = "maturity_days: the days for which a reward cannot be redeemed after its purchase. grace_days: the days after a statement close for which nothing can be redeemed, at most 27. Would have saved: what was redeemed of rewards whose purchase was refunded within that time, and never paid back. The last column is the price that honest customers pay: how much later they could have redeemed rewards of purchases that they kept, on the average and by value."
	for _, c := range r.Arrival.Coverage {
		grace := strconv.Itoa(c.GraceDays)
		if !c.GraceEnough {
			grace += " (not enough)"
		}
		s.Add(percent(c.Permille), count(int64(c.Days), "day"), strconv.Itoa(c.MaturityDays), grace, r.money(c.Saved), hundredths(c.HonestWait)+" days")
	}
	return s
}

// buckets is the distribution of refunds by days after their purchase.
func (r report) buckets() *page.Sheet {
	s := page.NewSheet("Days", ">Refunds", ">Value", ">Of the value", ">So far")
	var soFar int64
	for _, b := range r.Arrival.Buckets {
		soFar += b.Value
		s.Add(bucketName(b), program.FormatCount(b.Refunds), r.money(b.Value), percent(share(b.Value, r.Arrival.Value)), percent(share(soFar, r.Arrival.Value)))
	}
	return s
}

// bucketName is the days of a bucket; the last may have no end.
func bucketName(b audit.ArrivalBucket) string {
	switch {
	case b.From == b.To:
		return strconv.Itoa(b.From)
	case b.To < b.From:
		return strconv.Itoa(b.From) + " or more"
	}
	return fmt.Sprintf("%d–%d", b.From, b.To)
}

const noPurchaseKnown = "Not enough refunds to tell: of none is the purchase known."

// arrivalSection is when refunds come, and what waiting for them would bring.
func (r report) arrivalSection() page.Section {
	s := page.Section{ID: "arrival", Title: "When refunds come"}
	a := &r.Arrival
	if a.Refunds == 0 {
		s.Blocks = []page.Block{{Paragraphs: []string{noPurchaseKnown}}}
		return s
	}
	chart := page.ColumnChart{Title: "Refunded value by days after the purchase", Format: r.short, Parts: []page.BarPart{{Name: "refunded value", Class: "blue"}}}
	for i, b := range a.Buckets {
		chart.Columns = append(chart.Columns, page.BarRow{Label: bucketName(b), Values: []int64{max(b.Value, 0)}})
		for _, c := range a.Coverage {
			if b.From <= c.Days && (c.Days <= b.To || b.To < b.From) {
				chart.Marks = append(chart.Marks, page.ColumnMark{Column: i, Label: fmt.Sprintf("%d%% by day %d", c.Permille/10, c.Days)})
			}
		}
	}
	s.Blocks = append(s.Blocks, page.Block{
		Paragraphs: []string{fmt.Sprintf("%s of %s, of which the purchase is known or can be told, by how many days after the purchase they came.", count(a.Refunds, "refund"), r.money(a.Value))},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Days from purchase to refund, by value; later columns stand for more days. The marks are where 90, 95 and 99% of the refunded value had come."}},
		Details:    []page.Detail{{Summary: "The distribution in figures", Blocks: []page.Block{{Table: r.buckets()}}}},
	})
	if len(a.Coverage) > 0 {
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    "How long to wait",
			Paragraphs: []string{"A reward that cannot be redeemed before the refund can come cannot be lost. These waits would have covered so much of the refunded value."},
			Table:      r.calibration(),
		})
	}
	return s
}
