package foreign

import "time"

// A program that keeps nothing but events. Calendar months are folded out of them, once a
// month, and what a month comes to is compared with what was entered for it before.

const (
	latestDMonthMinimum = 80_000 // 800.00 net in a month open the better rates
	latestDMonthCap     = 8_000  // and these pay at most 80.00
	latestDMonthBase    = 25     // basis points
	latestDMonthRun     = 10     // day of the month
	latestDMonthPayout  = 1_000  // what is 10.00 or more is paid out in the run
)

// latestDMonth counts calendar months.
type latestDMonth int

func latestDMonthOf(t time.Time) latestDMonth {
	return latestDMonth(t.Year()*12 + int(t.Month()) - 1)
}

// run is the day in this month on which the months before are entered.
func (m latestDMonth) run() time.Time {
	return time.Date(int(m)/12, time.Month(int(m)%12+1), latestDMonthRun, 0, 0, 0, 0, time.UTC)
}

// latestDMonthKind is a group of shops with its rate in basis points.
type latestDMonthKind int64

const (
	latestDMonthEats   latestDMonthKind = 600
	latestDMonthFuel   latestDMonthKind = 500
	latestDMonthFood   latestDMonthKind = 300
	latestDMonthOthers latestDMonthKind = latestDMonthBase
)

func latestDMonthKindOf(mcc string) latestDMonthKind {
	switch {
	case latestDEats(mcc):
		return latestDMonthEats
	case mcc == "5541" || mcc == "5542":
		return latestDMonthFuel
	case mcc == "5411":
		return latestDMonthFood
	}
	return latestDMonthOthers
}

// latestDMonthEvent is a purchase, or something taken off one in the month it was made.
type latestDMonthEvent struct {
	month  latestDMonth
	kind   latestDMonthKind
	amount int64
}

type latestDMonthAccount struct {
	latestDFile
	events  []latestDMonthEvent
	entered map[latestDMonth]int64
	months  []latestDMonth // those of entered, in the order they were first seen
	next    latestDMonth   // of the next run; zero before the clock was set
}

// fold says what a month comes to.
func (a *latestDMonthAccount) fold(m latestDMonth) int64 {
	net := map[latestDMonthKind]int64{}
	var all int64
	for _, e := range a.events {
		if e.month == m {
			net[e.kind] += e.amount
			all += e.amount
		}
	}
	if all < latestDMonthMinimum {
		return latestDHalfEven(all*latestDMonthBase, 10_000)
	}
	var better int64
	for _, k := range []latestDMonthKind{latestDMonthEats, latestDMonthFuel, latestDMonthFood} {
		better += latestDHalfEven(net[k]*int64(k), 10_000)
	}
	return min(better, latestDMonthCap) + latestDHalfEven(net[latestDMonthOthers]*latestDMonthBase, 10_000)
}

func (a *latestDMonthAccount) due(now time.Time) {
	if now.IsZero() {
		return
	}
	if a.next == 0 {
		a.next = latestDMonthOf(now)
		if now.After(a.next.run()) {
			a.next++
		}
	}
	for ; !a.next.run().After(now); a.next++ {
		a.runMonth(a.next.run())
	}
}

// runMonth enters all that changed in months that are over, and pays out.
func (a *latestDMonthAccount) runMonth(at time.Time) {
	for _, m := range a.months {
		if m >= latestDMonthOf(at) {
			continue
		}
		worth := a.fold(m)
		p := Posting{At: at, Kind: Earned, Amount: worth - a.entered[m],
			Note: "cash back of " + m.run().Format("January 2006")}
		if p.Amount < 0 {
			p.Kind = Reversed
		}
		a.post(p)
		a.entered[m] = worth
	}
	if b := a.balance(); b >= latestDMonthPayout {
		a.post(Posting{At: at, Kind: Paid, Amount: -b, Note: "credited to your card account"})
	}
}

func (a *latestDMonthAccount) record(s *latestDSale, amount int64) {
	m := latestDMonthOf(s.at)
	if _, ok := a.entered[m]; !ok {
		a.entered[m] = 0
		a.months = append(a.months, m)
	}
	a.events = append(a.events, latestDMonthEvent{month: m, kind: latestDMonthKindOf(s.mcc), amount: amount})
}

func (a *latestDMonthAccount) booked(_ time.Time, s *latestDSale) { a.record(s, s.amount) }

func (a *latestDMonthAccount) taken(_ time.Time, s *latestDSale, amount int64, _ string, _ bool) {
	a.record(s, -amount)
}

// redeemable leaves out what the next run is going to take back, so nobody can be ahead of
// the run.
func (a *latestDMonthAccount) redeemable(time.Time) int64 {
	can := a.balance()
	for _, m := range a.months {
		can -= max(0, a.entered[m]-a.fold(m))
	}
	return can
}

// latestDMonthDesk is a desk of a program that pays out by itself.
type latestDMonthDesk struct{ *latestDDesk }

func (d latestDMonthDesk) PaidOut(account string) (int64, error) {
	a, err := d.find(account)
	if err != nil {
		return 0, err
	}
	return a.base().payed, nil
}

func latestDMonthDesign() Design {
	return Design{
		Name: "latest-minimum-month",
		Source: "OCBC 365 card terms (6% dining, 3% groceries, minimum spend of 800 in a calendar month, less what is voided or reversed; ocbc.com and kaizenaire.com) and UOB YOLO FAQ " +
			"(rebates capped in a month, credited in the next, pib.uob.com.sg); negative cashback offset by later cashback as in MariBank's help centre (maribank.sg)",
		Published: "If your net purchases of a calendar month (UTC) reach 800.00, restaurants (MCC 5811 to 5814) earn 6%, petrol (5541, 5542) 5% and groceries (5411) 3%, these three together at most 80.00 for the month, and all else earns 0.25%. " +
			"If they do not, everything earns 0.25%. Net purchases are purchases less returns and disputed amounts, which count in the month of their purchase however late they come: a month that falls below 800.00 by a return earns 0.25% on what is left. " +
			"Each group's sum of a month is rounded to the nearest cent, half a cent to the even one. Cash back of a month is credited on the 10th of the next month and can be redeemed from then on; a balance of 10.00 or more on the 10th " +
			"is paid out to your card account by itself. Changes of earlier months are entered on the next 10th; what will be taken back then cannot be redeemed before. Your balance may go below zero, and later cash back pays that off first. " +
			"A refund that names no purchase counts against your latest purchases at that merchant, otherwise in the same kind of shop, otherwise your latest.",
		How: "Purchases and returns are events of the month of the purchase. On the 10th every month that is over is folded anew, the differences to what was entered before are entered, and then the balance is paid out if it is 10.00 or more. " +
			"Between runs redemptions are held to what the next run would leave. Debts stay in the balance until later months have paid them off.",
		Class:    "robust",
		Currency: "SGD",
		New: func() Engine {
			return latestDMonthDesk{latestDNewDesk(func(f latestDFile) latestDAccount {
				return &latestDMonthAccount{latestDFile: f, entered: map[latestDMonth]int64{}}
			})}
		},
	}
}
