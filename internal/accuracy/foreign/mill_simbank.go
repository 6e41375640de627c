package foreign

import "time"

var millSimbankDesign = Design{
	Name:   "mill-simbank",
	Source: "after telecom wallets of Bangladesh (bKash, Nagad) and their payment cashbacks, from memory",
	Published: "4 % of payments of category GROCERY, 1 % of all others, together up to BDT 300 a calendar month (Dhaka). New members: " +
		"BDT 100 once payments of the first 30 days come to BDT 2,000. Cashback is credited once a day, at midnight, in one sum. " +
		"Refunded payments earn nothing and do not count for the gift; a refund without its payment's number costs what the dearest " +
		"payment earns, and counts against the gift.",
	How: "Nothing is booked by day. At midnight one row without names moves the books to what all net payments are worth now, up or " +
		"down. What can be drawn is the lesser of the books and of what they would say if midnight were now, so a refund of noon " +
		"blocks at noon.",
	Class:    "robust",
	Currency: "BDT",
	New:      func() Engine { return millNew(millSimbank{}) },
}

// millSimbank books the day's difference at midnight.
type millSimbank struct{}

var millDhaka = millZone("Asia/Dhaka")

const (
	millSimbankCap  = 30000  // poisha a month
	millSimbankGift = 10000  // poisha, once
	millSimbankGoal = 200000 // of payments, in
	millSimbankDays = 30 * 24 * time.Hour
)

func (millSimbank) rate(p *millPurchase) int64 {
	if p.category == "GROCERY" {
		return 4
	}
	return 1
}

// worth is what all net payments earn. Of refunds without a number nobody knows whether
// the month's end or the gift hinges on them: they cost the full rate even above the
// cap, and the gift as if all were of the first 30 days.
func (s millSimbank) worth(a *millAccount) int64 {
	months := map[int]int64{}
	var fresh, total int64
	for _, p := range a.bought {
		months[millMonth(p.at, millDhaka)] += s.rate(p) * p.left() / 100
		if a.within(p, millSimbankDays) {
			fresh += p.left()
		}
	}
	for _, earned := range months {
		total += min(earned, millSimbankCap)
	}
	for _, part := range millPlace(a, 1, s.rate, (*millPurchase).left) {
		total -= millUp(s.rate(part.of)*part.amount, 100) / 100
	}
	for _, r := range a.loose {
		fresh -= r.amount
	}
	total = max(0, total)
	if fresh >= millSimbankGoal {
		total += millSimbankGift
	}
	return total
}

func (s millSimbank) bought(a *millAccount, _ *millPurchase) { a.limit = s.worth(a) }
func (s millSimbank) returned(a *millAccount, _ *millReturn) { a.limit = s.worth(a) }

func (millSimbank) next(t time.Time) time.Time {
	y, m, d := t.In(millDhaka).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, millDhaka)
}

func (s millSimbank) due(a *millAccount) {
	kind, move := Earned, a.limit-a.total
	if move < 0 {
		kind = Reversed
	}
	day := a.now.Add(-time.Hour).In(millDhaka).Format("2006-01-02")
	a.book(kind, move, "", "", "Cashback of "+day)
}

func (millSimbank) redeemable(a *millAccount) int64 {
	return min(a.balance(), a.limit-a.drawn)
}
