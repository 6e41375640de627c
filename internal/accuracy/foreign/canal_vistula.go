package foreign

import "time"

// canalVistula is a Polish debit card's moneyback. Purchases lie in a table with a part for
// each month, and the job that takes in returns joins them to the two newest parts: a join
// to all of them took too long at night.
type canalVistula struct {
	canalPlain
	zone *time.Location
}

var canalVistulaDesign = Design{
	Name:   "canal-vistula-moneyback",
	Source: "after Polish banks' moneyback on debit cards (mBank, Millennium, Santander), from memory",
	Published: "3 % of card payments in food shops (GROCERY) and at petrol stations (GAS), 1 % of all others, at most PLN 60 for a calendar month " +
		"(Warsaw time). Reckoned when the month is over, paid to the account by itself on the 10th. Payments that were returned earn nothing; " +
		"moneyback already paid for them is taken off the next.",
	How: "At a month's end one row for the month. A later return of one of its payments corrects the row by the difference, and a balance below " +
		"zero is kept and set off. But a return is only matched to payments that cleared in the month in which it comes or the one before; of older ones it is not found, and " +
		"goes to a list that nobody reads.",
	Class: "V2",
	Leak: "What is returned from the second month after clearing on keeps its moneyback. A payment of PLN 2,000 in a food shop on 20 January makes PLN 60, paid on 10 February; " +
		"returned on 5 March, PLN 60 is kept for nothing bought. Returned on 25 February, it would be taken back.",
	Currency: "PLN",
	New: func() Engine {
		return canalPayingDesk{canalOpenDesk(canalVistula{zone: canalZone("Europe/Warsaw")})}
	},
}

func (canalVistula) rate(b *canalBuy) int64 {
	if b.category == "GROCERY" || b.category == "GAS" {
		return 3
	}
	return 1
}

// sees is the join. It goes by when the payment cleared, which is what the table's parts are.
func (p canalVistula) sees(k *canalBack, b *canalBuy) bool {
	return k.arrived.Before(canalMonth(b.arrived, p.zone, 2))
}

func (p canalVistula) orders(f *canalFile) [][]*canalBuy {
	return [][]*canalBuy{canalDearest(f, p.rate)}
}

// next is the next first or tenth of a month.
func (p canalVistula) next(_ *canalFile, t time.Time) time.Time {
	if tenth := canalMonth(t, p.zone, 0).AddDate(0, 0, 9); tenth.After(t) {
		return tenth
	}
	return canalMonth(t, p.zone, 1)
}

// redeemable is nothing: moneyback is not asked for.
func (canalVistula) redeemable(*canalFile) int64 { return 0 }

func (p canalVistula) book(f *canalFile, c canalCause) {
	want := map[string]int64{}
	for _, b := range f.buys {
		if !canalMonth(b.at, p.zone, 1).After(f.now) {
			key := b.at.In(p.zone).Format("2006-01")
			want[key] = min(6000, want[key]+b.left()*p.rate(b)/100)
		}
	}
	for _, key := range canalKeys(want, f.books) {
		f.move(want[key]-f.books[key], "", c.refund, "Moneyback za "+key)
		f.books[key] = want[key]
	}
	if c.due && f.now.Equal(canalMonth(f.now, p.zone, 0).AddDate(0, 0, 9)) && f.balance() > 0 {
		f.payOut(f.balance(), "Wypłata moneyback")
	}
}
