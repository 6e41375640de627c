package foreign

var millRideDesign = Design{
	Name:   "mill-ride",
	Source: "after ride hailing and food delivery in Accra (Bolt, Yango and their wallets), from memory",
	Published: "GHS 0.50 for every full GHS 10 of a trip or order, up to GHS 10 each, on your wallet at once. If a fare is corrected or " +
		"an order refunded, the reward is that of what you paid in the end; the wallet may fall below zero.",
	How: "A refund strikes the trip's reward out and grants it anew, a row each. What the trip is granted anew for is its price less its " +
		"refunds, but each refund is first put into the unit of the program, full GHS 10, as prices are.",
	Class: "other",
	Leak: "A refund of less than GHS 10 takes nothing, and of GHS 19 as much as of 10, however many there are: floors of refunds do not " +
		"add up. An order of ten dishes at GHS 9.50 each, GHS 95, earns GHS 4.50; the dishes are refunded one by one as missing, and " +
		"GHS 4.50 stay on nothing. The handler runs for each, at any time, and debts stand.",
	Currency: "GHS",
	New:      func() Engine { return millNew(millRide{}) },
}

// millRide grants by full units, and counts refunds by full units.
type millRide struct{ millPlain }

const (
	millRideUnit = 1000 // pesewas
	millRideMost = 1000 // of reward for one trip
)

// tens is what counts of a trip.
func (millRide) tens(p *millPurchase) int64 {
	left := p.amount
	for _, r := range p.back {
		left -= millDown(r.counted, millRideUnit)
	}
	return millDown(left, millRideUnit)
}

func (s millRide) worth(p *millPurchase) int64 { return min(millRideMost, s.tens(p)/20) }

func (s millRide) bought(a *millAccount, p *millPurchase) {
	p.worth = s.worth(p)
	a.book(Earned, p.worth, p.id, "", "")
	s.unnamed(a, "")
}

func (s millRide) returned(a *millAccount, r *millReturn) {
	if p := r.of; p != nil && s.worth(p) != p.worth {
		a.book(Reversed, -p.worth, p.id, r.id, "Struck out")
		p.worth = s.worth(p)
		a.book(Earned, p.worth, p.id, "", "Fare corrected")
	}
	s.unnamed(a, r.id)
}

// unnamed brings what is taken for refunds without a trip to the reward of as many full
// units, no more than the trips have that each may be of. That no trip loses more for a
// refund of its own makes this the most that they can be worth.
func (s millRide) unnamed(a *millAccount, refund string) {
	var worth, taken int64
	for _, r := range a.loose {
		var room int64
		for _, p := range a.bought {
			if !p.at.After(r.at.Add(millGrace)) {
				room += p.worth
			}
		}
		taken += min(max(0, room-taken), millDown(r.amount, millRideUnit)/20)
	}
	for _, p := range a.bought {
		worth += p.worth
	}
	kind, move := Adjusted, worth-taken-a.total
	if move < 0 {
		kind = Reversed
	}
	a.book(kind, move, "", refund, "Refunds without a trip")
}
