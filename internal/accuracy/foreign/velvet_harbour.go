package foreign

import "time"

var velvetHarbour = Design{
	Name: "velvet-harbour",
	Source: "after British cashback cards with a quarterly limit (Barclaycard, Santander, Amex Platinum Cashback), as their " +
		"public rules say, from memory; the quarterly closing of the books is this design's own",
	Published: "3 % at TRAVEL up to £30 of cashback a calendar quarter (London), 2 % at DINING, 0.5 % on everything else, " +
		"rounded down a purchase. Cashback is there when a purchase clears and can be paid out at once. What you return " +
		"earns nothing: its cashback is taken back, and owed if it was paid out; room under the limit goes to the quarter's other purchases.",
	How: "One row for each purchase when it clears. A return levels the quarter of its purchase at once, a row for each purchase " +
		"whose cashback changes. The books of a quarter are closed on the 10th of the month after it: returns of what was " +
		"bought in it find no open record then and are dropped. Purchases that clear after that are still granted.",
	Class: "V2",
	Leak: "Travel for £1,000 on 20 March earns £30, which is paid out. Returned by 9 April it is £30 of debt; " +
		"returned on 15 April nothing is taken and the £30 stay, on no spend.",
	Currency: "GBP",
	New:      velvetNew(func(a *velvetAccount) velvetProgram { return &velvetHarbourBooks{a: a} }),
}

var velvetLondon = velvetZone("Europe/London")

// velvetHarbourBooks levels one quarter at a time, purchase by purchase.
type velvetHarbourBooks struct {
	velvetAtOnce
	velvetOnRequest
	a *velvetAccount
}

// open says whether at an instant the books that a purchase is in are not closed.
func (h *velvetHarbourBooks) open(p *velvetPurchase, at time.Time) bool {
	return at.Before(p.end)
}

func (h *velvetHarbourBooks) bought(p *velvetPurchase) {
	p.begin, p.end = velvetQuarter(p.at, velvetLondon)
	p.end = p.end.AddDate(0, 0, 9)
	h.level(p, "")
	h.charge()
}

func (h *velvetHarbourBooks) returned(r *velvetReturn) {
	// The flaw: what was bought in a closed quarter stays as it was granted.
	if r.of != nil && !h.open(r.of, r.came) {
		return
	}
	h.a.count(r)
	if r.of != nil {
		h.level(r.of, r.id)
	}
	h.charge()
}

func velvetHarbourRate(p *velvetPurchase) int64 {
	switch p.category {
	case "TRAVEL":
		return 30_000
	case "DINING":
		return 20_000
	}
	return 5_000
}

// level brings the rows of a purchase's quarter to what is left of its purchases, in the
// order in which they cleared.
func (h *velvetHarbourBooks) level(of *velvetPurchase, refund string) {
	limit := int64(3_000)
	for _, p := range h.a.purchases {
		if !p.begin.Equal(of.begin) {
			continue
		}
		cash := velvetShare(p.left(), velvetHarbourRate(p))
		if p.category == "TRAVEL" {
			cash = min(cash, limit)
			limit -= cash
		}
		h.a.bookChange(cash-p.booked, p.id, refund, "cashback")
		p.booked = cash
	}
}

// charge takes for unnamed returns what they can have earned in quarters that were open
// when they came.
func (h *velvetHarbourBooks) charge() {
	var all int64
	for _, p := range h.a.purchases {
		all += p.booked
	}
	h.a.chargeUnnamed(velvetSuspicion{
		may: func(r *velvetReturn, p *velvetPurchase) bool { return h.open(p, r.came) },
		cost: func(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
			return velvetShareUp(part, velvetHarbourRate(p))
		},
	}, all)
}
