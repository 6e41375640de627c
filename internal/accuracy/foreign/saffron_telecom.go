package foreign

import (
	"fmt"
	"time"
)

// saffronTelecom is a carrier's bill credit, in six instalments.
var saffronTelecom = Design{
	Name:   "saffron-telecom",
	Source: "after the bill credits that mobile carriers give on purchases with their card (from memory)",
	Published: "6% on purchases online, 1% on all others, up to CHF 30 for the purchases of a calendar month, in six equal instalments, each 30 days after the other. " +
		"On the 5th whatever there is from CHF 10 up is taken off your bill; you can ask for it earlier. A return cancels the credit of what is returned, " +
		"also of instalments paid; room that it frees under the limit goes to the month's other purchases, with their next instalment or on the first.",
	How: "Each purchase has a share of the month's limit in the order of clearing, reckoned anew from what is kept. A return reverses all instalments of the purchase " +
		"and grants anew what remains. A return that names no purchase is charged at 6%, instalments or not, up to what has been granted.",
	Class:    "robust",
	Currency: "CHF",
	New:      func() Engine { return saffronNew("Europe/Zurich", saffronTelecomScheme{}) },
}

const (
	saffronTelecomLimit = 3000
	saffronTelecomBill  = 1000
)

type saffronTelecomScheme struct{}

func (saffronTelecomScheme) loss(a *saffronAccount) func(l *saffronLoose) int64 {
	return func(l *saffronLoose) int64 { return saffronUp(a.clamp(l.amount)*6, 100) }
}

// shares is the whole credit of each purchase, under the limit of its month.
func (saffronTelecomScheme) shares(a *saffronAccount) []int64 {
	used, shares := map[int]int64{}, make([]int64, len(a.buys))
	for i, b := range a.buys {
		rate := int64(1)
		if b.category == "ONLINE" {
			rate = 6
		}
		shares[i] = min(b.left()*rate/100, saffronTelecomLimit-used[b.month])
		used[b.month] += shares[i]
	}
	return shares
}

// due is how many instalments are due.
func (saffronTelecomScheme) due(b *saffronBuy, at time.Time) int64 {
	if at.Before(b.at) {
		return 0
	}
	return min(6, int64(at.Sub(b.at)/(30*24*time.Hour)))
}

// bought grants nothing yet, but may be what a nameless return was of.
func (s saffronTelecomScheme) bought(a *saffronAccount, now time.Time, _ *saffronBuy) {
	s.charge(a, now)
}

// returned reverses and grants anew what a return made too much. Nothing new is granted.
func (s saffronTelecomScheme) returned(a *saffronAccount, now time.Time, _ *saffronBuy, ref string) {
	shares := s.shares(a)
	for i, b := range a.buys {
		if keep := shares[i] * b.parts / 6; keep < b.granted {
			a.book(now, Reversed, -b.granted, b.id, ref, "Credit cancelled")
			a.book(now, Earned, keep, b.id, "", "Credit for what was kept")
			b.granted = keep
		}
	}
	s.charge(a, now)
}

func (s saffronTelecomScheme) charge(a *saffronAccount, at time.Time) {
	earned := int64(0)
	for _, b := range a.buys {
		earned += b.granted
	}
	a.chargeLoose(at, Reversed, earned, s.loss(a), "Return without purchase")
}

// day grants instalments, on the first also freed room, and on the 5th pays the bill.
func (s saffronTelecomScheme) day(a *saffronAccount, at time.Time) {
	shares, before := s.shares(a), at.AddDate(0, 0, -1)
	for i, b := range a.buys {
		k := s.due(b, at)
		if k == 0 || (at.Day() != 1 && k == s.due(b, before)) {
			continue
		}
		b.parts = k
		if more := shares[i]*k/6 - b.granted; more > 0 {
			a.book(at, Earned, more, b.id, "", fmt.Sprintf("Instalment %d of 6", k))
			b.granted += more
		}
	}
	if len(a.loose) > 0 {
		s.charge(a, at)
	}
	if spare := a.spare(s.sure(a)); at.Day() == 5 && spare >= saffronTelecomBill {
		a.payOut(at, spare, "Taken off the bill")
	}
}

// sure is what is granted: returns are booked at once.
func (s saffronTelecomScheme) sure(a *saffronAccount) int64 {
	sum := int64(0)
	for i, share := range s.shares(a) {
		sum += min(share, a.buys[i].granted)
	}
	return max(0, sum-a.looseLoss(s.loss(a)))
}
