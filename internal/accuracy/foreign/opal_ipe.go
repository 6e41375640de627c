package foreign

import "time"

var opalIpeDesign = Design{
	Name:   "opal-ipe",
	Source: "after the points of Brazilian cards with a status by spend (Livelo and Esfera partners), from memory of their public rules",
	Published: "2 points for every full R$5 of a purchase. Who has spent R$9,000 in a calendar quarter (São Paulo time) is Ouro for the next and gets 3. Points are credited when a purchase clears and can be used at once. " +
		"Points of purchases that are returned are taken back, in full and from later points if need be, and what is returned does not count for the status. A refund above the price counts as one of the price.",
	How: "A purchase writes its row when it clears. Refunds are collected until the statement closes, on the 10th; the close reckons everything anew, statuses included, and writes the difference as one row. " +
		"Debts stay on the account. Until the close neither balance nor redemption knows of the refunds that have come. Loose refunds count against the status of every quarter that they may be of, " +
		"and cost the best rate of what is left at their merchant.",
	Class: "V3(b)",
	Leak: "Points are there at once, what takes them back comes with the statement, and redemptions in between do not wait for it. Buy furniture for R$4,000 on the 12th (1,600 points), return it on the 15th, " +
		"redeem the 1,600 points on the 16th. On the 10th the account is at −1,600, and who does not use the card again keeps them.",
	Currency: "BRL",
	New:      opalNew(func() opalScheme { return &opalIpe{} }),
}

var opalSaoPaulo = opalZone("America/Sao_Paulo")

const (
	opalIpeDay  = 10
	opalIpeUnit = 500
	opalIpeOuro = 900000
)

// opalIpe has the sum of what is booked.
type opalIpe struct{ booked int64 }

// statuses tells which quarters are Ouro: those after one in which enough is left of what
// was spent, even if loose refunds from its beginning on were all of it.
func (s *opalIpe) statuses(a *opalAccount, at time.Time) map[int]bool {
	spend := map[int]int64{}
	for _, b := range a.buys {
		spend[opalQuarter(b.at, opalSaoPaulo)] += b.net()
	}
	loose := a.loose(at)
	ouro := map[int]bool{}
	for quarter, sum := range spend {
		for _, r := range loose {
			if opalQuarter(r.at.Add(opalAhead), opalSaoPaulo) >= quarter {
				sum -= r.amount
			}
		}
		ouro[quarter+1] = sum >= opalIpeOuro
	}
	return ouro
}

// rate is points for a full unit.
func (s *opalIpe) rate(ouro map[int]bool) func(*opalBuy) int64 {
	return func(b *opalBuy) int64 {
		if ouro[opalQuarter(b.at, opalSaoPaulo)] {
			return 3
		}
		return 2
	}
}

func (s *opalIpe) changed(a *opalAccount, at time.Time, buy *opalBuy, _ *opalBack) {
	if buy == nil {
		return
	}
	points := buy.net() / opalIpeUnit * s.rate(s.statuses(a, at))(buy)
	a.post(Posting{At: at, Kind: Earned, Amount: points, Transaction: buy.id})
	s.booked += points
}

func (s *opalIpe) due(_ *opalAccount, after time.Time) time.Time {
	return opalNextClose(after, opalIpeDay, opalSaoPaulo)
}

// tick books what the statement's refunds, and purchases that came late, have changed.
func (s *opalIpe) tick(a *opalAccount, at time.Time) {
	rate, points := s.rate(s.statuses(a, at)), make([]int64, len(a.buys))
	var sum int64
	for i, b := range a.buys {
		points[i] = b.net() / opalIpeUnit * rate(b)
		sum += points[i]
	}
	cost := func(amount, rate int64) int64 { return opalCeil(amount, opalIpeUnit) * rate }
	sum -= a.deduct(at, points, rate, 3, cost)
	if sum < s.booked {
		a.post(Posting{At: at, Kind: Reversed, Amount: sum - s.booked, Note: "estornos da fatura"})
	} else {
		a.post(Posting{At: at, Kind: Adjusted, Amount: sum - s.booked, Note: "acertos da fatura"})
	}
	s.booked = sum
}

func (s *opalIpe) redeemable(a *opalAccount, _ time.Time) int64 { return max(0, a.balance()) }
