package foreign

import (
	"slices"
	"time"
)

// lagoonSheet is a workbook with a tab for each statement. Whoever closes a statement goes
// through all tabs again, and restates a line that has changed: the old figure out, the new in.
var lagoonSheet = Design{
	Name:   "lagoon-sheet",
	Source: "from memory, after British cashback credit cards that pay their cashback to the account with the statement",
	Published: "3% on groceries, up to £15 a statement, and 1% on everything else. Statements close with the 12th (London); cashback " +
		"is reckoned then and paid to your account by itself once it has come to £10. Returns lower the statement in which " +
		"you bought, also later ones; what has been paid is then owed and comes off what follows. A return that we cannot " +
		"assign takes the rate of your best purchases, even where a limit had cut them.",
	How: "At each close every tab is reckoned again from what is left of its purchases. A line that differs is reversed in full " +
		"and granted anew, so that a row is a line of a statement and names no purchase. Payouts are of what is beyond doubt, " +
		"and nothing can be had in between.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return lagoonNewDesk(&lagoonSheetPlan{zone: lagoonZone("Europe/London")})
	},
}

const (
	lagoonSheetDay    = 12
	lagoonSheetCap    = 1500
	lagoonSheetPayout = 1000
)

type lagoonSheetPlan struct {
	lagoonIdle
	zone *time.Location
}

func (*lagoonSheetPlan) rate(p *lagoonPurchase) int64 {
	if p.category == "GROCERY" {
		return 3
	}
	return 1
}

// lines are all lines of the tabs that are over at that time, and one for what could not be
// assigned. Under a limit a return may take less than its rate, never more; so the full
// rate of the best purchases is at least what was lost wherever the return belongs.
func (s *lagoonSheetPlan) lines(a *lagoonAccount, at time.Time, prudent bool) (lines map[string]int64, sum int64) {
	left, parts := a.net(at, lagoonMatch{rank: s.rate, prudent: prudent})
	lines = map[string]int64{}
	for i, p := range a.purchases {
		if !p.at.Before(at) {
			continue
		}
		tab := p.at.In(s.zone).AddDate(0, 0, 1-lagoonSheetDay).Format("2006-01")
		if s.rate(p) == 3 {
			tab += " groceries"
			lines[tab] = min(lagoonSheetCap, lines[tab]+left[i]*3/100)
		} else {
			tab += " other"
			lines[tab] += left[i] / 100
		}
	}
	for _, v := range lines {
		sum += v
	}
	var unassigned int64
	for _, part := range parts {
		unassigned += lagoonUp(part.amount, s.rate(part.purchase), 100)
	}
	unassigned = min(unassigned, sum)
	lines["returns not assigned"] = -unassigned
	return lines, sum - unassigned
}

func (s *lagoonSheetPlan) next(after time.Time) time.Time {
	return lagoonMonthly(after, s.zone, lagoonSheetDay)
}

// due closes a statement.
func (s *lagoonSheetPlan) due(a *lagoonAccount, at time.Time) {
	lines, _ := s.lines(a, at, false)
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s.restate(a, name, lines[name], at)
	}
	_, sure := s.lines(a, at, true)
	if pay := a.free(sure); pay >= lagoonSheetPayout {
		a.book(Posting{At: at, Kind: Paid, Amount: -pay, Note: "Cashback paid to your account"})
	}
}

func (s *lagoonSheetPlan) restate(a *lagoonAccount, name string, value int64, at time.Time) {
	old := a.posted[name]
	if value == old {
		return
	}
	a.posted[name] = value
	was, is := Reversed, Earned
	if name == "returns not assigned" {
		was, is = Adjusted, Reversed
	}
	a.book(Posting{At: at, Kind: was, Amount: -old, Note: name + ", as stated before"})
	a.book(Posting{At: at, Kind: is, Amount: value, Note: name})
}

func (s *lagoonSheetPlan) redeemable(*lagoonAccount, time.Time) int64 { return 0 }
