package present

import (
	"fmt"

	"recoup/internal/kit/page"
)

// arrivalSection is when refunds come, and what waiting for them would bring.
func (r report) arrivalSection() page.Section {
	s := page.Section{ID: "arrival", Title: "When refunds come"}
	a := &r.Arrival
	if a.Refunds == 0 {
		s.Blocks = []page.Block{{Paragraphs: []string{"Not enough refunds to tell: of none is the purchase known."}}}
		return s
	}
	chart := page.ColumnChart{Title: "Refunded value by days after the purchase", Format: r.short, Parts: []page.BarPart{{Name: "refunded value", Class: "blue"}}}
	for i := range a.Buckets {
		b := &a.Buckets[i]
		chart.Columns = append(chart.Columns, page.BarRow{Label: bucketName(b), Values: []int64{max(b.Value, 0)}})
	}
	for _, c := range a.Coverage {
		if column := r.bucketOf(c.Days); column >= 0 {
			chart.Marks = append(chart.Marks, page.ColumnMark{Column: column, Label: fmt.Sprintf("%d%% by day %d", c.Permille/10, c.Days)})
		}
	}
	buckets := r.buckets()
	s.Blocks = append(s.Blocks, page.Block{
		Paragraphs: []string{fmt.Sprintf("%s of %s, of which the purchase is known or can be told, by how many days after the purchase they came.", count(a.Refunds, "refund"), r.money(a.Value))},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Days from purchase to refund, by value; later columns stand for more days. The marks are where 90, 95 and 99% of the refunded value had come."}},
		Details:    []page.Detail{{Summary: "The distribution in figures", Blocks: []page.Block{{Table: &buckets}}}},
	})
	if len(a.Coverage) > 0 {
		table := r.calibration()
		table.Caption = "maturity_days: the days for which a reward cannot be redeemed after its purchase. grace_days: the days after a statement close for which nothing can be redeemed, at most 27. Would have saved: what was redeemed of rewards whose purchase was refunded within that time, and never paid back. The last column is the price that honest customers pay: how much later they could have redeemed rewards of purchases that they kept, on the average and by value."
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    "How long to wait",
			Paragraphs: []string{"A reward that cannot be redeemed before the refund can come cannot be lost. These waits would have covered so much of the refunded value."},
			Table:      &table,
		})
	}
	return s
}

// bucketOf is the index of the bucket that a number of days falls in, or -1.
func (r report) bucketOf(days int) int {
	for i := range r.Arrival.Buckets {
		b := &r.Arrival.Buckets[i]
		if b.From <= days && (days <= b.To || b.To < b.From) {
			return i
		}
	}
	return -1
}
