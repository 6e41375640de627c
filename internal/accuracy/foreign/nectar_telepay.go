package foreign

import (
	"sort"
	"time"
)

// nectarTelepay is a telecom's wallet: points in three instalments, holds before clawbacks.
type nectarTelepay struct{}

var nectarTelepayZone = nectarZone("Asia/Tokyo")

var nectarTelepayDesign = Design{
	Name:   "nectar-telepay",
	Source: "After the public rules of Japanese carriers' point wallets, which grant in parts and correct months later (d Point, Ponta, PayPay); from memory.",
	Published: "2% in points on ONLINE and DINING, 1% on everything else, up to ¥3,000 for each purchase. They are granted in three monthly instalments from the 15th of the next month. " +
		"300 points if you make five purchases of ¥1,000 or more in a calendar quarter, with the run after it. What is returned earns nothing: instalments are cut, and points that were granted already are held. " +
		"Points that are held cannot be redeemed. The shop may credit or correct points by hand.",
	How: "The run of the 15th (on Monday if that is a weekend) grants what is due of each purchase and has not been. Where more was granted than is due, nothing is booked at first: it cannot be redeemed, " +
		"later instalments of the same purchase are set off against it, and the second run at which it is still too much takes it, in one row that names nothing. " +
		"Returns without a purchase hold the most that they can cost, and are booked likewise.",
	Class:    "robust",
	Currency: "JPY",
	New:      nectarNew(nectarTelepay{}),
}

func (nectarTelepay) gestures(n uint32) []nectarGesture {
	switch n % 4 {
	case 0:
		return []nectarGesture{{35, 500, "Apology points: network outage"}}
	case 1:
		return []nectarGesture{{60, 800, "Correction by shop"}, {61, -800, "Correction by shop"}, {190, -150, "Correction by shop"}}
	case 2:
		return []nectarGesture{{280, 300, "Apology points"}}
	}
	return nil
}

// next: on the 15th at nine, or on the Monday after it.
func (nectarTelepay) next(after time.Time) time.Time {
	for m := nectarMonth(after, nectarTelepayZone) - 1; ; m++ {
		t := time.Date(m/12, time.Month(m%12+1), 15, 9, 0, 0, 0, nectarTelepayZone)
		for t.Weekday() == time.Saturday || t.Weekday() == time.Sunday {
			t = t.AddDate(0, 0, 1)
		}
		if t.After(after) {
			return t
		}
	}
}

// rate is in hundredths of a percent.
func (nectarTelepay) rate(p *nectarPurchase) int64 {
	if p.category == "ONLINE" || p.category == "DINING" {
		return 200
	}
	return 100
}

// due is what of a purchase's points should stand on the account by then.
func (s nectarTelepay) due(p *nectarPurchase, at time.Time) int64 {
	run := nectarFirst(nectarMonth(at, nectarTelepayZone), nectarTelepayZone).AddDate(0, 0, 14)
	age := nectarMonth(at, nectarTelepayZone) - nectarMonth(p.at, nectarTelepayZone)
	if at.Before(run) {
		age--
	}
	return min(3000, p.left()*s.rate(p)/10000) * int64(min(3, max(0, age))) / 3
}

// quarters is what the bonus for five purchases comes to in each quarter that was over by
// then, if refunds of that sum were of those that drop out most cheaply.
func (nectarTelepay) quarters(v nectarView, at time.Time, back int64) map[int]int64 {
	left := map[int][]int64{}
	for _, p := range v.purchases {
		q := nectarMonth(p.at, nectarTelepayZone) / 3
		if q < nectarMonth(at, nectarTelepayZone)/3 {
			left[q] = append(left[q], p.left())
		}
	}
	worth := map[int]int64{}
	for q, list := range left {
		sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
		n, rest := 0, back
		for _, l := range list {
			if l < 1000 {
				continue
			}
			if rest >= l-999 {
				rest -= l - 999
			} else {
				n++
			}
		}
		worth[q] = 0
		if n >= 5 {
			worth[q] = 300
		}
	}
	return worth
}
