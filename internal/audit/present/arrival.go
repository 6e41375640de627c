package present

import (
	"fmt"
	"strconv"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/program"
)

// arrival is when refunds come, and what waiting for them would bring.
func (r report) arrival() []page.Block {
	a := &r.Arrival
	if a.Refunds == 0 {
		return []page.Block{{Paragraphs: []string{"Not enough refunds to tell: of none is the purchase known."}}}
	}
	chart := page.ColumnChart{Title: "Refunded value by days after the purchase", Format: r.short, Parts: []page.BarPart{{Name: "refunded value", Class: "blue"}}}
	for i, b := range a.Buckets {
		endless, days := b.To < b.From, strconv.Itoa(b.From)
		if endless {
			days += " or more"
		} else if b.From < b.To {
			days += "–" + strconv.Itoa(b.To)
		}
		chart.Columns = append(chart.Columns, page.BarRow{Label: days, Values: []int64{max(b.Value, 0)}})
		for _, c := range a.Coverage {
			if b.From <= c.Days && (c.Days <= b.To || endless) {
				chart.Marks = append(chart.Marks, page.ColumnMark{Column: i, Label: fmt.Sprintf("%d%% by day %d", c.Permille/10, c.Days)})
			}
		}
	}
	blocks := []page.Block{{
		Paragraphs: []string{fmt.Sprintf("%s of %s, of which the purchase is known or can be told, by how many days after the purchase they came.", audit.Count(a.Refunds, "refund", "refunds"), r.money(a.Value))},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Days from purchase to refund, by value; later columns stand for more days. The marks are where 90, 95 and 99% of the refunded value had come."}},
	}}
	if len(a.Coverage) == 0 {
		return blocks
	}
	waits := page.NewSheet("Of the refunded value", ">Arrived within", ">maturity_days", ">grace_days", ">Would have saved", ">Honest customers wait longer by")
	waits.Caption = "maturity_days: the days for which a reward cannot be redeemed after its purchase. grace_days: the days after a statement close for which nothing can be redeemed, at most 27. Would have saved: what was redeemed of rewards whose purchase was refunded within that time, and never paid back. The last column is the price that honest customers pay: how much later they could have redeemed rewards of purchases that they kept, on the average and by value."
	for _, c := range a.Coverage {
		grace := strconv.Itoa(c.GraceDays)
		if !c.GraceEnough {
			grace += " (not enough)"
		}
		longer := fmt.Sprintf("%s.%d days", program.FormatCount(c.HonestWait/100), c.HonestWait%100/10)
		waits.Add(percent(c.Permille), audit.Count(int64(c.Days), "day", "days"), strconv.Itoa(c.MaturityDays), grace, r.money(c.Saved), longer)
	}
	return append(blocks, page.Block{
		Heading:    "How long to wait",
		Paragraphs: []string{"A reward that cannot be redeemed before the refund can come cannot be lost. These waits would have covered so much of the refunded value."},
		Table:      waits,
	})
}
