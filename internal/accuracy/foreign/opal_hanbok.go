package foreign

import "time"

var opalHanbokDesign = Design{
	Name:   "opal-hanbok",
	Source: "after Korean cards with weekend cashback under a monthly limit, where acquirers send a partial cancellation as a cancellation and a new approval, from memory of their public rules",
	Published: "3% on DINING, GROCERY and ONLINE on Saturdays and Sundays (Seoul time), up to ₩30,000 in a calendar month; 0.5% on everything else. Cashback is credited when a purchase clears and can be redeemed at once. " +
		"If all or part of a purchase is cancelled, that counts as not bought, and its cashback is taken back, from later cashback if need be. A refund above the price counts as one of the price.",
	How: "A cancellation in full reverses the purchase's row. One in part is handled as the acquirer used to send it: the purchase's row is reversed, and what is left of it is granted anew, as of the moment of the " +
		"cancellation. Rows name the purchase and the refund. Debts stay. Loose refunds cost the best rate of what is left at their merchant, and move nothing.",
	Class: "other",
	Leak: "What is left is granted by the day of the cancellation, not by that of the purchase. Buy groceries for ₩800,000 on a Wednesday: ₩4,000. Return an item of ₩10,000 on Saturday: the ₩4,000 are reversed, " +
		"and ₩790,000 are granted at 3%, ₩23,700, where ₩3,950 are promised.",
	Currency: "KRW",
	New: opalNew(func() opalScheme {
		return &opalHanbok{as: map[*opalBuy]time.Time{}, given: map[*opalBuy]int64{}}
	}),
}

var opalSeoul = opalZone("Asia/Seoul")

const opalHanbokCap = 30000

// opalHanbok has what is granted by purchase, and as of when, where not as of its own time.
type opalHanbok struct {
	as    map[*opalBuy]time.Time
	given map[*opalBuy]int64
	taken int64
}

// time is that by which a purchase is rated.
func (s *opalHanbok) time(b *opalBuy) time.Time {
	if t, ok := s.as[b]; ok {
		return t
	}
	return b.at
}

// rate is in thousandths.
func (s *opalHanbok) rate(b *opalBuy) int64 {
	switch b.category {
	case "DINING", "GROCERY", "ONLINE":
		if day := s.time(b).In(opalSeoul).Weekday(); day == time.Saturday || day == time.Sunday {
			return 30
		}
	}
	return 5
}

func (s *opalHanbok) earned(a *opalAccount) []int64 {
	used, out := map[int]int64{}, make([]int64, len(a.buys))
	for i, b := range a.buys {
		rate := s.rate(b)
		out[i] = b.net() * rate / 1000
		if rate == 30 {
			month := opalMonth(s.time(b), opalSeoul)
			out[i] = min(out[i], opalHanbokCap-used[month])
			used[month] += out[i]
		}
	}
	return out
}

// changed books anew what is worth something else now. A refund that was there before its
// purchase has nothing to cancel: the purchase clears with what is left.
func (s *opalHanbok) changed(a *opalAccount, at time.Time, _ *opalBuy, back *opalBack) {
	var refund string
	if back != nil {
		refund = back.id
		if back.buy != nil && back.taken > 0 && !back.early {
			s.as[back.buy] = back.at
		}
	}
	earned := s.earned(a)
	for i, b := range a.buys {
		if earned[i] == s.given[b] {
			continue
		}
		a.post(Posting{At: at, Kind: Reversed, Amount: -s.given[b], Transaction: b.id, Refund: refund})
		a.post(Posting{At: at, Kind: Earned, Amount: earned[i], Transaction: b.id, Refund: refund})
		s.given[b] = earned[i]
	}
	a.level(at, &s.taken, a.deduct(at, earned, s.rate, 30, opalShare(1000)), "refunds without a purchase")
}

func (s *opalHanbok) due(a *opalAccount, after time.Time) time.Time { return a.parkEnds(after) }

func (s *opalHanbok) tick(a *opalAccount, at time.Time) { s.changed(a, at, nil, nil) }

func (s *opalHanbok) redeemable(a *opalAccount, _ time.Time) int64 { return max(0, a.balance()) }
