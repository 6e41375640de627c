package foreign

import "time"

// nectarSkyway is an airline's card: miles by activity month, restated whole, with expiry.
type nectarSkyway struct{}

var nectarSkywayZone = nectarZone("Europe/Berlin")

// nectarSkywayLife is how many months after that of the purchase miles live.
const nectarSkywayLife = 18

var nectarSkywayDesign = Design{
	Name:   "nectar-skyway",
	Source: "After the public rules of European airlines' co-branded cards with status and expiry (Miles & More, Flying Blue); from memory.",
	Published: "One mile for each full €1 of a purchase; two once you have spent €3,000 in the calendar year before it (Silver), three from €8,000 (Gold). Two miles more for each full €1 on TRAVEL. " +
		"500 miles as a welcome with your first purchase of €1 or more; 2,000 in each year in which you spend €8,000. Miles are credited on the 3rd of the next month and can be redeemed once the purchase is 14 days old. " +
		"Miles of a month expire at the end of the 18th month after it, unless used; gifts do not expire. Redemptions take what expires first. What is returned counts for nothing, status included. " +
		"The service centre may credit or correct miles by hand.",
	How: "On the 3rd the worth of each activity month is worked out anew from what is left of all purchases; a month that changed is reversed whole and granted anew, naming nothing, with the date of the run. " +
		"What has expired is worked out anew as well, from what months are worth now and what was used when. Until the run has booked a return, what it may take cannot be redeemed. " +
		"Returns that name no purchase cost the best rate and any status within reach; they have a row of their own.",
	Class:    "robust",
	Currency: "EUR",
	New:      nectarNew(nectarSkyway{}),
}

func (nectarSkyway) gestures(n uint32) []nectarGesture {
	switch n % 3 {
	case 0:
		return []nectarGesture{{52, 1500, "Goodwill: delayed baggage"}, {203, -300, "Manual correction"}}
	case 1:
		return []nectarGesture{{88, -200, "Partner feed correction"}, {120, 900, "Partner feed correction"}, {410, 1000, "Goodwill"}}
	}
	return nil
}

func (nectarSkyway) next(after time.Time) time.Time {
	return nectarMonthly(after, nectarSkywayZone, 3, 4)
}

// nectarMiles is what a view is worth: months as booked, gifts by year (0 the welcome),
// and the least that open refunds leave of all of it.
type nectarMiles struct {
	months, gifts map[int]int64
	least         int64
}

// level is how many miles a full euro earns after so much spend in the year.
func (nectarSkyway) level(spend int64) int64 {
	switch {
	case spend >= 800000:
		return 3
	case spend >= 300000:
		return 2
	}
	return 1
}

func (s nectarSkyway) miles(v nectarView) nectarMiles {
	m := nectarMiles{months: map[int]int64{}, gifts: map[int]int64{}}
	years := map[int]int64{}
	var parts []nectarPart
	var counted, toVoid, low int64
	for _, p := range v.purchases {
		month := nectarMonth(p.at, nectarSkywayZone)
		q, spend, more := p.left()/100, years[month/12], int64(0)
		if p.category == "TRAVEL" {
			more = 2
		}
		m.months[month] += q * (s.level(spend) + more)
		low += q * (s.level(spend-v.unnamed) + more)
		parts = append(parts, nectarPart{p.left(), 100 * (s.level(spend) + more)})
		years[month/12] += p.left()
		if q > 0 {
			counted++
			toVoid += p.left() - 99
		}
	}
	for year, spend := range years {
		if spend >= 800000 {
			m.gifts[year] = 2000
			if spend-v.unnamed >= 800000 {
				low += 2000
			}
		}
	}
	if counted > 0 {
		m.gifts[0] = 500
		if v.unnamed < toVoid {
			low += 500
		}
	}
	m.least = max(0, low-v.worst(parts, 5))
	return m
}

// expired is what is gone of each month, first in, first out: a pure function of what the
// months are worth now and of what was used when, so that a return years later finds all
// as if the returned part had never been bought.
func (nectarSkyway) expired(a *nectarAccount, months map[int]int64, at time.Time) (map[int]int64, int64) {
	gone, sum, debt, i := map[int]int64{}, int64(0), int64(0), 0
	for _, c := range nectarKeys(months) {
		end := nectarFirst(c+nectarSkywayLife+1, nectarSkywayZone)
		for ; i < len(a.uses) && a.uses[i].at.Before(end); i++ {
			debt += a.uses[i].amount
		}
		if !at.Before(end) {
			gone[c] = max(0, months[c]-debt)
			sum += gone[c]
		}
		debt = max(0, debt-months[c])
	}
	return gone, sum
}

func (s nectarSkyway) sure(a *nectarAccount, at time.Time) int64 {
	m := s.miles(a.view(at.AddDate(0, 0, -14)))
	_, gone := s.expired(a, m.months, at)
	return max(0, m.least-gone)
}

// moved: all is booked by the run.
func (nectarSkyway) moved(*nectarAccount, time.Time, string, string) {}
