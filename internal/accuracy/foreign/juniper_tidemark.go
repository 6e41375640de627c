package foreign

import (
	"fmt"
	"time"
)

var juniperTidemarkDesign = Design{
	Name:   "juniper-tidemark",
	Source: "after the monthly-total points of Japanese credit cards, from memory",
	Published: "For every full JPY 1,000 of a statement's purchases you get JPY 5, and JPY 10 more for every full JPY 1,000 of DINING. " +
		"Statements run from the 11th to the 10th. What returns leave of them counts. The reward is booked on the 25th and can be used from then on. " +
		"Each year there is a member's gift of JPY 500; paper statements cost JPY 20 a quarter.",
	How: "On the 25th one row that names nothing brings the account to what all closed statements are worth by what is known then: " +
		"the new statement's reward and the corrections of older ones in one number, below zero if need be. " +
		"Until then a return lowers what can be redeemed. A return of no known purchase is deducted as if it had cost a step of both rates for each JPY 1,000 begun. " +
		"The gift and the fees are in the same ledger.",
	Class:    "robust",
	Currency: "JPY",
	New:      func() Engine { return juniperNew(&juniperTidemark{loc: juniperZone("Asia/Tokyo")}) },
}

// juniperTidemark rewards the totals of statements, not purchases: there is nothing that a
// row could name.
type juniperTidemark struct{ loc *time.Location }

const (
	juniperTidemarkStep   = 1000
	juniperTidemarkBase   = 5
	juniperTidemarkDining = 10
)

func (s *juniperTidemark) jobs() []juniperJob {
	return []juniperJob{
		{next: juniperMonthly(s.loc, 25, 6), run: s.statement},
		{next: juniperYearly(s.loc, 20), run: func(a *juniperAccount, at time.Time) {
			a.give(at, Earned, 500, "Member's gift")
		}},
		{next: juniperMonthly(s.loc, 1, 9, time.January, time.April, time.July, time.October), run: func(a *juniperAccount, at time.Time) {
			if at.Sub(a.opened) > 40*24*time.Hour { // not before the first gift
				a.give(at, Adjusted, -20, "Paper statements")
			}
		}},
	}
}

// statement books the month's one row.
func (s *juniperTidemark) statement(a *juniperAccount, at time.Time) {
	open := juniperMonth(at, s.loc, 11)
	for _, p := range a.purchases {
		if juniperMonth(p.at, s.loc, 11) < open {
			p.granted = true
		}
	}
	row := s.worth(a) - a.posted
	a.posted += row
	kind := Earned
	if row < 0 {
		kind = Reversed
	}
	a.post(at, kind, row, "", "", fmt.Sprintf("Statement of %s", at.In(s.loc).Format("January 2006")))
}

// worth is what the statements that have been booked are worth by what is known now.
func (s *juniperTidemark) worth(a *juniperAccount) int64 {
	all, dining := map[int]int64{}, map[int]int64{}
	for _, p := range a.purchases {
		if !p.granted {
			continue
		}
		c := juniperMonth(p.at, s.loc, 11)
		all[c] += p.net
		if p.category == "DINING" {
			dining[c] += p.net
		}
	}
	var sum int64
	for _, n := range all {
		sum += n / juniperTidemarkStep * juniperTidemarkBase
	}
	for _, n := range dining {
		sum += n / juniperTidemarkStep * juniperTidemarkDining
	}
	for _, r := range a.nameless() {
		steps := juniperUp(r.amount, juniperTidemarkStep) + r.pieces - 1
		sum -= steps * (juniperTidemarkBase + juniperTidemarkDining)
	}
	return max(0, sum)
}

// changed books nothing: all waits for the 25th.
func (s *juniperTidemark) changed(*juniperAccount, time.Time, *juniperReturn) {}

// sure is what the booked statements are worth now, not when they were booked.
func (s *juniperTidemark) sure(a *juniperAccount, _ time.Time) int64 {
	return s.worth(a) + a.extras - a.used
}
