package ingest

import (
	"cmp"
	"slices"
	"unique"

	"recoup/internal/intake"
)

// Matching counts the rows of refunds that name no purchase by how theirs was found.
// A refund is matched with purchases of the same account, merchant, article and price
// (as far as the file says these) at or before its time, the newest first, and uses
// up what was bought: the quantity, or where there is none the amount. The newest
// purchase that covers it alone is preferred to several newer ones.
//
// A refund that only part of what is left could cover gives way to later ones that
// can be covered whole: it is placed last, on what they leave over.
type Matching struct {
	OnePurchase int
	// Choice counts those of OnePurchase that others would have covered as well.
	Choice                         int
	SeveralPurchases, InPart, None int
}

// what is what a refund and its purchase have in common.
type what struct {
	account, merchant, article unique.Handle[string]
	price                      int64
	byAmount                   bool // there are no quantities
}

func whatOf(l *intake.Line) what {
	return what{unique.Make(l.Account), unique.Make(l.Merchant), unique.Make(l.Article), l.Price, l.Quantity == 0}
}

// measure is how much of it a row is of.
func measure(l *intake.Line) int64 {
	switch {
	case l.Quantity < 0:
		return -l.Quantity
	case l.Quantity > 0:
		return l.Quantity
	}
	return l.Milli
}

// lot is a row of a purchase and how much of it has not come back.
type lot struct {
	purchase *purchase
	item     int // of the purchase, -1 for none
	all      int64
	left     int64
	milli    int64 // that all of it cost
}

// returned is a row of a refund.
type returned struct {
	what
	quantity int64
	milli    int64
}

func (b *books) addLot(l *intake.Line, p *purchase, item int) {
	of := whatOf(l)
	n := measure(l)
	b.lots[of] = append(b.lots[of], lot{p, item, n, n, l.Milli})
}

// match links what the file links to nothing.
func (b *books) match() {
	for _, lots := range b.lots {
		slices.SortStableFunc(lots, func(a, b lot) int { return cmp.Compare(a.purchase.at, b.purchase.at) })
	}
	type row struct {
		*giveback
		returned
	}
	var rows, inPart []row
	for _, g := range b.given {
		for _, r := range g.rows {
			rows = append(rows, row{g, r})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	counts := &b.report.Matching
	for _, r := range rows {
		lots := b.lotsBefore(r.giveback, r.what)
		one, choice := covering(lots, r.quantity)
		switch left := leftOf(lots); {
		case one != nil:
			if counts.OnePurchase++; choice {
				counts.Choice++
			}
			r.giveback.takeOf(one, r.quantity, &r.returned)
		case left >= r.quantity:
			counts.SeveralPurchases++
			r.takeNewest(lots, &r.returned)
		case left > 0:
			counts.InPart++
			inPart = append(inPart, r)
		default:
			counts.None++
		}
	}
	for _, r := range inPart {
		r.takeNewest(b.lotsBefore(r.giveback, r.what), &r.returned)
	}
}

// lotsBefore returns the lots that the refund may be of, the newest last.
func (b *books) lotsBefore(g *giveback, of what) []lot {
	lots := b.lots[of]
	n := len(lots)
	for n > 0 && lots[n-1].purchase.at > g.at {
		n--
	}
	return lots[:n]
}

// covering returns the newest lot that has so much left, and whether another
// purchase has one as well.
func covering(lots []lot, quantity int64) (one *lot, choice bool) {
	for i := len(lots) - 1; i >= 0; i-- {
		switch l := &lots[i]; {
		case l.left < quantity:
		case one == nil:
			one = l
		case l.purchase != one.purchase:
			return one, true
		}
	}
	return one, false
}

func leftOf(lots []lot) (sum int64) {
	for _, l := range lots {
		sum += l.left
	}
	return sum
}

// takeNewest takes what it can of the lots, up to the returned quantity.
func (g *giveback) takeNewest(lots []lot, r *returned) {
	rest := r.quantity
	for i := len(lots) - 1; i >= 0 && rest > 0; i-- {
		if part := min(rest, lots[i].left); part > 0 {
			g.takeOf(&lots[i], part, r)
			rest -= part
		}
	}
}

// takeOf takes a part of a refund's row out of a lot.
func (g *giveback) takeOf(l *lot, part int64, r *returned) {
	l.left -= part
	g.take(l.purchase, share(r.milli, part, r.quantity), l.item)
}

// link is what of a refund belongs to a purchase.
type link struct {
	purchase *purchase
	milli    int64
	items    map[int]int64 // of the purchase: thousandths of minor units
	other    bool          // some of it is of no item that is known
}

// take gives a part of the refund to a purchase, and to an item of it, -1 for none.
func (g *giveback) take(p *purchase, milli int64, item int) {
	i := slices.IndexFunc(g.links, func(l link) bool { return l.purchase == p })
	if i < 0 {
		i = len(g.links)
		g.links = append(g.links, link{purchase: p, items: map[int]int64{}})
	}
	l := &g.links[i]
	l.milli += milli
	if item < 0 {
		l.other = true
		return
	}
	l.items[item] += milli
}
