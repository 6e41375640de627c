package foreign

import "time"

// kiteTanker books as fuel cards do for fleets: a turnover rebate that is paid in thirds,
// and statements that say one figure.
var kiteTanker = Design{
	Name:   "kite-tanker",
	Source: "after the turnover rebates of fuel cards (DKV, Shell Card, ENEOS; from memory, none of them exactly)",
	Published: "A point per 100 yen of a fuel purchase, 2 for what goes beyond 20,000 yen of fuel in a statement period, 3 beyond 50,000; a point per " +
		"200 yen of a purchase of anything else. Statements close on the 21st at midnight, Tokyo time. A period's points are credited in three " +
		"instalments, with its own statement and the two after it, and can be used from then on; one point is one yen. " +
		"What is returned counts neither for points nor for the steps, whichever instalments have been credited.",
	How: "At each close there is one row: the sum of all instalments that are due by then, of all periods as they now are, less the sum of all rows " +
		"before. Instalments of three periods, returns of any age and late purchases are in the same figure, which names nothing; " +
		"a return of a period two months ago shows as a smaller row, or as one below zero. Until the close a known return is held: points " +
		"can be used up to what the instalments that were credited would be now. An unlinked refund takes the highest steps that were reached.",
	Class:    "robust",
	Currency: "JPY",
	New:      func() Engine { return newKite(kiteTankerPlan{zone: kiteZone("Asia/Tokyo")}) },
}

type kiteTankerPlan struct {
	kiteQuiet
	zone *time.Location
}

// kiteTankerPer is what rates are parts of: half points per 100 yen.
const kiteTankerPer = 200

// kiteTankerStep is a stretch of fuel in a period, by where it begins.
type kiteTankerStep struct{ from, rate int64 }

// kiteTankerSteps have the highest first.
var kiteTankerSteps = []kiteTankerStep{{50000, 6}, {20000, 4}, {0, 2}}

func (k kiteTankerPlan) next(t time.Time) time.Time { return kiteMonthly(t, k.zone, 21, 0) }

// period numbers statement periods by the month in which they close.
func (k kiteTankerPlan) period(t time.Time) int {
	month := kiteMonth(t, k.zone)
	if t.In(k.zone).Day() >= 21 {
		month++
	}
	return month
}

func (k kiteTankerPlan) batch(a *kiteAccount, at time.Time) {
	for _, p := range a.purchases {
		p.granted = true
	}
	a.level(at, "rebate", k.due(a, kiteGranted, at), Earned, Reversed, "Rebate")
}

func (k kiteTankerPlan) sure(a *kiteAccount, now time.Time) int64 {
	return min(k.due(a, kiteGranted, now), k.due(a, kiteAll, now))
}

// due is what should have been credited by now: of each period as many thirds as it has
// seen closes, less what loose refunds may have taken of any period.
func (k kiteTankerPlan) due(a *kiteAccount, keep kiteKeep, now time.Time) int64 {
	fuel, points := map[int]int64{}, map[int]int64{}
	var other int64
	for _, p := range a.purchases {
		if !keep(p) {
			continue
		}
		period := k.period(p.at)
		if p.category == "FUEL" {
			fuel[period] += p.net() / 100 * 100
			continue
		}
		points[period] += p.net() / 200
		other += p.net() / 200 * 200
	}
	list := []kiteSlice{{1, other}}
	for period, spend := range fuel {
		for _, step := range kiteTankerSteps {
			if spend > step.from {
				list = append(list, kiteSlice{step.rate, spend - step.from})
				points[period] += (spend - step.from) * step.rate / kiteTankerPer
				spend = step.from
			}
		}
	}
	var sum int64
	open := k.period(now)
	for period, n := range points {
		sum += n * int64(max(0, min(3, open-period))) / 3
	}
	return sum - min(sum, kiteLoss(list, a.loose(), kiteTankerPer, kiteTankerPer))
}
