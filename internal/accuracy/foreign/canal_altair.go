package foreign

import (
	"fmt"
	"time"
)

// canalAltair is an airline's shopping portal. Its partners' files of returns have no
// number for a line, so the import makes itself a key of what there is: the order and the
// amount. It was meant to keep a file that is sent again from counting again.
type canalAltair struct{ canalPlain }

const canalAltairPending = 30 * canalDay

var canalAltairDesign = Design{
	Name:   "canal-altair-miles",
	Source: "after European airlines' shopping portals (Miles & More, Finnair Shopping, Iberia Avios), from memory",
	Published: "4 miles for each full euro in the portal's shops, 2 on travel (TRAVEL). New members whose purchases of the first 90 days come to € 500 get 1,500 miles more. Miles are shown at once and may be used 30 days " +
		"after the purchase, at one cent each. What is returned, in whole or in part, loses its miles and does not count for the welcome miles.",
	How: "Miles are made up of what is left of each order, the welcome miles of the orders of the first 90 days; differences are a row each that names the order. Younger orders are in the balance and not redeemable; the balance may be " +
		"below zero. Of returns that name an order, one of the same order and amount as an earlier one is taken for the same and left out.",
	Class: "other",
	Leak: "Of several returns of one order for the same amount only the first counts. Two coats of € 300 in one order make 2,400 miles, and 1,500 of welcome; the coats " +
		"go back one after the other, € 300 each. The second is taken for the first again: 1,200 miles stay, € 12 for nothing bought. Four chairs of € 250 returned one by one keep 3,000 miles, and the welcome miles.",
	Currency: "EUR",
	New:      func() Engine { return canalOpenDesk(canalAltair{}) },
}

func (canalAltair) rate(b *canalBuy) int64 {
	if b.category == "TRAVEL" {
		return 2
	}
	return 4
}

// takes is the import's guard against what it has had before.
func (canalAltair) takes(f *canalFile, k *canalBack) bool {
	if k.transaction == "" || k.whole {
		return true
	}
	return f.fresh("line ", fmt.Sprint(k.transaction, " ", k.amount))
}

func (p canalAltair) orders(f *canalFile) [][]*canalBuy {
	return [][]*canalBuy{canalDearest(f, p.rate)}
}

// welcome is the bonus, by the orders up to a time.
func (canalAltair) welcome(f *canalFile, until time.Time) int64 {
	sum := int64(0)
	for _, b := range f.buys {
		if !b.at.After(until) && !b.at.Before(f.opened) && b.at.Before(f.opened.Add(90*canalDay)) {
			sum += b.left()
		}
	}
	if sum < 50_000 {
		return 0
	}
	return 1500
}

// redeemable leaves out what younger orders have earned, and the welcome miles as long as
// older ones do not earn them alone.
func (p canalAltair) redeemable(f *canalFile) int64 {
	ripe := f.now.Add(-canalAltairPending)
	young := f.books["welcome"] - p.welcome(f, ripe)
	for _, b := range f.buys {
		if b.at.After(ripe) {
			young += b.booked
		}
	}
	return f.balance() - max(0, young)
}

func (p canalAltair) book(f *canalFile, c canalCause) {
	for _, b := range f.buys {
		d := b.left()/100*p.rate(b) - b.booked
		b.booked += d
		f.move(d, b.id, "", "")
	}
	w := p.welcome(f, f.now)
	f.move(w-f.books["welcome"], "", "", "welcome miles")
	f.books["welcome"] = w
}
