package foreign

import "time"

// canalAlp is a Swiss supermarket's points. A point is a centime. Its books know receipts
// only: when some of one comes back, the receipt is cancelled and booked anew.
type canalAlp struct {
	canalPlain
	zone *time.Location
}

var canalAlpDesign = Design{
	Name:   "canal-alp-punkte",
	Source: "after Swiss supermarkets' point cards with vouchers (Cumulus, Supercard), from memory",
	Published: "One point for each full franc of a receipt, three on Saturdays (Zurich time), at once. A point is worth a centime at the till, in any number. On " +
		"the first day of every second month (February, April and so on) all full 500 points are sent out as vouchers of CHF 5. " +
		"Returned goods are taken off the receipt that they were on; points that are missing are made up for by later ones.",
	How: "Each receipt has a row with its points. When what is left of it comes to other points, its row is cancelled and what is right is " +
		"booked under the same receipt. Vouchers are a row of the day they are sent. The balance may be below zero. Nameless returns " +
		"go to the shop's Saturday receipts first, then to the newest.",
	Class:    "robust",
	Currency: "CHF",
	New: func() Engine {
		return canalPayingDesk{canalOpenDesk(canalAlp{zone: canalZone("Europe/Zurich")})}
	},
}

func (p canalAlp) rate(b *canalBuy) int64 {
	if b.at.In(p.zone).Weekday() == time.Saturday {
		return 3
	}
	return 1
}

func (p canalAlp) orders(f *canalFile) [][]*canalBuy {
	return [][]*canalBuy{canalDearest(f, p.rate)}
}

// next is the next day of vouchers.
func (p canalAlp) next(_ *canalFile, t time.Time) time.Time {
	n := canalMonth(t, p.zone, 1)
	if n.Month()%2 == 1 {
		n = canalMonth(n, p.zone, 1)
	}
	return n
}

func (p canalAlp) book(f *canalFile, c canalCause) {
	for _, b := range f.buys {
		points := b.left() / 100 * p.rate(b)
		if points == b.booked {
			continue
		}
		f.post(Reversed, -b.booked, b.id, "", "Storno Bon "+b.id)
		f.post(Earned, points, b.id, "", "Bon "+b.id)
		b.booked = points
	}
	if c.due && f.now.Equal(canalMonth(f.now, p.zone, 0)) && f.now.In(p.zone).Month()%2 == 0 {
		if full := f.balance() / 500 * 500; full > 0 {
			f.payOut(full, "Bons verschickt")
		}
	}
}
