package present

import (
	"fmt"
	"strconv"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/program"
)

// calibration is what each wait before rewards can be redeemed would have brought.
func (r report) calibration() page.Sheet {
	s := page.Sheet{Columns: page.Columns("Of the refunded value", ">Arrived within", ">maturity_days", ">grace_days", ">Would have saved", ">Honest customers wait longer by")}
	for _, c := range r.Arrival.Coverage {
		grace := strconv.Itoa(c.GraceDays)
		if !c.GraceEnough {
			grace += " (not enough)"
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			page.Text(percent(c.Permille)), page.Number(count(int64(c.Days), "day")), page.Number(strconv.Itoa(c.MaturityDays)), page.Number(grace),
			page.Number(r.money(c.Saved)), page.Number(hundredths(c.HonestWait) + " days"),
		}})
	}
	return s
}

// buckets is the distribution of refunds by days after their purchase.
func (r report) buckets() page.Sheet {
	s := page.Sheet{Columns: page.Columns("Days", ">Refunds", ">Value", ">Of the value", ">So far")}
	var soFar int64
	for i := range r.Arrival.Buckets {
		b := &r.Arrival.Buckets[i]
		soFar += b.Value
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			page.Text(bucketName(b)), page.Number(program.FormatCount(b.Refunds)), page.Number(r.money(b.Value)),
			page.Number(percent(share(b.Value, r.Arrival.Value))), page.Number(percent(share(soFar, r.Arrival.Value))),
		}})
	}
	return s
}

// bucketName is the days of a bucket; the last may have no end.
func bucketName(b *audit.ArrivalBucket) string {
	switch {
	case b.From == b.To:
		return strconv.Itoa(b.From)
	case b.To < b.From:
		return strconv.Itoa(b.From) + " or more"
	}
	return fmt.Sprintf("%d–%d", b.From, b.To)
}
