package foreign

import "time"

var opalDinarDesign = Design{
	Name:   "opal-dinar",
	Source: "after cashback cards of Gulf banks, with a rate for eating out and travelling under a monthly cap, from memory of their public rules",
	Published: "5% on DINING and TRAVEL, together up to KD 20 of cashback in a calendar month (Kuwait time), 0.5% on everything else without a limit. Cashback is credited when a purchase clears and can be redeemed at once. " +
		"What is returned counts as not bought: its cashback is taken back at once. A refund above the price counts as one of the price.",
	How: "Every fact reckons the purchases anew; rows name the purchase and, where something is taken back, the refund. The column of the balance is unsigned: of what is to be taken back only so much is booked as " +
		"there is, the rest is dropped, and the purchase is marked as adjusted in full. The same goes for loose refunds, which cost the best rate of what is left at their merchant.",
	Class: "V3(a)",
	Leak: "A debt is never booked. Buy a flight for KD 400, get KD 20, redeem KD 20 at once, return the flight: KD 20 are to be taken back, there is nothing, and nothing is owed. " +
		"The next dinner of KD 100 brings KD 5 that can be redeemed.",
	Currency: "KWD",
	New:      opalNew(func() opalScheme { return &opalDinar{given: map[*opalBuy]int64{}} }),
}

var opalKuwait = opalZone("Asia/Kuwait")

const opalDinarCap = 20000

// opalDinar has what each purchase is adjusted to; for loose refunds what they should have
// cost and what they did.
type opalDinar struct {
	given       map[*opalBuy]int64
	taken, cost int64
}

// rate is in thousandths.
func (s *opalDinar) rate(b *opalBuy) int64 {
	if b.category == "DINING" || b.category == "TRAVEL" {
		return 50
	}
	return 5
}

func (s *opalDinar) earned(a *opalAccount) []int64 {
	used, out := map[int]int64{}, make([]int64, len(a.buys))
	for i, b := range a.buys {
		out[i] = b.net() * s.rate(b) / 1000
		if s.rate(b) == 50 {
			month := opalMonth(b.at, opalKuwait)
			out[i] = min(out[i], opalDinarCap-used[month])
			used[month] += out[i]
		}
	}
	return out
}

// takeable is what of a debt the balance can bear.
func (s *opalDinar) takeable(a *opalAccount, debt int64) int64 {
	return min(debt, max(0, a.balance()))
}

// changed first books what rises, so that room under the cap which a refund frees is set
// off against what the refund takes.
func (s *opalDinar) changed(a *opalAccount, at time.Time, _ *opalBuy, back *opalBack) {
	var refund string
	if back != nil {
		refund = back.id
	}
	earned := s.earned(a)
	for i, b := range a.buys {
		if earned[i] > s.given[b] {
			a.post(Posting{At: at, Kind: Earned, Amount: earned[i] - s.given[b], Transaction: b.id})
			s.given[b] = earned[i]
		}
	}
	for i, b := range a.buys {
		if earned[i] < s.given[b] {
			take := s.takeable(a, s.given[b]-earned[i])
			a.post(Posting{At: at, Kind: Reversed, Amount: -take, Transaction: b.id, Refund: refund})
			s.given[b] = earned[i]
		}
	}
	s.levelLoose(a, at, a.deduct(at, earned, s.rate, 50, opalShare(1000)), refund)
}

// levelLoose gives back no more than loose refunds really cost.
func (s *opalDinar) levelLoose(a *opalAccount, at time.Time, cost int64, refund string) {
	if cost > s.cost {
		take := s.takeable(a, cost-s.cost)
		a.post(Posting{At: at, Kind: Reversed, Amount: -take, Refund: refund, Note: "refund without a purchase"})
		s.taken += take
	} else {
		back := min(s.cost-cost, s.taken)
		a.post(Posting{At: at, Kind: Adjusted, Amount: back, Note: "refund found its purchase"})
		s.taken -= back
	}
	s.cost = cost
}

func (s *opalDinar) due(a *opalAccount, after time.Time) time.Time { return a.parkEnds(after) }

func (s *opalDinar) tick(a *opalAccount, at time.Time) { s.changed(a, at, nil, nil) }

func (s *opalDinar) redeemable(a *opalAccount, _ time.Time) int64 { return max(0, a.balance()) }
