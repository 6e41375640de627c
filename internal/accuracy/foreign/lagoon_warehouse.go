package foreign

import (
	"slices"
	"time"
)

// lagoonWarehouse is a job in a data warehouse that computes the last 45 days again.
var lagoonWarehouse = Design{
	Name:   "lagoon-warehouse",
	Source: "from memory, after cashback accounts of German direct banks, with a daily limit; the job is the author's guess",
	Published: "4% at petrol stations and 2% on everything else, up to €8 a day (Berlin) altogether. Posted overnight and yours to use at " +
		"once. Cashback is on net purchases: it is corrected if you return something, and your balance may be below zero.",
	How: "At 03:00 the job rewrites the partitions (days of purchase) of the last 45 days from purchases joined with their returns, and posts " +
		"the difference of each day. Returns find their way into the partition of their purchase, and so does one without a " +
		"name, among purchases of the 45 days before it. Older partitions are not opened again. Redemptions are held back by " +
		"what the next run will take. (Purchases that arrive later than 45 days are never rated, either.)",
	Class: "V2",
	Leak: "A return more than 45 days after the purchase changes nothing. Buy a sofa for €300 on 1 March: €6. Use them. Return it " +
		"on 20 April: the balance stays 0 and the €6 are kept. Within 45 days, the same return makes the balance −€6.",
	Currency: "EUR",
	New: func() Engine {
		return lagoonNewDesk(&lagoonWarehousePlan{zone: lagoonZone("Europe/Berlin")})
	},
}

const (
	lagoonWarehouseDays = 45
	lagoonWarehouseCap  = 800
)

type lagoonWarehousePlan struct {
	lagoonIdle
	zone *time.Location
}

func (*lagoonWarehousePlan) rate(p *lagoonPurchase) int64 {
	if p.category == "FUEL" {
		return 4
	}
	return 2
}

// partition is the day of a time.
func (w *lagoonWarehousePlan) partition(t time.Time) string {
	return t.In(w.zone).Format(time.DateOnly)
}

// opened are the partitions that a run opens, computed anew.
func (w *lagoonWarehousePlan) opened(a *lagoonAccount, now time.Time, prudent bool) map[string]int64 {
	first := w.partition(now.In(w.zone).AddDate(0, 0, -lagoonWarehouseDays))
	kept := a.kept(now, lagoonMatch{rank: w.rate, prudent: prudent, fits: func(p *lagoonPurchase, r *lagoonReturn) bool {
		return !p.at.After(r.at) && r.at.Sub(p.at) < lagoonWarehouseDays*24*time.Hour
	}})
	days := map[string]int64{}
	for i, p := range a.purchases {
		if day := w.partition(p.at); day >= first {
			days[day] = min(lagoonWarehouseCap, days[day]+kept[i]*w.rate(p)/100)
		}
	}
	return days
}

func (w *lagoonWarehousePlan) next(after time.Time) time.Time {
	return lagoonNightly(after, w.zone, 3)
}

// due runs the job.
func (w *lagoonWarehousePlan) due(a *lagoonAccount, at time.Time) {
	if !a.stale {
		return
	}
	a.stale = false
	days := w.opened(a, at, false)
	names := make([]string, 0, len(days))
	for day := range days {
		names = append(names, day)
	}
	slices.Sort(names)
	for _, day := range names {
		a.level(day, days[day], Posting{At: at, Note: "Cashback of " + day})
	}
}

// redeemable leaves what the next run would take; what it would grant is not there yet.
func (w *lagoonWarehousePlan) redeemable(a *lagoonAccount, now time.Time) int64 {
	sure := a.total
	if a.stale {
		for day, value := range w.opened(a, now, true) {
			sure += min(0, value-a.posted[day])
		}
	}
	return a.free(sure)
}
