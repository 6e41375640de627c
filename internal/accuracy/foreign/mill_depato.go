package foreign

var millDepatoDesign = Design{
	Name:   "mill-depato",
	Source: "after the house cards of Japanese department stores (Takashimaya, Isetan Mitsukoshi), from memory",
	Published: "For every full 100 yen of a purchase 3 points, 5 if you bought for 50,000 yen or more in the calendar year before " +
		"(Tokyo), 8 from 150,000. One point is one yen, at once. Returns take their points back, and lower the spending that your " +
		"rank was given for: points above the rank are then taken back too. A return without a slip takes points at your dearest rank " +
		"and lowers the rank spending of each year in which its purchase may have been.",
	How: "Worth is reckoned anew from net purchases at each event. A purchase's row names it; a return's row names the return " +
		"and no purchase; what the event moves elsewhere, since a rank was won or lost, is one row without a name. Returns without " +
		"a slip count twice on purpose: in full against every year's rank that they may touch, and laid on the dearest purchases.",
	Class:    "robust",
	Currency: "JPY",
	New:      func() Engine { return millNew(millDepato{}) },
}

// millDepato pays by a rank that last year's net purchases give.
type millDepato struct{ millPlain }

var millTokyo = millZone("Asia/Tokyo")

func (millDepato) year(p *millPurchase) int { return p.at.In(millTokyo).Year() }

// rates are the points of 100 yen in each year after one with purchases.
func (s millDepato) rates(a *millAccount) func(*millPurchase) int64 {
	spent := map[int]int64{}
	for _, p := range a.bought {
		spent[s.year(p)] += p.left()
	}
	for year := range spent {
		for _, r := range a.loose {
			if r.at.Add(millGrace).In(millTokyo).Year() >= year {
				spent[year] -= r.amount
			}
		}
	}
	return func(p *millPurchase) int64 {
		switch before := spent[s.year(p)-1]; {
		case before >= 150000:
			return 8
		case before >= 50000:
			return 5
		}
		return 3
	}
}

// level books what an event has moved: of the purchase that it is about, under the names
// given, and of all others.
func (s millDepato) level(a *millAccount, about *millPurchase, kind Kind, transaction, refund string) {
	rate := s.rates(a)
	hundreds := func(p *millPurchase) int64 { return millDown(p.left(), 100) }
	var total, own int64
	for _, p := range a.bought {
		worth := rate(p) * hundreds(p) / 100
		if p == about {
			own = worth - p.worth
		}
		total += worth
		p.worth = worth
	}
	for _, part := range millPlace(a, 100, rate, hundreds) {
		total -= rate(part.of) * part.amount / 100
	}
	moved := total - a.total
	if about == nil {
		own = moved
	}
	a.book(kind, own, transaction, refund, "")
	a.book(Adjusted, moved-own, "", "", "Rank revised")
}

func (s millDepato) bought(a *millAccount, p *millPurchase) {
	s.level(a, p, Earned, p.id, "")
}

func (s millDepato) returned(a *millAccount, r *millReturn) {
	s.level(a, r.of, Reversed, "", r.id)
}
