package foreign

import (
	"fmt"
	"time"
)

func (s millPantry) bought(a *millAccount, p *millPurchase) {
	p.period = millMonth(p.at, millHelsinki)
	s.level(a)
}

func (s millPantry) returned(a *millAccount, _ *millReturn) { s.level(a) }

// level brings the rows of months that are over to what these are worth, and finds out
// what may be drawn.
func (s millPantry) level(a *millAccount) {
	open := millMonth(a.now, millHelsinki)
	for _, m := range s.months(a, open) {
		was, is := a.booked[m.number], m.worth()
		if m.number == open || was == is {
			continue
		}
		note := fmt.Sprintf("Bonus %d-%02d", m.number/12, m.number%12+1)
		if was > 0 {
			a.book(Reversed, -was, "", "", note+" struck out")
		}
		a.book(Earned, is, "", "", note)
		a.booked[m.number] = is
	}
	a.limit = 0
	for _, m := range s.months(a, open-1) {
		a.limit += m.worth()
	}
}

// next is a month's first instant, or the beginning of its 10th.
func (millPantry) next(t time.Time) time.Time {
	month := millMonth(t, millHelsinki)
	if tenth := millMonthStart(month, millHelsinki).AddDate(0, 0, 9); tenth.After(t) {
		return tenth
	}
	return millMonthStart(month+1, millHelsinki)
}

// due books the month that is over on the 1st, and pays on the 10th.
func (s millPantry) due(a *millAccount) {
	if a.now.In(millHelsinki).Day() == 1 {
		s.level(a)
		return
	}
	if pay := s.redeemable(a); pay > 0 {
		a.book(Paid, -pay, "", "", "Bonus paid out")
	}
}

// redeemable leaves out what unfinished months have to bear for returns of finished ones:
// their receipts may yet come back.
func (millPantry) redeemable(a *millAccount) int64 {
	return min(a.balance(), a.limit-a.drawn-a.paid)
}
