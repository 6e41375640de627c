package foreign

import "time"

var harborFuel = Design{
	Name:   "harbor-fuel-statement",
	Source: "After the public rules of Japanese oil companies' cards (rebate by monthly spend, credited by itself), from memory.",
	Published: "Of each month's purchases (from the 20th, Tokyo) the first ¥20,000 earn 1 %, what is beyond 2 %, and beyond ¥50,000 3 %. " +
		"The rebate is on your statement of the 20th and is credited to your account ten days later by itself if it is ¥500 or more. " +
		"Purchases that are taken back are taken out of the month that they were made in, and the difference is on the next statement. A refund that we cannot match takes the highest step it can be of.",
	How: "A statement is one row: what all closed months are worth by net purchases, less what earlier statements said, above or below " +
		"zero. The credit ten days later pays the balance, but no more than what closed months are still worth by everything known that " +
		"day, booked or not. Refunds without a purchase are taken at the highest step of the dearest month. There are no redemptions.",
	Class:    "robust",
	Currency: "JPY",
	New:      harborNew(harborFuelPlan{harborZone("Asia/Tokyo")}),
}

const (
	harborFuelDay       = 20
	harborFuelPayDays   = 10
	harborFuelPayLeast  = 500
	harborFuelStatement = "statements"
)

type harborFuelPlan struct{ zone *time.Location }

// next is the next statement or the next credit.
func (p harborFuelPlan) next(_ *harborBook, t time.Time) time.Time {
	statement := harborCycleEnd(t, harborFuelDay, p.zone)
	credit := p.credit(t)
	if credit.After(t) {
		return credit
	}
	return statement
}

// credit is when what was closed at the beginning of t's month is paid out.
func (p harborFuelPlan) credit(t time.Time) time.Time {
	return harborCycle(t, harborFuelDay, p.zone).AddDate(0, 0, harborFuelPayDays)
}

// harborFuelPercentYen is what a month's spend earns, in hundredths of a yen.
func harborFuelPercentYen(s int64) int64 {
	return s + max(0, s-20000) + max(0, s-50000)
}

// harborFuelTop is the rate of the highest step that a month reaches, in per cent.
func harborFuelTop(s int64) int64 {
	switch {
	case s > 50000:
		return 3
	case s > 20000:
		return 2
	}
	return 1
}

// worth is what the months before the present one are worth by all that is known now.
// Refunds without a purchase are placed among these alone, which can only take more.
func (p harborFuelPlan) worth(k *harborBook) int64 {
	open := harborCycle(k.now, harborFuelDay, p.zone)
	k.matchNamed()
	type month struct{ spend, earned int64 }
	months := map[int64]*month{}
	of := func(b *harborBuy) *month {
		start := harborCycle(b.at, harborFuelDay, p.zone).Unix()
		if months[start] == nil {
			months[start] = &month{}
		}
		return months[start]
	}
	for _, b := range k.buys {
		m := of(b)
		before := harborFuelPercentYen(m.spend)
		m.spend += b.amount - b.named
		m.earned += (harborFuelPercentYen(m.spend) - before) / 100
	}
	k.matchLoose(func(b *harborBuy) int64 {
		if !b.at.Before(open) {
			return -1
		}
		return harborFuelTop(of(b).spend)
	})
	var sum int64
	for _, r := range k.backs {
		for _, part := range r.parts {
			if r.loose {
				sum -= harborUp(part.x*harborFuelTop(of(part.buy).spend), 100)
			}
		}
	}
	for start, m := range months { // a sum: the order makes no difference
		if start < open.Unix() {
			sum += m.earned
		}
	}
	return max(0, sum) // not by month: no refund is known to be of the month it is placed in
}

// due writes the statement, or pays what it said.
func (p harborFuelPlan) due(k *harborBook) {
	if k.now.Equal(harborCycle(k.now, harborFuelDay, p.zone)) {
		k.level(harborFuelStatement, p.worth(k), Posting{Note: "Rebate of statement " + k.now.In(p.zone).Format("2006-01-02")})
		return
	}
	if x := min(k.balance(), p.worth(k)-k.paid); x >= harborFuelPayLeast {
		k.paid += x
		k.post(Posting{Kind: Paid, Amount: -x, Note: "Credited to your account"})
	}
}

func (p harborFuelPlan) heard(*harborBook, harborFact) {}

func (p harborFuelPlan) free(*harborBook) int64 { return 0 }
