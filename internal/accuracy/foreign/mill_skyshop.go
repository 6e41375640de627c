package foreign

var millSkyshopDesign = Design{
	Name:   "mill-skyshop",
	Source: "after airlines' shops that pay in miles (Royal Air Maroc's Safar Flyer and its partners), from memory",
	Published: "For every full MAD 10 of a purchase 25 miles in category TRAVEL and 5 miles in all others, at once. A mile is worth " +
		"MAD 0.05 in the shop. Miles of what is returned are taken back, below zero if need be.",
	How: "Each purchase opens a lot of dirhams with its rate. A return, though it names its purchase (and is cut at what is left " +
		"of it), closes dirhams of the oldest lots that are open, and takes the miles of these: first bought, first returned, as the " +
		"shop does with its stock. The row names the return.",
	Class: "other",
	Leak: "A return takes miles at the rate of the oldest lot and not of what came back. Who once bought groceries for MAD 1,000 " +
		"(500 miles), buys a bag as TRAVEL for MAD 1,000 (2,500 miles) and returns it, loses 500: 2,500 miles are left on MAD 1,000 of groceries that " +
		"earn 500, which is 2,000 miles, MAD 100, too many. Neither a missing nor a late handler, and debts stand.",
	Currency: "MAD",
	New:      func() Engine { return millNew(millSkyshop{}) },
}

// millSkyshop takes returns out of the oldest lots. In limit it has what returns could not
// find a lot for, which the next ones meet.
type millSkyshop struct{ millPlain }

// miles are those of what is open of a lot.
func (millSkyshop) miles(p *millPurchase) int64 {
	rate := int64(5)
	if p.category == "TRAVEL" {
		rate = 25
	}
	return rate * (p.lot / 1000)
}

func (s millSkyshop) bought(a *millAccount, p *millPurchase) {
	a.book(Earned, s.miles(p), p.id, "", "")
	for _, r := range p.back {
		if !r.freed { // else it has closed lots already
			a.book(Reversed, s.close(a, r.counted), p.id, r.id, "Returned before")
		}
	}
	if a.limit > 0 {
		x := a.limit
		a.limit = 0
		a.book(Reversed, s.close(a, x), "", "", "Returned before")
	}
}

func (s millSkyshop) returned(a *millAccount, r *millReturn) {
	a.book(Reversed, s.close(a, r.counted), "", r.id, "")
}

// close closes so much of the oldest lots and says what miles that moves.
func (s millSkyshop) close(a *millAccount, x int64) int64 {
	var moved int64
	for _, p := range a.bought {
		was, take := s.miles(p), min(x, p.lot)
		p.lot -= take
		x -= take
		moved += s.miles(p) - was
	}
	a.limit += x
	return moved
}
