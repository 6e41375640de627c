package foreign

import "time"

var millNairaDesign = Design{
	Name:   "mill-naira",
	Source: "after the debit cards of Nigerian neobanks (Kuda, Carbon, PalmPay), from memory",
	Published: "2 % of card payments, 5 % of those in the first 60 days after opening, together up to NGN 1,000 a statement (from the 26th, Lagos). " +
		"Cashback is yours to draw the moment a payment clears. Refunded payments earn nothing; a balance may fall below zero and " +
		"is then worked off by new payments.",
	How: "Each payment has a row with its name at once. Refunds and chargebacks go into a tray; with the statement on the 26th all " +
		"payments are valued anew and one row without names, 'reversals of the period', takes the difference. Drawing looks at " +
		"the balance and not into the tray.",
	Class: "V3(b)",
	Leak: "Until the 26th a refunded payment's cashback can still be drawn, and what is below zero after that is only worked off by who " +
		"stays. Pay NGN 10,000 in the first week, have it refunded the next day, then draw the NGN 500; the card is put away: " +
		"NGN 500 of nothing bought, with -500 on the books for good.",
	Currency: "NGN",
	New:      func() Engine { return millNew(millNaira{}) },
}

// millNaira grants at once and takes back with the statement.
type millNaira struct{}

var millLagos = millZone("Africa/Lagos")

const (
	millNairaCap = 100000 // kobo a statement
	millNairaNew = 60 * 24 * time.Hour
)

// statement is the number of the month in which a statement ends.
func (millNaira) statement(t time.Time) int {
	l := t.In(millLagos)
	month := millMonth(l, millLagos)
	if l.Day() >= 26 {
		month++
	}
	return month
}

func (millNaira) rate(a *millAccount) func(*millPurchase) int64 {
	return func(p *millPurchase) int64 {
		if a.within(p, millNairaNew) {
			return 5
		}
		return 2
	}
}

// bought grants what the statement has room for. Refunds that came before wait in the tray
// like all others.
func (s millNaira) bought(a *millAccount, p *millPurchase) {
	room := int64(millNairaCap)
	for _, other := range a.bought {
		if s.statement(other.at) == s.statement(p.at) {
			room -= other.worth
		}
	}
	p.worth = max(0, min(room, s.rate(a)(p)*p.amount/100))
	a.book(Earned, p.worth, p.id, "", "")
}

func (millNaira) returned(*millAccount, *millReturn) {}

func (s millNaira) next(t time.Time) time.Time {
	return millMonthStart(s.statement(t), millLagos).AddDate(0, 0, 25)
}

// due values all payments net of what is in the tray.
func (s millNaira) due(a *millAccount) {
	rate, used, total := s.rate(a), map[int]int64{}, int64(0)
	for _, p := range a.bought {
		n := s.statement(p.at)
		p.worth = min(millNairaCap-used[n], rate(p)*p.left()/100)
		used[n] += p.worth
		total += p.worth
	}
	for _, part := range millPlace(a, 1, rate, (*millPurchase).left) {
		total -= millUp(rate(part.of)*part.amount, 100) / 100
	}
	kind, move := Adjusted, max(0, total)-a.total
	if move < 0 {
		kind = Reversed
	}
	a.book(kind, move, "", "", "Reversals of the period")
}

func (millNaira) redeemable(a *millAccount) int64 { return a.balance() }
