package foreign

import "time"

// tundraWisla forgets what an account would owe.
var tundraWisla = Design{
	Name:   "tundra-wisla",
	Source: "after Polish fuel and grocery clubs with vouchers (Vitay, Payback), from memory; the flaw is section 4.3's V3(a)",
	Published: "1 point for every full 10 zł of a purchase, 3 for fuel. On the 1st of a month every full 200 points on your account become a voucher of 20 zł, by themselves. " +
		"If you return something we take the points for it back.",
	How: "A row a purchase, and one a return that names both. Vouchers are paid out by the engine on the 1st, local time; points cannot be redeemed otherwise. " +
		"A return takes the points that the purchase has too many, but an account of points cannot have less than none: what is missing is not taken and not remembered.",
	Class: "V3(a)",
	Leak: "Who returns after the voucher keeps it. Fuel of 4,000 zł on 20 May is 1,200 points, and 120 zł in vouchers on 1 June; returned on 5 June nothing is taken, the balance is 0, " +
		"and fuel of 1,000 zł in June is 300 points, one voucher of 20 zł, as if there were no debt of 1,200.",
	Currency: "PLN",
	New:      func() Engine { return newTundraDesk(tundraWislaZone, tundraWislaProgram{}) },
}

var tundraWislaZone = newTundraCalendar("Europe/Warsaw")

const (
	tundraWislaUnit    = 10_00
	tundraWislaVoucher = 200
)

// tundraWislaProgram issues vouchers and has no debts.
type tundraWislaProgram struct{ tundraPlain }

func (tundraWislaProgram) points(p *tundraPurchase) int64 {
	units := p.left() / tundraWislaUnit
	if p.category == "FUEL" {
		return 3 * units
	}
	return units
}

func (g tundraWislaProgram) settled(a *tundraAccount, p *tundraPurchase) {
	p.kept = g.points(p)
	a.post(Posting{At: a.desk.clock, Kind: Earned, Amount: p.kept, Transaction: p.id, Note: "Punkty za zakupy"})
}

// returned is where it leaks: it takes what is there.
func (g tundraWislaProgram) returned(a *tundraAccount, p *tundraPurchase, r *tundraReturn, _ int64) {
	is := g.points(p)
	taken := min(p.kept-is, max(0, a.balance()))
	p.kept = is
	a.post(Posting{At: a.desk.clock, Kind: Reversed, Amount: -taken, Transaction: p.id, Refund: r.id, Note: "Zwrot"})
}

func (tundraWislaProgram) due(t time.Time) time.Time { return tundraWislaZone.nextMonthly(t, 1) }

func (tundraWislaProgram) tick(a *tundraAccount, at time.Time) {
	vouchers := a.balance() / tundraWislaVoucher * tundraWislaVoucher
	a.paid += vouchers
	a.post(Posting{At: at, Kind: Paid, Amount: -vouchers, Note: "Bony"})
}

// redeemable is nothing: vouchers come by themselves.
func (tundraWislaProgram) redeemable(*tundraAccount) int64 { return 0 }
