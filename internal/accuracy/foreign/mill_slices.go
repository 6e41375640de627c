package foreign

var millSlicesDesign = Design{
	Name:   "mill-slices",
	Source: "after buy-now-pay-later shops of the Gulf (Tabby, Tamara, Deema in Kuwait), from memory",
	Published: "6 % of orders of category FASHION, up to KWD 6 a calendar month (Kuwait), and 1.5 % of all other orders, as cash on your " +
		"wallet, at once. If an order is returned, wholly or in part, its cash is taken from the wallet.",
	How: "All orders are valued anew at each return, net and with the cap, and the difference is the claim; a row names the " +
		"order and the return. But the wallet is a wallet: it has no room below zero, and the row is of what it has.",
	Class: "V3(a)",
	Leak: "What the wallet lacks at the time of a return is never claimed again. A customer orders clothes for KWD 100, draws the " +
		"KWD 6, returns all: nothing is taken. The next order earns in full and can be drawn; KWD 6 stay.",
	Currency: "KWD",
	New:      func() Engine { return millNew(millSlices{}) },
}

// millSlices claims what a return takes, as far as the wallet has it. In limit it has
// what the orders were worth at the last event.
type millSlices struct{ millPlain }

var millKuwait = millZone("Asia/Kuwait")

const millSlicesCap = 6000 // fils a month

// rate is of a thousand.
func (millSlices) rate(p *millPurchase) int64 {
	if p.category == "FASHION" {
		return 60
	}
	return 15
}

func (s millSlices) worth(a *millAccount) int64 {
	fashion := map[int]int64{}
	var total int64
	for _, p := range a.bought {
		worth := s.rate(p) * p.left() / 1000
		if p.category == "FASHION" {
			month := millMonth(p.at, millKuwait)
			worth = min(worth, millSlicesCap-fashion[month])
			fashion[month] += worth
		}
		total += worth
	}
	for _, part := range millPlace(a, 1, s.rate, (*millPurchase).left) {
		total -= millUp(s.rate(part.of)*part.amount, 1000) / 1000
	}
	return max(0, total)
}

func (s millSlices) bought(a *millAccount, p *millPurchase) {
	s.move(a, Earned, p.id, "")
}

func (s millSlices) returned(a *millAccount, r *millReturn) {
	s.move(a, Reversed, r.names, r.id)
}

// move books by how much worth has changed, down to an empty wallet.
func (s millSlices) move(a *millAccount, kind Kind, transaction, refund string) {
	was := a.limit
	a.limit = s.worth(a)
	a.book(kind, max(a.limit-was, -a.balance()), transaction, refund, "")
}
