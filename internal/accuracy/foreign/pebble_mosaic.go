package foreign

import "time"

// pebbleMosaic sets its stones once a week, takes more than it must for a return that
// nobody can place, and gives the rest back when its desk has looked.
var pebbleMosaic = Design{
	Name:   "pebble-mosaic",
	Source: "after Canadian bank cards with points (Scene+, PC Optimum, Tangerine, RBC Avion), from memory",
	Published: "1 point for every full CAD 1 of a purchase, and 2 more on GROCERY and FUEL, at most 2,000 of these in a calendar quarter (Toronto time). " +
		"Points come on Mondays and lapse a year after the month of their purchase unless redeemed. Returned purchases count as never made, " +
		"for caps and for lapsing too. A return without a purchase takes 3 points for each dollar begun; after ten days our desk lowers " +
		"that to the most that any of your purchases could have earned by the dollar. A redemption that the kept purchases could not have paid " +
		"in full is a debt and keeps no points from lapsing.",
	How: "The account is replayed from the facts with every change: purchases as kept, points lapsing and spent in the order of purchase, requests to redeem where " +
		"that replay has the points. The ledger goes down at once, in a row with the return's name, and up on Mondays, in one row that names " +
		"nothing; lapsing and what the desk gives back are rows of the kind adjusted. Redemptions that the replay has no points for are a debt.",
	Class: "robust", Currency: "CAD",
	New: func() Engine { return pebbleNew(&pebbleMosaics{pebbleZone("America/Toronto")}) },
}

const (
	pebbleMosaicUnit = 100
	pebbleMosaicTop  = 3    // points a unit, base and extra
	pebbleMosaicCap  = 2000 // of the extra points in a quarter
	pebbleMosaicDesk = 10 * 24 * time.Hour
	// pebbleMosaicLate is how long after a return its purchase may still clear.
	pebbleMosaicLate = 120 * 24 * time.Hour
)

type pebbleMosaics struct{ loc *time.Location }

func pebbleMosaicRate(p *pebbleBuy) int64 {
	if p.category == "GROCERY" || p.category == "FUEL" {
		return pebbleMosaicTop
	}
	return 1
}

// doubt is what returns without a known purchase may have taken. The desk goes by rates
// alone: a shop's name or an equal amount proves nothing.
func (m *pebbleMosaics) doubt(a *pebbleAccount, now time.Time) int64 {
	var sum int64
	for _, c := range a.loose() {
		rate := int64(pebbleMosaicTop)
		if !now.Before(c.came.Add(pebbleMosaicDesk)) {
			rate = 1
			for _, p := range a.buys {
				if !p.at.After(c.at.Add(pebbleMosaicLate)) {
					rate = max(rate, pebbleMosaicRate(p))
				}
			}
		}
		sum += rate * pebbleUp(c.amount, pebbleMosaicUnit)
	}
	return sum
}

// A pebbleMosaicLot is the points of a purchase.
type pebbleMosaicLot struct {
	left       int64
	born, dies time.Time
}

// lots are the points of the listed purchases, in the order in which they lapse.
func (m *pebbleMosaics) lots(a *pebbleAccount) (lots []pebbleMosaicLot) {
	used := map[int]int64{}
	for _, p := range a.buys {
		if p.listed.IsZero() {
			continue
		}
		y, month, _ := p.at.In(m.loc).Date()
		quarter := y*4 + int(month-1)/3
		units := p.left() / pebbleMosaicUnit
		extra := min(units*(pebbleMosaicRate(p)-1), pebbleMosaicCap-used[quarter])
		used[quarter] += extra
		lots = append(lots, pebbleMosaicLot{units + extra, p.listed, time.Date(y, month+13, 1, 4, 0, 0, 0, m.loc)})
	}
	return lots
}

// due is what the account has earned and not let lapse, spent or not.
func (m *pebbleMosaics) due(a *pebbleAccount, now time.Time) int64 {
	lots, doubt := m.lots(a), m.doubt(a, now)
	sum := -doubt
	for _, l := range lots {
		sum += l.left
	}
	for _, t := range a.tries {
		pebbleMosaicSpend(lots, t, doubt)
	}
	for _, l := range lots {
		if !l.dies.After(now) {
			sum -= l.left
		}
	}
	return sum
}

// pebbleMosaicSpend redeems in the replay what it has points for, the oldest first.
func pebbleMosaicSpend(lots []pebbleMosaicLot, t pebbleTry, doubt int64) {
	alive := func(l pebbleMosaicLot) bool { return !l.born.After(t.at) && l.dies.After(t.at) }
	have, want := -doubt, t.amount
	for _, l := range lots {
		if alive(l) {
			have += l.left
		}
	}
	for i := 0; have >= t.amount && want > 0 && i < len(lots); i++ {
		if alive(lots[i]) {
			part := min(want, lots[i].left)
			lots[i].left -= part
			want -= part
		}
	}
}
