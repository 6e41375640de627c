package foreign

import "time"

// saffronFuel is a filling-station card: a row a day, vouchers by themselves.
var saffronFuel = Design{
	Name:   "saffron-fuel",
	Source: "after the point cards of European filling-station chains (from memory)",
	Published: "3 points for each full €1 of a fuel purchase, 1 point for each full €1 of any other. Points are credited three days after the purchase and can be " +
		"used at once. Returned purchases lose their points. Points do not lapse: what is older than a year and unused becomes a voucher on the first of the month. " +
		"A return whose purchase is not known costs 3 points for each started €1.",
	How: "One row a day sums what the purchases of a day earned, without naming them. A return is an adjustment that names the return alone, made at once by what " +
		"is left of the purchase. On the first of a month what the purchases of more than a year ago still earn, less all that was ever used, is paid out.",
	Class:    "robust",
	Currency: "EUR",
	New:      func() Engine { return saffronNew("Europe/Madrid", saffronFuelScheme{}) },
}

type saffronFuelScheme struct{}

func (saffronFuelScheme) points(b *saffronBuy) int64 {
	if b.category == "FUEL" {
		return b.left() / 100 * 3
	}
	return b.left() / 100
}

func (saffronFuelScheme) loss(a *saffronAccount) func(l *saffronLoose) int64 {
	return func(l *saffronLoose) int64 { return 3 * saffronUp(a.clamp(l.amount), 100) }
}

// bought credits nothing yet, but may be what a nameless return was of.
func (s saffronFuelScheme) bought(a *saffronAccount, now time.Time, _ *saffronBuy) { s.charge(a, now) }

// returned adjusts a purchase whose points are credited already.
func (s saffronFuelScheme) returned(a *saffronAccount, now time.Time, b *saffronBuy, ref string) {
	if b != nil && b.done {
		keep := s.points(b)
		a.book(now, Adjusted, keep-b.granted, "", ref, "Return")
		b.granted = keep
	}
	s.charge(a, now)
}

// charge follows the unknown returns; more may be lost once more is credited.
func (s saffronFuelScheme) charge(a *saffronAccount, at time.Time) {
	earned := int64(0)
	for _, b := range a.buys {
		earned += b.granted
	}
	a.chargeLoose(at, Adjusted, earned, s.loss(a), "Return without receipt")
}

// day credits each day that is three days past in a row of its own; what cleared late
// comes with the row of its own day.
func (s saffronFuelScheme) day(a *saffronAccount, at time.Time) {
	var order []time.Time
	sums := map[time.Time]int64{}
	limit := at.AddDate(0, 0, -2) // midnight: the end of the day three days before
	for _, b := range a.buys {
		if b.done || !b.at.Before(limit) {
			continue
		}
		y, m, d := b.at.In(a.zone).Date()
		day := time.Date(y, m, d, 0, 0, 0, 0, a.zone)
		if _, ok := sums[day]; !ok {
			order = append(order, day)
		}
		b.done, b.granted = true, s.points(b)
		sums[day] += b.granted
	}
	for _, day := range order {
		a.book(at, Earned, sums[day], "", "", "Points of "+day.Format("2 January 2006"))
	}
	if len(a.loose) > 0 {
		s.charge(a, at)
	}
	if at.Day() == 1 {
		s.voucher(a, at)
	}
}

// voucher pays what is old and unused. What was used was the oldest.
func (s saffronFuelScheme) voucher(a *saffronAccount, at time.Time) {
	old, limit := int64(0), at.AddDate(-1, 0, 0)
	for _, b := range a.buys {
		if b.at.Before(limit) {
			old += b.granted
		}
	}
	old = max(0, old-a.looseLoss(s.loss(a))) - a.redeemed - a.paid
	a.payOut(at, min(old, a.spare(s.sure(a))), "Voucher for points of more than a year")
}

// sure is what is credited; returns are taken at once, so it is the books.
func (s saffronFuelScheme) sure(a *saffronAccount) int64 {
	sum := int64(0)
	for _, b := range a.buys {
		sum += min(b.granted, s.points(b))
	}
	return max(0, sum-a.looseLoss(s.loss(a)))
}
