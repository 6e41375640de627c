package foreign

import "time"

// tundraHarbour lets points be used that are about to be taken.
var tundraHarbour = Design{
	Name:   "tundra-harbour",
	Source: "after Australian points cards (Qantas, Velocity), from memory; the flaw is section 4.3's V3(b)",
	Published: "1 point for every full dollar of a purchase, 3 on travel, on your account as soon as the purchase has posted; 200 points are A$1 off your bill, whenever you like. " +
		"Points for returned purchases are deducted with your statement, on the 12th. Your points may then be below zero; new ones make up for it first.",
	How: "A row a purchase, at once. What returns take is put on a list, and the list is booked as one row, which names nothing, when the statement closes. " +
		"Until then the balance, and what can be redeemed, is what it was.",
	Class: "V3(b)",
	Leak: "Between a return and the 12th its points can still be redeemed. Travel of A$4,000 on 14 March is 12,000 points, redeemed the next day or even after the refund of 16 March as A$60; " +
		"on 12 April the balance falls to −12,000, which only somebody pays back who goes on using the card.",
	Currency: "AUD",
	New:      func() Engine { return newTundraDesk(tundraHarbourZone, tundraHarbourProgram{}) },
}

var tundraHarbourZone = newTundraCalendar("Australia/Sydney")

const (
	tundraHarbourDay  = 12
	tundraHarbourUnit = 1_00
)

// tundraHarbourProgram grants at once and takes back with the statement.
type tundraHarbourProgram struct{ tundraPlain }

func (tundraHarbourProgram) points(p *tundraPurchase) int64 {
	units := p.left() / tundraHarbourUnit
	if p.category == "TRAVEL" {
		return 3 * units
	}
	return units
}

func (g tundraHarbourProgram) settled(a *tundraAccount, p *tundraPurchase) {
	p.kept = g.points(p)
	a.post(Posting{At: a.desk.clock, Kind: Earned, Amount: p.kept, Transaction: p.id, Note: "Points earned"})
}

// returned is where it leaks: nothing keeps back what is on the list.
func (g tundraHarbourProgram) returned(a *tundraAccount, p *tundraPurchase, _ *tundraReturn, _ int64) {
	is := g.points(p)
	a.pending += p.kept - is
	p.kept = is
}

func (tundraHarbourProgram) due(t time.Time) time.Time {
	return tundraHarbourZone.nextMonthly(t, tundraHarbourDay)
}

func (tundraHarbourProgram) tick(a *tundraAccount, at time.Time) {
	a.post(Posting{At: at, Kind: Reversed, Amount: -a.pending, Note: "Returns on this statement"})
	a.pending = 0
}
