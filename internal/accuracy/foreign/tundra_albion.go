package foreign

import "time"

// tundraAlbion is sound: it pays by itself, seldom, and forgets no debt.
var tundraAlbion = Design{
	Name:   "tundra-albion",
	Source: "after British cashback cards that pay once a year (Amex Platinum Cashback), from memory",
	Published: "1 % cashback on the first £8,000 of a calendar year and 2 % on what is beyond; in your first 90 days 4 % on top, at most £100 in all. Only the full pounds of a purchase count. " +
		"Each 15 January we pay what has come together to your account; it cannot be had before. Returned purchases earn nothing, whenever they come back: " +
		"we take the cashback back, and what we paid already comes off what you earn next. A credit that does not name its purchase takes the highest rate at which it can have earned.",
	How: "Two tallies a purchase, worked out anew for all purchases after each event in order of time; a purchase whose cashback has changed has its old row " +
		"reversed and a new one written, both with its name, the reversal also with that of the return. A return that names no purchase takes the dearest rate of those it may be of and has a row of its own. " +
		"On 15 January a balance above zero is paid; one below stays, year after year.",
	Class: "robust", Currency: "GBP",
	New: func() Engine { return newTundraDesk(tundraAlbionZone, tundraAlbionProgram{}) },
}

var tundraAlbionZone = newTundraCalendar("Europe/London")

const (
	tundraAlbionUnit  = 1_00
	tundraAlbionStep  = 8_000_00
	tundraAlbionIntro = 90 * 24 * time.Hour
	tundraAlbionCap   = 100_00
)

// tundraAlbionProgram pays once a year.
type tundraAlbionProgram struct{}

// tundraAlbionWorth is what a year's first spend earns; of full pounds it is full pence.
func tundraAlbionWorth(spend int64) int64 {
	return min(spend, tundraAlbionStep)/100 + max(0, spend-tundraAlbionStep)/50
}

func tundraAlbionNew(a *tundraAccount, p *tundraPurchase) bool {
	return !p.at.Before(a.opened) && p.at.Sub(a.opened) < tundraAlbionIntro
}

// level brings every purchase and every stray to what it should have.
func (tundraAlbionProgram) level(a *tundraAccount, cause string) {
	years := map[int]int64{}
	var intro, sum int64
	at := a.desk.clock
	for _, p := range a.bought {
		before := years[p.year]
		q := p.left() / tundraAlbionUnit * tundraAlbionUnit
		years[p.year] += q
		is := tundraAlbionWorth(years[p.year]) - tundraAlbionWorth(before)
		if tundraAlbionNew(a, p) {
			extra := min(q*4/100, tundraAlbionCap-intro)
			intro += extra
			is += extra
		}
		sum += is
		if is != p.kept {
			a.post(Posting{At: at, Kind: Reversed, Amount: -p.kept, Transaction: p.id, Refund: cause, Note: "Cashback recalculated"})
			a.post(Posting{At: at, Kind: Earned, Amount: is, Transaction: p.id, Note: "Cashback"})
			p.kept = is
		}
	}
	for _, r := range a.strays {
		taken := min(sum, a.ceiling(r, tundraAlbionUnit, func(p *tundraPurchase) int64 {
			if tundraAlbionNew(a, p) {
				return 200 + 400
			}
			return 200
		}))
		sum -= taken
		if was := r.taken; was != taken {
			a.post(Posting{At: at, Kind: Adjusted, Amount: was, Refund: r.id, Note: "Credit reconsidered"})
			a.post(Posting{At: at, Kind: Reversed, Amount: -taken, Refund: r.id, Note: "Credit of no known purchase"})
			r.taken = taken
		}
	}
}

func (g tundraAlbionProgram) settled(a *tundraAccount, _ *tundraPurchase) { g.level(a, "") }

func (g tundraAlbionProgram) returned(a *tundraAccount, _ *tundraPurchase, r *tundraReturn, _ int64) {
	g.level(a, r.id)
}

func (g tundraAlbionProgram) stray(a *tundraAccount, r *tundraReturn) {
	a.addStray(r)
	g.level(a, r.id)
}

func (tundraAlbionProgram) cleared(*tundraAccount) {}

// due is the next 15 January.
func (tundraAlbionProgram) due(t time.Time) time.Time {
	at := time.Date(t.In(tundraAlbionZone.zone).Year(), time.January, 15, 0, 0, 0, 0, tundraAlbionZone.zone)
	if !at.After(t) {
		at = at.AddDate(1, 0, 0)
	}
	return at
}

// tick pays what there is.
func (tundraAlbionProgram) tick(a *tundraAccount, at time.Time) {
	if due := a.balance(); due > 0 {
		a.post(Posting{At: at, Kind: Paid, Amount: -due, Note: "Annual cashback paid to your account"})
		a.paid += due
	}
}

// redeemable is nothing: cashback is paid by itself.
func (tundraAlbionProgram) redeemable(*tundraAccount) int64 { return 0 }
