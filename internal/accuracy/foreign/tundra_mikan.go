package foreign

import (
	"maps"
	"slices"
	"time"
)

// tundraMikan is sound although it takes back late: what it will take cannot be used.
var tundraMikan = Design{
	Name:   "tundra-mikan",
	Source: "after Japanese cards that count points by the statement (Orico, Saison), from memory",
	Published: "Statements close on the 15th. 1 point for every full ¥200 of a statement, 1 more for every full ¥200 of its dining. " +
		"3,000 points once a calendar year's purchases reach ¥600,000; new members get 2,000 points once the purchases of their first 60 days reach ¥50,000. " +
		"Points are booked at the close and can then be used, 1 point as ¥1. Returns lower the statement of their purchase; the difference is booked at the next close " +
		"and cannot be used from the day on which the return is known. Points may be owed. A return without its purchase counts against everything that it may be of.",
	How: "Nothing is kept for a purchase. At every close each closed statement and both bonuses are worked out anew from what is left of all purchases; " +
		"a new row for the new statement, one row for all that has changed in earlier ones, one for each bonus. What can be used is the smaller of what is booked and what the next close would leave of it. " +
		"Returns without a purchase take, beside all statements, the points of as much dining (or of other purchases, if none that they may be of is dining), and lower the spend that both bonuses look at.",
	Class: "robust", Currency: "JPY",
	New: func() Engine { return newTundraDesk(tundraMikanZone, tundraMikanProgram{}) },
}

var tundraMikanZone = newTundraCalendar("Asia/Tokyo")

const (
	tundraMikanDay   = 16 // a statement's first day
	tundraMikanUnit  = 200
	tundraMikanFirst = 60 * 24 * time.Hour
)

// tundraMikanProgram works by statements.
type tundraMikanProgram struct{}

func (tundraMikanProgram) due(t time.Time) time.Time {
	return tundraMikanZone.nextMonthly(t, tundraMikanDay)
}

func (tundraMikanProgram) settled(_ *tundraAccount, p *tundraPurchase) {
	p.cycle = tundraMikanZone.cycle(p.at, tundraMikanDay)
}

func (tundraMikanProgram) returned(*tundraAccount, *tundraPurchase, *tundraReturn, int64) {}

func (tundraMikanProgram) stray(a *tundraAccount, r *tundraReturn) { a.addStray(r) }

func (tundraMikanProgram) cleared(*tundraAccount) {}

// tundraMikanBook is what the ledger should say of statements that are closed.
type tundraMikanBook struct {
	statements   map[int64]int64 // by the instant of their close
	years        map[int]int64
	welcome, owe int64 // owe: what strays take
}

// sum is what the account has earned; strays take no more than that.
func (b tundraMikanBook) sum() int64 {
	s := b.welcome - b.owe
	for _, x := range b.statements {
		s += x
	}
	for _, x := range b.years {
		s += x
	}
	return max(0, s)
}

// book works everything out of statements that close at now or before.
func (tundraMikanProgram) book(a *tundraAccount, now time.Time) tundraMikanBook {
	b := tundraMikanBook{statements: map[int64]int64{}, years: map[int]int64{}}
	all, dining, years := map[int64]int64{}, map[int64]int64{}, map[int]int64{}
	var first int64
	for _, p := range a.bought {
		if p.cycle > now.Unix() {
			continue
		}
		all[p.cycle] += p.left()
		if p.category == "DINING" {
			dining[p.cycle] += p.left()
		}
		years[p.year] += p.left()
		if !p.at.Before(a.opened) && p.at.Sub(a.opened) < tundraMikanFirst {
			first += p.left()
		}
	}
	for c, s := range all {
		b.statements[c] = s/tundraMikanUnit + dining[c]/tundraMikanUnit
	}
	for _, r := range a.strays {
		// Each unit counts that has begun, twice if it may be of dining.
		points, spend := a.dearest(r, func(p *tundraPurchase) int64 {
			if p.category == "DINING" {
				return 2
			}
			return 1
		})
		b.owe += points * ((spend + tundraMikanUnit - 1) / tundraMikanUnit)
		first -= spend
		for y := range years {
			if y <= r.at.Add(tundraLag).In(tundraMikanZone.zone).Year() {
				years[y] -= spend
			}
		}
	}
	for y, s := range years {
		if s >= 600_000 {
			b.years[y] = 3_000
		}
	}
	if first >= 50_000 {
		b.welcome = 2_000
	}
	return b
}

// tick closes a statement.
func (g tundraMikanProgram) tick(a *tundraAccount, at time.Time) {
	b := g.book(a, at)
	target := b.sum()
	fresh := b.statements[at.Unix()]
	var bonus int64
	for _, y := range slices.Sorted(maps.Keys(b.years)) {
		bonus += b.years[y]
	}
	// Each heading moves by its own difference; what is left over is of earlier statements.
	head := func(kind Kind, name string, is int64, note string) {
		row := Posting{At: at, Kind: kind, Amount: is - a.sheet[name], Note: note}
		if row.Amount < 0 {
			row.Kind = Reversed
		}
		a.post(row)
		a.sheet[name] = is
	}
	a.post(Posting{At: at, Kind: Earned, Amount: fresh, Note: "Points of this statement"})
	head(Earned, "year", bonus, "Yearly bonus")
	head(Earned, "welcome", b.welcome, "Welcome bonus")
	head(Earned, "past", target-(a.booked-a.sheet["past"]), "Corrections of earlier statements")
}

// redeemable is what is booked, less what the next close will take.
func (g tundraMikanProgram) redeemable(a *tundraAccount) int64 {
	return max(0, min(a.booked, g.book(a, a.ticked).sum())-a.redeemed)
}
