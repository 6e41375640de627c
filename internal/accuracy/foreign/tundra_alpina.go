package foreign

import "strconv"

// tundraAlpina gives a cap's room back to the wrong quarter.
var tundraAlpina = Design{
	Name:   "tundra-alpina",
	Source: "after Swiss cards with capped partner bonuses (Cumulus, Certo), from memory; section 6's Algorithm 2 warns of the flaw at its period check",
	Published: "0.5 % on everything. On online shopping and dining 4 % on top, at most CHF 60 a calendar quarter. Credited at once, redeemable at once. " +
		"A return takes back its share of what its purchase was credited; what it had used of the CHF 60 is free again.",
	How: "Each purchase keeps what it was credited, in two parts, and a return takes the same share of both, naming purchase and return. " +
		"A counter a quarter says what is used of the extra; a return lowers it by what it takes of the extra, not below zero: the counter of the quarter in which the return arrives, not that of its purchase.",
	Class: "other",
	Leak: "A return of an earlier quarter's purchase makes room in this quarter, which it never used. CHF 1,500 online in February and again in April are 60 of extra each; " +
		"February's purchase comes back in May, its 67.50 are taken, and another CHF 1,500 online in May earn 60 again: 120 of extra in a quarter that has 60, each quarter anew.",
	Currency: "CHF",
	New:      func() Engine { return newTundraDesk(tundraAlpinaZone, tundraAlpinaProgram{}) },
}

var tundraAlpinaZone = newTundraCalendar("Europe/Zurich")

const tundraAlpinaCap = 60_00 // extra, a quarter

// tundraAlpinaProgram has a capped extra.
type tundraAlpinaProgram struct{ tundraPlain }

func (tundraAlpinaProgram) settled(a *tundraAccount, p *tundraPurchase) {
	p.base = p.amount * 50 / tundraParts
	if p.category == "ONLINE" || p.category == "DINING" {
		quarter := strconv.FormatInt(tundraAlpinaZone.quarter(p.at), 10)
		p.extra = min(p.amount*400/tundraParts, tundraAlpinaCap-a.used[quarter])
		a.used[quarter] += p.extra
	}
	p.kept = p.base + p.extra
	a.post(Posting{At: a.desk.clock, Kind: Earned, Amount: p.base, Transaction: p.id, Note: "Bonus 0.5 %"})
	a.post(Posting{At: a.desk.clock, Kind: Earned, Amount: p.extra, Transaction: p.id, Note: "Extra 4 %"})
}

// returned is where it leaks: the room goes to the quarter of the return.
func (tundraAlpinaProgram) returned(a *tundraAccount, p *tundraPurchase, r *tundraReturn, x int64) {
	share := func(all int64) int64 { return all * p.left() / p.amount }
	before := p.extra * (p.left() + x) / p.amount
	quarter := strconv.FormatInt(tundraAlpinaZone.quarter(a.desk.clock), 10)
	a.used[quarter] = max(0, a.used[quarter]-(before-share(p.extra)))
	is := share(p.base) + share(p.extra)
	a.post(Posting{At: a.desk.clock, Kind: Reversed, Amount: is - p.kept, Transaction: p.id, Refund: r.id, Note: "Rückgabe"})
	p.kept = is
}
