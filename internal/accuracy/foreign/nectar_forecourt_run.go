package foreign

import "time"

// least is what a view earns, whatever the open refunds are of. A fill that falls below $20
// loses all it earned, which is up to 4% of $20 beyond the part that came back; so does what
// it counts for in its band, hence back is $20 more for each refund.
func (s nectarForecourt) least(v nectarView) int64 {
	reach := v.unnamed + 2000*int64(len(v.open))
	var parts []nectarPart
	for _, p := range v.purchases {
		rate := int64(50)
		if p.category == "FUEL" {
			rate = 400
		}
		parts = append(parts, nectarPart{p.left(), rate})
	}
	sum := int64(0)
	for _, w := range s.months(v, reach) {
		sum += w
	}
	return max(0, sum-v.worst(parts, 81))
}

func (nectarForecourt) total(months map[int]int64) int64 {
	sum := int64(0)
	for _, w := range months {
		sum += w
	}
	return sum
}

func (s nectarForecourt) sure(a *nectarAccount, at time.Time) int64 {
	return s.least(a.view(at.AddDate(0, 0, -7)))
}

// moved books provisional credit by purchase, what a return takes of it by the return, and
// what unnamed returns may take.
func (s nectarForecourt) moved(a *nectarAccount, at time.Time, transaction, refund string) {
	if p := a.byID[transaction]; p != nil {
		d := a.gap("at once "+transaction, s.provisional(p))
		if refund == "" {
			a.post(at, Earned, d, transaction, "", "Credit, provisional")
		} else {
			a.post(at, Reversed, d, "", refund, "Return")
		}
		a.book["month "+nectarMonthName(nectarMonth(p.at, nectarForecourtZone))] += d
	}
	s.unnamed(a, at, refund)
}

// unnamed keeps the row of returns that are of no known purchase.
func (s nectarForecourt) unnamed(a *nectarAccount, at time.Time, refund string) {
	v := a.view(at)
	d := a.gap("unnamed", s.least(v)-s.total(s.months(v, 0)))
	a.post(at, Adjusted, d, "", refund, "Return without docket")
}

// batch trues up the welcome and every month that is over, by what is posted in its name.
func (s nectarForecourt) batch(a *nectarAccount, at time.Time) {
	months := s.months(a.view(at), 0)
	for _, m := range nectarKeys(months) {
		if m >= nectarMonth(at, nectarForecourtZone) {
			continue
		}
		key, note := "month "+nectarMonthName(m), "Volume credit "+nectarMonthName(m)
		if m == 0 {
			key, note = "welcome", "Welcome credit"
		}
		d := a.gap(key, months[m])
		if d > 0 {
			a.post(at, Earned, d, "", "", note)
		} else {
			a.post(at, Adjusted, d, "", "", note+", recalculated")
		}
	}
	s.unnamed(a, at, "")
}
