package foreign

import (
	"fmt"
	"time"
)

// saffronCoop is a consumers' co-operative: a dividend a quarter, restated whole.
var saffronCoop = Design{
	Name:   "saffron-coop",
	Source: "after the dividends of British retail co-operatives (members' rules, from memory)",
	Published: "Members earn 3p for each full £1 of a grocery purchase and 1p for each full £1 of any other. The dividend of a calendar quarter is credited " +
		"on the 15th of the month after it and can be withdrawn from then. Returns reduce the dividend of the quarter of the purchase, whenever they are made; " +
		"until the next 15th the amount is held. Returns that we cannot attribute count at 3p for each started £1.",
	How: "Nothing is booked per purchase. On the 15th of each month the quarters that are over are reckoned from what was kept; one that has changed has its " +
		"dividend reversed whole and credited anew, dated that day. Unattributed returns are a line of their own. Withdrawals go by what all known returns leave.",
	Class:    "robust",
	Currency: "GBP",
	New:      func() Engine { return saffronNew("Europe/London", saffronCoopScheme{}) },
}

type saffronCoopScheme struct{}

// pence is what is earned for a purchase.
func (saffronCoopScheme) pence(b *saffronBuy) int64 {
	if b.category == "GROCERY" {
		return b.left() / 100 * 3
	}
	return b.left() / 100
}

// loss bounds what a return that names nothing takes: every started pound, as grocery.
func (saffronCoopScheme) loss(a *saffronAccount) func(l *saffronLoose) int64 {
	return func(l *saffronLoose) int64 { return 3 * saffronUp(a.clamp(l.amount), 100) }
}

// quarters are the dividends that the purchases kept make, by quarter.
func (s saffronCoopScheme) quarters(a *saffronAccount) map[int]int64 {
	sums := map[int]int64{}
	for _, b := range a.buys {
		sums[b.quarter()] += s.pence(b)
	}
	return sums
}

// bought does nothing: the committee meets on the 15th.
func (saffronCoopScheme) bought(*saffronAccount, time.Time, *saffronBuy) {}

// returned does nothing either: sure holds the return back until the 15th.
func (saffronCoopScheme) returned(*saffronAccount, time.Time, *saffronBuy, string) {}

// day restates the quarters that are over.
func (s saffronCoopScheme) day(a *saffronAccount, at time.Time) {
	if at.Day() != 15 {
		return
	}
	sums := s.quarters(a)
	earned := int64(0)
	for _, q := range saffronOver(sums, a.monthOf(at)/3) {
		note := fmt.Sprintf("Dividend %d Q%d", q/4, q%4+1)
		if was := a.periods[q]; was != sums[q] {
			a.book(at, Reversed, -was, "", "", note+" withdrawn")
			a.book(at, Earned, sums[q], "", "", note)
		}
		a.periods[q] = sums[q]
		earned += sums[q]
	}
	for _, b := range a.buys {
		if _, credited := a.periods[b.quarter()]; credited {
			b.granted = s.pence(b)
		}
	}
	was, now := int64(0), int64(0)
	for _, l := range a.loose {
		was += l.charged
		l.charged = min(s.loss(a)(l), earned-now)
		now += l.charged
	}
	if was != now {
		a.book(at, Adjusted, was, "", "", "Unattributed returns, withdrawn")
		a.book(at, Adjusted, -now, "", "", "Unattributed returns")
	}
}

// sure is what the purchases in the dividends credited are worth by what is known now.
// What cleared since does not make up for what has come back since.
func (s saffronCoopScheme) sure(a *saffronAccount) int64 {
	sum := int64(0)
	for _, b := range a.buys {
		sum += min(b.granted, s.pence(b))
	}
	return max(0, sum-a.looseLoss(s.loss(a)))
}
