package foreign

import "time"

var opalCrownDesign = Design{
	Name:   "opal-crown",
	Source: "after the yearly cashback of British charge and credit cards (American Express Platinum Cashback), from memory of its public rules",
	Published: "0.75% on the first £10,000 of a calendar year and 1.25% on what is spent beyond; 4% more in your first 90 days, up to £100. Cashback shows on each statement (the 5th, London time) " +
		"and is paid once a year, with the statement of 5 January; it cannot be asked for. Refunded purchases earn no cashback. A refund above the price counts as one of the price.",
	How: "Each close reckons all years anew from what is left of their purchases and writes the change as one row, which names neither purchases nor refunds. The close of January pays what stands and " +
		"seals the years before: refunds and chargebacks of their purchases that come later are filed with the year and change nothing. Within an open year, and for refunds that were there " +
		"before their purchase cleared, everything is set off. Loose refunds cost the best rate of what is left at their merchant.",
	Class: "V2",
	Leak: "The adjustment ends with the year, return windows do not. A member since March who has spent £10,000 from July on buys a sofa for £4,000 in December; £75 + £50 are paid on 5 January; the sofa goes back " +
		"on the 10th. The £50 stay, and nothing is owed.",
	Currency: "GBP",
	New:      opalNew(func() opalScheme { return &opalCrown{filed: map[*opalBuy]int64{}} }),
}

var opalLondon = opalZone("Europe/London")

const (
	opalCrownDay     = 5
	opalCrownStep    = 1000000
	opalCrownWelcome = 10000 // the most that the first 90 days bring
)

// opalCrown has what is booked, and what of purchases was returned after their year was
// sealed.
type opalCrown struct {
	booked int64
	sealed int // years before this one are
	filed  map[*opalBuy]int64
}

// rate is in ten thousandths, the most that a purchase can earn.
func (s *opalCrown) rate(a *opalAccount) func(*opalBuy) int64 {
	return func(b *opalBuy) int64 {
		if opalNewMember(a.opened, b.at, 90) {
			return 525
		}
		return 125
	}
}

// opalCrownSteps is what the spend of a year is worth, in ten thousandths of a penny.
func opalCrownSteps(spend int64) int64 {
	return 75*spend + 50*max(0, spend-opalCrownStep)
}

// changed only files: what is open is reckoned at the close.
func (s *opalCrown) changed(_ *opalAccount, _ time.Time, _ *opalBuy, back *opalBack) {
	if back == nil || back.buy == nil || back.early {
		return
	}
	if opalYear(back.buy.at, opalLondon) < s.sealed {
		s.filed[back.buy] += back.taken
	}
}

func (s *opalCrown) due(_ *opalAccount, after time.Time) time.Time {
	return opalNextClose(after, opalCrownDay, opalLondon)
}

// worth is what all years are worth, but for what came too late for them.
func (s *opalCrown) worth(a *opalAccount, at time.Time) int64 {
	spend, earned := map[int]int64{}, make([]int64, len(a.buys))
	var welcome, sum int64
	for i, b := range a.buys {
		year, left := opalYear(b.at, opalLondon), b.net()+s.filed[b]
		before := opalCrownSteps(spend[year])
		spend[year] += left
		earned[i] = (opalCrownSteps(spend[year]) - before) / 10000
		if opalNewMember(a.opened, b.at, 90) {
			more := min(left*4/100, opalCrownWelcome-welcome)
			welcome += more
			earned[i] += more
		}
		sum += earned[i]
	}
	return sum - a.deduct(at, earned, s.rate(a), 525, opalShare(10000))
}

func (s *opalCrown) tick(a *opalAccount, at time.Time) {
	worth, kind := s.worth(a, at), Earned
	if worth < s.booked {
		kind = Reversed
	}
	a.post(Posting{At: at, Kind: kind, Amount: worth - s.booked, Note: "cashback of this statement"})
	s.booked = worth
	if y, m, _ := at.In(opalLondon).Date(); m == time.January {
		if pay := a.balance(); pay > 0 {
			a.post(Posting{At: at, Kind: Paid, Amount: -pay, Note: "your yearly cashback"})
		}
		s.sealed = y
	}
}

// redeemable is nothing: cashback is paid, not asked for.
func (s *opalCrown) redeemable(*opalAccount, time.Time) int64 { return 0 }
