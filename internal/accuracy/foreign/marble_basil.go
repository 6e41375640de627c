package foreign

import "time"

var marbleBasilDesign = Design{
	Name:   "marble-basil",
	Source: "in the style of Polish wallets and bank moneyback with money boxes, from memory",
	Published: "2% of groceries and 3% of home goes into your money box, up to 60 zł a calendar month for the two together, and 0.5% of all other purchases without " +
		"limit, when the purchase clears. You can empty the box at any time; the oldest money leaves first. When you return a purchase, its share of " +
		"what it brought is taken out again on the same day, in proportion to what was returned. Refunds we cannot match are taken at the rate of " +
		"their category or else at 3%.",
	How: "A lot for each purchase: what it brought and what of that is still in the box. Redemptions drain the oldest lots. A return lowers its " +
		"lot in proportion, but a lot cannot go below empty, and other lots are not touched. Room under the limit is not given back. Unmatched refunds " +
		"drain the newest lots.",
	Class: "V3(a)",
	Leak: "What a lot no longer has is not asked for again, neither from other lots nor from later ones. Buy a kitchen for 2,000.00 zł, get 60.00 zł, empty " +
		"the box, return the kitchen: nothing is taken, and next month's 60.00 zł comes in full.",
	Currency: "PLN",
	New: func() Engine {
		b := &marbleBasil{zone: marbleZone("Europe/Warsaw")}
		b.marbleDesk = marbleNewDesk[marbleBasilBook](b)
		return b
	},
}

const marbleBasilCap = 6000

type marbleBasil struct {
	*marbleDesk[marbleBasilBook]
	zone *time.Location
}

// marbleBasilLot is a purchase's money: brought in all, due to it at present, in the box.
type marbleBasilLot struct {
	brought, due, left int64
}

type marbleBasilBook struct {
	lots []*marbleBasilLot
	of   map[string]*marbleBasilLot
	used map[time.Time]int64 // of the limit, by month
}

// marbleBasilRate is in thousandths.
func marbleBasilRate(category string) (rate int64, limited bool) {
	switch category {
	case "GROCERY":
		return 20, true
	case "HOME":
		return 30, true
	}
	return 5, false
}

func (m *marbleBasil) opened(f *marbleFile[marbleBasilBook]) {
	f.own = marbleBasilBook{of: map[string]*marbleBasilLot{}, used: map[time.Time]int64{}}
}

func (m *marbleBasil) bought(f *marbleFile[marbleBasilBook], b *marbleBuy) {
	rate, limited := marbleBasilRate(b.category)
	n := b.amount * rate / 1000
	if limited {
		month := marbleCycle(b.at, 1, m.zone).UTC()
		n = min(n, marbleBasilCap-f.own.used[month])
		f.own.used[month] += n
	}
	lot := &marbleBasilLot{brought: n, due: n, left: n}
	f.own.lots = append(f.own.lots, lot)
	f.own.of[b.id] = lot
	f.post(m.now, Earned, n, b.id, "", "into the box")
}

func (m *marbleBasil) returned(f *marbleFile[marbleBasilBook], r marbleReturn, b *marbleBuy, x int64) {
	if b != nil {
		lot := f.own.of[b.id]
		due := lot.brought * b.net() / b.amount
		take := min(lot.left, lot.due-due)
		lot.due, lot.left = due, lot.left-take
		f.post(m.now, Reversed, -take, b.id, r.id, "out of the box")
		return
	}
	charge := marbleDearest(r, func(category string) int64 {
		rate, _ := marbleBasilRate(category)
		return marbleUp(x*rate, 1000)
	})
	for i := len(f.own.lots) - 1; i >= 0 && charge > 0; i-- {
		take := min(charge, f.own.lots[i].left)
		f.own.lots[i].left -= take
		charge -= take
		f.post(m.now, Reversed, -take, "", r.id, "refund without purchase")
	}
}

func (m *marbleBasil) redeemed(f *marbleFile[marbleBasilBook], amount int64) {
	for _, lot := range f.own.lots {
		take := min(amount, lot.left)
		lot.left -= take
		amount -= take
	}
}

func (m *marbleBasil) redeemable(f *marbleFile[marbleBasilBook]) int64 { return f.balance() }

func (m *marbleBasil) due(*marbleFile[marbleBasilBook], time.Time) {}
