package foreign

// outsideApothecary is a drugstore's card.
var outsideApothecary = Design{
	Name: "outside-apothecary",
	Source: "drugstore and pharmacy cards with points from a least basket and more for a large one (in the manner of dm, Boots and Life Pharmacy), from memory. " +
		"The figures, and what is wrong with them, are mine.",
	Currency: "EUR",
	Class:    "other",
	Published: "Baskets of €20.00 or more earn 3%, those of €50.00 or more another 2%, each down to the cent, in any category. Granted on payment in a line each, redeemable at once. " +
		"If you bring something back, at any time, you keep what the rest of the basket would have earned.",
	How: "A return is put through what works out the points of a basket, as if it were one, and what comes out is taken back, from a debt too. So a return of less than €20.00 takes nothing back, and one of less than €50.00 takes 3%, " +
		"whatever the basket earned and whether the rest of it is still large enough. Whole baskets go back right.",
	Leak: "Buy for €60.00: €3.00. Bring back three things of €19.00, one after the other: nothing is taken back, and €3.00 are kept on €3.00.",
	New:  func() Engine { return newOutsideDesk(apothecary{}, 0) },
}

type apothecary struct{}

// points are those of a basket, in its two lines.
func (apothecary) points(basket int64) (base, more int64) {
	if basket >= 2000 {
		base = basket * 3 / 100
	}
	if basket >= 5000 {
		more = basket * 2 / 100
	}
	return base, more
}

func (p apothecary) sold(a *outsideAccount, s *outsideSale) {
	base, more := p.points(s.kept)
	a.level([]outsideLine{{s.id, s.id, "points", base}, {s.id + " large", s.id, "large basket", more}}, "")
	a.stands["kept "+s.id] = s.kept
	p.takeBack(a, "") // what waited for this purchase and was put to another
}

func (p apothecary) came(a *outsideAccount, r *outsideReturn) { p.takeBack(a, r.id) }

func (p apothecary) takeBack(a *outsideAccount, refund string) {
	for _, s := range a.sales {
		gone := a.stands["kept "+s.id] - s.kept
		a.stands["kept "+s.id] = s.kept
		base, more := a.stands[s.id], a.stands[s.id+" large"]
		if gone > 0 {
			b, m := p.points(gone)
			base, more = base-min(base, b), more-min(more, m)
		} else if gone < 0 { // a return was put to another purchase
			b, m := p.points(s.kept)
			base, more = max(base, b), max(more, m)
		}
		a.level([]outsideLine{{s.id, s.id, "points", base}, {s.id + " large", s.id, "large basket", more}}, refund)
	}
}

func (apothecary) due(*outsideAccount) {}

func (apothecary) open(a *outsideAccount) int64 { return a.balance }
