package foreign

import "time"

// tundraMaple forgets statements that are two closes old.
var tundraMaple = Design{
	Name:   "tundra-maple",
	Source: "after Canadian cards with monthly cash back (Tangerine, Simplii), from memory; the flaw is section 4.3's V2",
	Published: "2 % on groceries and dining, 1 % on all else, credited when your statement closes, on the 7th, and yours to redeem from then on. " +
		"Purchases that you return earn no cash back; what you got for them is taken back.",
	How: "A statement has the purchases that arrived in it and is one row. A return changes the statement of its purchase: before it closes by counting less, " +
		"until the next one closes by a correction, which names the return. Then the statement goes to the archive, where corrections do not reach.",
	Class: "V2",
	Leak: "Returns later than the close after the purchase's own take nothing. Groceries of $1,000 on 10 January are $20 on 7 February, redeemed that day; " +
		"returned on 10 March, after the close of the 7th, the $20 stay, and the balance is 0. Returned on 1 March it would be −$20.",
	Currency: "CAD",
	New:      func() Engine { return newTundraDesk(tundraMapleZone, tundraMapleProgram{}) },
}

var tundraMapleZone = newTundraCalendar("America/Toronto")

const tundraMapleDay = 7

// tundraMapleProgram corrects the last statement and none before.
type tundraMapleProgram struct{ tundraPlain }

// worth is what is left of a purchase earns.
func (tundraMapleProgram) worth(p *tundraPurchase) int64 {
	rate := int64(100)
	if p.category == "GROCERY" || p.category == "DINING" {
		rate = 200
	}
	return p.left() * rate / tundraParts
}

func (tundraMapleProgram) due(t time.Time) time.Time {
	return tundraMapleZone.nextMonthly(t, tundraMapleDay)
}

func (g tundraMapleProgram) settled(a *tundraAccount, p *tundraPurchase) {
	p.cycle = tundraMapleZone.cycle(a.desk.clock, tundraMapleDay)
	p.kept = g.worth(p)
}

// returned is where it leaks: of statements before the last one nothing is said.
func (g tundraMapleProgram) returned(a *tundraAccount, p *tundraPurchase, r *tundraReturn, _ int64) {
	if !g.reaches(a)(p) {
		return
	}
	is := g.worth(p)
	if p.cycle == a.ticked.Unix() {
		a.post(Posting{At: a.desk.clock, Kind: Reversed, Amount: is - p.kept, Refund: r.id, Note: "Correction of your last statement"})
	}
	p.kept = is
}

// reaches says which purchases are on the open statement or the one before it.
func (tundraMapleProgram) reaches(a *tundraAccount) func(*tundraPurchase) bool {
	return func(p *tundraPurchase) bool { return p.cycle >= a.ticked.Unix() }
}

func (g tundraMapleProgram) stray(a *tundraAccount, r *tundraReturn) { a.attach(r, g.reaches(a)) }

func (g tundraMapleProgram) cleared(a *tundraAccount) { a.retry(g.reaches(a)) }

func (tundraMapleProgram) tick(a *tundraAccount, at time.Time) {
	var sum int64
	for _, p := range a.bought {
		if p.cycle == at.Unix() {
			sum += p.kept
		}
	}
	a.post(Posting{At: at, Kind: Earned, Amount: sum, Note: "Cash back of this statement"})
}
