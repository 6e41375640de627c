package foreign

import "time"

// kiteLarder books as supermarket clubs do: the tills report by day, the statement comes
// by post with vouchers in it, and returns are seen to before it is printed.
var kiteLarder = Design{
	Name:   "kite-larder",
	Source: "after Tesco Clubcard and Nectar with their credit cards (from memory)",
	Published: "2 points per whole pound of a purchase of groceries, up to 400 points a calendar month (London time), 1 point per whole pound of " +
		"everything else. Points show two days after the purchase. On the 8th of each month points are sent as vouchers, by themselves, in " +
		"full 250s, of purchases that are at least 30 days old; what remains is carried over. Points cannot be drawn on request. " +
		"Points of what is returned are taken off with the next statement, from what comes next if they have been sent.",
	How: "Each night at 4 there is one row for each day of purchases up to the day before yesterday that has something new; it names no " +
		"purchase. Returns book nothing until the 8th, when one adjustment, up or down, brings the account to what is left of everything: " +
		"returns, chargebacks, unlinked refunds at the best rate, and points for purchases above the limit to which a return has given room. " +
		"Then vouchers are paid of the lesser of what is booked, and of what purchases older than 30 days alone would be " +
		"worth with all known returns off. A debt stays for ever.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return newKite(kiteLarderPlan{kiteTariff: kiteTariff{zone: kiteZone("Europe/London"), per: 100, unit: 100, rules: []kiteRule{
			{"groceries", []string{"GROCERY"}, 2, 400},
			{"all", nil, 1, 0},
		}}})
	},
}

type kiteLarderPlan struct {
	kiteQuiet
	kiteTariff
}

const (
	kiteVoucher = 250                 // points in a voucher
	kiteRipe    = 30 * 24 * time.Hour // age of purchases that vouchers are sent of
)

func (l kiteLarderPlan) next(t time.Time) time.Time {
	night, post := kiteDaily(t, l.zone, 4, 0), kiteMonthly(t, l.zone, 8, 9)
	if post.Before(night) {
		return post
	}
	return night
}

func (l kiteLarderPlan) batch(a *kiteAccount, at time.Time) {
	if at.In(l.zone).Hour() == 4 {
		l.tills(a, at)
		return
	}
	if a.dirty {
		a.dirty = false
		granted := l.due(a, kiteGranted)
		a.post(Posting{At: at, Kind: Adjusted, Amount: granted - a.booked, Note: "Statement adjustment"})
	}
	ripe := func(p *kitePurchase) bool { return p.granted && at.Sub(p.at) >= kiteRipe }
	free := min(a.booked, l.due(a, ripe), l.due(a, kiteAll)) - a.paid
	a.post(Posting{At: at, Kind: Paid, Amount: -max(0, free) / kiteVoucher * kiteVoucher, Note: "Vouchers"})
}

// tills books the days before yesterday that have purchases without points yet, each
// with what they add to those that have.
func (l kiteLarderPlan) tills(a *kiteAccount, at time.Time) {
	today := at.In(l.zone)
	limit := time.Date(today.Year(), today.Month(), today.Day()-1, 0, 0, 0, 0, l.zone)
	for {
		var first *kitePurchase
		for _, p := range a.purchases {
			if !p.granted && p.at.Before(limit) && (first == nil || p.at.Before(first.at)) {
				first = p
			}
		}
		if first == nil {
			return
		}
		day := l.day(first)
		before := l.worth(a, kiteGranted)
		for _, p := range a.purchases {
			p.granted = p.granted || l.day(p) == day
		}
		a.dirty = true
		a.post(Posting{At: at, Kind: Earned, Amount: l.worth(a, kiteGranted) - before, Note: "Points of " + day})
	}
}

func (l kiteLarderPlan) day(p *kitePurchase) string { return p.at.In(l.zone).Format("2 January 2006") }

// sure is what was sent already: nothing more can be asked for.
func (l kiteLarderPlan) sure(a *kiteAccount, _ time.Time) int64 { return 0 }
