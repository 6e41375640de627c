package foreign

import "time"

// freshVoucher is a grocer's club: two running counters, points and vouchers.
type freshVoucher struct {
	freshDesk[freshVoucherBook]
}

// freshVoucherBook is a member's card in the club.
type freshVoucherBook struct {
	points   int64 // collected in all on what is kept
	vouchers int64 // issued and not taken back
	next     time.Time
	of       map[string]int64 // points by purchase, as counted
}

const (
	freshVoucherPoints = 150
	freshVoucherWorth  = 150 // pence
)

var freshVoucherDesign = Design{
	Name: "fresh-voucher",
	Source: "Tesco Clubcard and Clubcard Credit Card, as on nationalworld.com and finder.com (a point per £1 of groceries, per £2 of fuel, per £8 elsewhere with the card; " +
		"vouchers in February, May, August and November, £1.50 for 150 points; that the days are the 1st, and what returns do, is ours)",
	Published: "You collect points on each purchase: in the category GROCERY 1 point for every full £1, in FUEL 1 point for every full £2, everywhere else 1 point for every full £8; what is short of a full step earns nothing. " +
		"Four times a year, at the beginning of 1 February, 1 May, 1 August and 1 November (UTC), every full 150 points become a voucher of £1.50; points that are left are carried over. " +
		"Vouchers can be spent from then on, in any amount, and do not lapse; points by themselves cannot be spent. " +
		"Goods you return: the purchase earns points only on what you keep, counted in full steps as if you had bought only that, and the difference leaves your points at once, whenever the return is. " +
		"If your points no longer cover the vouchers issued, vouchers are taken back at once, £1.50 for each, until they do (new ones are issued on the next of the four days); if they are spent your balance is below zero and the next vouchers repay it first. " +
		"Chargebacks are returns. " +
		freshGuessNewest,
	How: "Two running counters per member: points collected (net of returns, each purchase by the full steps of what is kept of it) and vouchers issued. " +
		"The four days raise the vouchers to points ÷ 150; a return lowers the points and, where needed, the vouchers, at once. No purchase stands on a voucher's posting.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		e := &freshVoucher{}
		e.house = e
		return e
	},
}

func (e *freshVoucher) opened(f *freshFile[freshVoucherBook]) {
	f.own = freshVoucherBook{next: freshVoucherAfter(f.opened), of: map[string]int64{}}
}

// freshVoucherAfter is the next of the four days.
func freshVoucherAfter(t time.Time) time.Time {
	day := freshMonth(t).AddDate(0, 1, 0)
	for day.Month()%3 != 2 {
		day = day.AddDate(0, 1, 0)
	}
	return day
}

// freshVoucherCount is how many points a purchase has on what is kept of it.
func freshVoucherCount(p *freshPurchase) int64 {
	step := int64(800)
	switch p.category {
	case "GROCERY":
		step = 100
	case "FUEL":
		step = 200
	}
	return p.kept() / step
}

func (e *freshVoucher) moved(f *freshFile[freshVoucherBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	if cleared != nil {
		e.count(f, cleared)
	}
	for _, p := range others {
		e.count(f, p)
	}
	if covered := freshVoucherCovered(f); covered < f.own.vouchers {
		f.change(e.now, (covered-f.own.vouchers)*freshVoucherWorth, "", by, "vouchers taken back")
		f.own.vouchers = covered
	}
}

func (e *freshVoucher) count(f *freshFile[freshVoucherBook], p *freshPurchase) {
	points := freshVoucherCount(p)
	f.own.points += points - f.own.of[p.id]
	f.own.of[p.id] = points
}

func freshVoucherCovered(f *freshFile[freshVoucherBook]) int64 {
	return f.own.points / freshVoucherPoints
}

// run issues vouchers on each of the four days that has come.
func (e *freshVoucher) run(f *freshFile[freshVoucherBook]) {
	for !e.now.Before(f.own.next) {
		if covered := freshVoucherCovered(f); covered > f.own.vouchers {
			f.change(f.own.next, (covered-f.own.vouchers)*freshVoucherWorth, "", nil, "vouchers of "+f.own.next.Format("January 2006"))
			f.own.vouchers = covered
		}
		f.own.next = freshVoucherAfter(f.own.next)
	}
}

func (e *freshVoucher) spendable(f *freshFile[freshVoucherBook]) int64 { return f.balance }
