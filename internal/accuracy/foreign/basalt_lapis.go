package foreign

import (
	"sort"
	"time"
)

var basaltLapisDesign = Design{
	Name:   "basalt-lapis",
	Source: "After Japanese card points with a year's life, booked once a week; from memory.",
	Published: "1 point (¥1) per ¥100 on TRAVEL and ONLINE, per ¥200 on all else, on each purchase. Booked on Mondays. " +
		"The points of a calendar month (Tokyo) expire at the end of the twelfth month after it, the oldest are used first, and a debt is repaid before anything expires. " +
		"A refund takes the points back, also those that were used. One without its purchase's name counts 1 point per ¥100.",
	How: "Points, less what has expired, are a function of what is left of the purchases and of the redemptions. One row a week has the difference, named after nothing: " +
		"earned if above zero, adjusted below. Expiry, and expiry taken back since a refund or a debt has changed what was there, are adjusted as well.",
	Class: "robust", Currency: "JPY",
	New: func() Engine { return basaltNew(func() basaltPlan { return &basaltLapis{} }) },
}

var basaltTokyo = basaltZone("Asia/Tokyo")

// basaltLapisLife is in months after that of the purchase.
const basaltLapisLife = 12

// basaltLapis knows what is booked as earned and as expired.
type basaltLapis struct {
	booked, expired int64
}

// next is the next Monday at five, or the first instant of a month: when lots end.
func (p *basaltLapis) next(_ *basaltAccount, after time.Time) time.Time {
	y, m, _ := after.In(basaltTokyo).Date()
	month := time.Date(y, m+1, 1, 0, 0, 0, 0, basaltTokyo)
	monday := basaltDay(after, 5, basaltTokyo)
	for monday.Weekday() != time.Monday {
		monday = basaltDay(monday, 5, basaltTokyo)
	}
	if month.Before(monday) {
		return month
	}
	return monday
}

func (p *basaltLapis) bought(*basaltAccount, *basaltBuy, time.Time) {}

func (p *basaltLapis) returned(*basaltAccount, basaltReturn, time.Time) {}

// state is what stands as earned, less what is kept back for claims, and expired what has
// expired of it. A claim is of no lot: it is kept from what lives, for what it took might
// have lived longest. No unit of a lot is worth more than one, so that is enough.
func (p *basaltLapis) state(a *basaltAccount, at time.Time) (earned, expired int64) {
	lots := map[int]int64{}
	for _, b := range a.buys {
		per := int64(200)
		if b.category == "TRAVEL" || b.category == "ONLINE" {
			per = 100
		}
		lots[basaltMonth(b.at, basaltTokyo)] += a.net(b) / per
	}
	var order []int
	for m, v := range lots {
		order = append(order, m)
		earned += v
	}
	sort.Ints(order)
	now, used, debt := basaltMonth(at, basaltTokyo), 0, int64(0)
	for _, m := range order {
		for used < len(a.uses) && basaltMonth(a.uses[used].at, basaltTokyo) <= m+basaltLapisLife {
			debt += a.uses[used].amount
			used++
		}
		if now > m+basaltLapisLife {
			expired += max(0, lots[m]-debt)
		}
		debt = max(0, debt-lots[m])
	}
	return earned - min(earned-expired, a.claimed(1, 100)), expired
}

func (p *basaltLapis) worth(a *basaltAccount, at time.Time) int64 {
	earned, expired := p.state(a, at)
	return earned - expired
}

func (p *basaltLapis) run(a *basaltAccount, at time.Time) {
	earned, expired := p.state(a, at)
	local := at.In(basaltTokyo)
	if local.Weekday() == time.Monday && local.Hour() == 5 {
		row := Posting{At: at, Kind: Earned, Amount: earned - p.booked, Note: "points of the week"}
		if row.Amount < 0 {
			row.Kind, row.Note = Adjusted, "points of the week, returns are more"
		}
		a.book(row)
		p.booked = earned
	}
	row := Posting{At: at, Kind: Adjusted, Amount: p.expired - expired, Note: "expired"}
	if row.Amount > 0 {
		row.Note = "expiry taken back"
	}
	a.book(row)
	p.expired = expired
}
