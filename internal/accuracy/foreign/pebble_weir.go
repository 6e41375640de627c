package foreign

import "time"

// pebbleWeir lets points through once a day, and takes them back once a month, while
// behind the weir nothing can be used that a return has claimed.
var pebbleWeir = Design{
	Name:   "pebble-weir",
	Source: "after the point wallets of Japanese payment apps and cards (PayPay, d Point, Rakuten Card), from memory",
	Published: "1 point for every full JPY 200 of a purchase, 3 on DINING and ONLINE, at most 900 points a purchase. " +
		"Points of a day come at 3 in the morning. Points of what was returned cannot be used from that moment and are taken off " +
		"on the 10th of the month; a return that we cannot match counts as one at 3 points, each JPY 200 begun.",
	How: "One row a day for all that came in, which names nothing, net of the returns known by then. On the 10th at 2 one row of the kind " +
		"adjusted brings the books to what the kept purchases earn, dated by the batch and naming nothing. In between the " +
		"redeemable amount is reckoned from the facts, so the batch has nothing to catch up with that could have been used.",
	Class: "robust", Currency: "JPY",
	New: func() Engine { return pebbleNew(&pebbleWeirs{pebbleZone("Asia/Tokyo")}) },
}

const (
	pebbleWeirUnit = 200
	pebbleWeirTop  = 3
	pebbleWeirMost = 900 // points of one purchase
)

type pebbleWeirs struct{ loc *time.Location }

// points is what is kept of a purchase earns.
func (w *pebbleWeirs) points(p *pebbleBuy) int64 {
	units := p.left() / pebbleWeirUnit
	if p.category == "DINING" || p.category == "ONLINE" {
		units *= pebbleWeirTop
	}
	return min(units, pebbleWeirMost)
}

// due is what the listed purchases earn now, less what returns without a known purchase
// could have taken.
func (w *pebbleWeirs) due(a *pebbleAccount) int64 {
	var sum int64
	for _, p := range a.buys {
		if !p.listed.IsZero() {
			sum += w.points(p)
		}
	}
	for _, c := range a.loose() {
		sum -= pebbleWeirTop * pebbleUp(c.amount, pebbleWeirUnit)
	}
	return sum
}

// booked does nothing: the ledger is for the batches, and sure looks at the facts.
func (w *pebbleWeirs) booked(*pebbleAccount, time.Time, pebbleCause) {}

func (w *pebbleWeirs) next(after time.Time) time.Time {
	day, month := pebbleDaily(after, w.loc, 3), pebbleMonthly(after, w.loc, 10, 2)
	if month.Before(day) {
		return month
	}
	return day
}

func (w *pebbleWeirs) run(a *pebbleAccount, at time.Time) {
	local := at.In(w.loc)
	if local.Hour() == 2 {
		a.post(Posting{At: at, Kind: Adjusted, Amount: w.due(a) - a.posted,
			Note: "Point adjustment of " + local.Format("January 2006")})
		return
	}
	var sum int64
	for _, p := range a.buys {
		if p.listed.IsZero() {
			p.listed = at
			sum += w.points(p)
		}
	}
	a.post(Posting{At: at, Kind: Earned, Amount: sum,
		Note: "Points of " + local.AddDate(0, 0, -1).Format("2 January")})
}

func (w *pebbleWeirs) sure(a *pebbleAccount, _ time.Time) int64 { return w.due(a) - a.redeemed }
