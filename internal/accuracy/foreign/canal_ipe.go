package foreign

import "time"

// canalIpe is a Brazilian app's cashback. Purchases are heard of one by one and pay at
// once; returns come with the card's bill, when it closes, in a file of their own.
type canalIpe struct {
	canalPlain
	zone *time.Location
}

const canalIpeDay = 12 // of the month on which bills close

var canalIpeDesign = Design{
	Name:   "canal-ipe-cashback",
	Source: "after Brazilian apps' cashback (PicPay, Méliuz, Inter), from memory",
	Published: "1 % cashback on all purchases, 5 % in restaurants (DINING), R$ 20 at most for one purchase; on the account at once and " +
		"free to be drawn by Pix. Cashback of purchases that are returned or disputed is taken back, and a balance below zero is set off against later cashback.",
	How: "A purchase is credited as it clears. Returns, of whatever time, are noted and worked off together when the bill closes, at the beginning of the 12th " +
		"(São Paulo time), in one row without names; the balance goes below zero if it must. Between return and close nothing is held back.",
	Class: "V3(b)",
	Leak: "Cashback of what is returned may be drawn until the bill closes. Dinner for R$ 400 on the 13th makes R$ 20; " +
		"the charge is refunded in full on the 15th; the R$ 20 is drawn on the 20th, and only on the next 12th is the balance −20. Who buys nothing more keeps it.",
	Currency: "BRL",
	New: func() Engine {
		return canalOpenDesk(canalIpe{zone: canalZone("America/Sao_Paulo")})
	},
}

func (canalIpe) rate(b *canalBuy) int64 {
	if b.category == "DINING" {
		return 5
	}
	return 1
}

func (p canalIpe) orders(f *canalFile) [][]*canalBuy {
	return [][]*canalBuy{canalDearest(f, p.rate)}
}

func (p canalIpe) next(_ *canalFile, t time.Time) time.Time {
	if end := canalMonth(t, p.zone, 0).AddDate(0, 0, canalIpeDay-1); end.After(t) {
		return end
	}
	return canalMonth(t, p.zone, 1).AddDate(0, 0, canalIpeDay-1)
}

func (p canalIpe) cashback(b *canalBuy, of int64) int64 { return min(2000, of*p.rate(b)/100) }

func (p canalIpe) book(f *canalFile, c canalCause) {
	if b := c.bought; b != nil {
		b.booked = p.cashback(b, b.amount)
		f.post(Earned, b.booked, b.id, "", "")
	}
	if !c.due || !f.now.Equal(p.next(f, f.now.Add(-1))) {
		return
	}
	sum := int64(0)
	for _, b := range f.buys {
		d := p.cashback(b, b.left()) - b.booked
		b.booked += d
		sum += d
	}
	f.move(sum, "", "", "Estornos da fatura")
}
