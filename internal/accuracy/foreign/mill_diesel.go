package foreign

import (
	"fmt"
	"time"
)

var millDieselDesign = Design{
	Name:   "mill-diesel",
	Source: "after fleet fuel cards of Chile (Copec TCT and its like) and their volume rebates, from memory",
	Published: "Rebate on all fuel and shop vouchers of a calendar quarter (Santiago): 1 %, 2 % of all of them from CLP 200,000, 3 % of all " +
		"from CLP 500,000. It is reckoned on net vouchers ten days after the quarter's end and paid to the fleet's account by itself. " +
		"Returns earn no rebate.",
	How: "Returns lower the volume of their voucher's quarter as long as that has not been reckoned; a return without a number " +
		"lowers the quarter that it posts in, to nothing at most. Ten days after the quarter a row 'rebate' and one of its payout are booked. From then " +
		"on the quarter is archived: a voucher that comes later has the quarter's rate, a return finds nothing that it could change.",
	Class: "V2",
	Leak: "Returns that post later than ten days after the quarter cost nothing, ever. A fleet buys for CLP 600,000 in March, " +
		"is paid CLP 18,000 on 11 April, and returns all on 12 April: it keeps CLP 18,000 of nothing bought.",
	Currency: "CLP",
	New:      func() Engine { return millNew(millDiesel{}) },
}

// millDiesel reckons a quarter once and for all. In booked it has the rates of archived
// quarters, by the number of their last month.
type millDiesel struct{}

var millSantiago = millZone("America/Santiago")

func (millDiesel) quarter(t time.Time) int { return millMonth(t, millSantiago)/3*3 + 2 }

func (s millDiesel) bought(a *millAccount, p *millPurchase) {
	if rate := a.booked[s.quarter(p.at)]; rate > 0 {
		a.book(Earned, rate*p.left()/100, p.id, "", "Late voucher")
	}
}

// returned books nothing: what is still open is reckoned with its quarter.
func (millDiesel) returned(*millAccount, *millReturn) {}

func (s millDiesel) reckoning(quarter int) time.Time {
	return millMonthStart(quarter+1, millSantiago).AddDate(0, 0, 10)
}

func (s millDiesel) next(t time.Time) time.Time {
	now := s.quarter(t)
	if last := s.reckoning(now - 3); last.After(t) {
		return last
	}
	return s.reckoning(now)
}

func (s millDiesel) due(a *millAccount) {
	quarter := s.quarter(a.now) - 3
	var volume, loose int64
	for _, p := range a.bought {
		if s.quarter(p.at) == quarter {
			volume += p.left()
		}
	}
	for _, r := range a.loose {
		if s.quarter(r.at) == quarter {
			loose += r.amount
		}
	}
	rate := int64(1)
	switch {
	case volume-loose >= 500000:
		rate = 3
	case volume-loose >= 200000:
		rate = 2
	}
	a.booked[quarter] = rate
	rebate := -(rate*loose + 99) / 100
	for _, p := range a.bought {
		if s.quarter(p.at) == quarter {
			rebate += rate * p.left() / 100
		}
	}
	name := fmt.Sprintf("Q%d %d", quarter%12/3+1, quarter/12)
	a.book(Earned, max(0, rebate), "", "", "Volume rebate "+name)
	a.book(Paid, -a.balance(), "", "", "Rebate paid to the fleet")
}

func (millDiesel) redeemable(a *millAccount) int64 { return a.balance() }
