package reward

import (
	"cmp"
	"slices"
)

// What becomes of unlinked refunds: they look for spend, move when a later fact
// needs their place, and become firm.

// claim puts an unlinked refund on the list of those that look for spend.
func (a *Account) claim(r *refund) {
	a.handRefund(r)
	a.loosen(r)
	a.setRest(r, r.amount)
	a.unsure, a.doubtful = true, true
}

// loosen has a refund among those whose money looks for spend.
func (a *Account) loosen(r *refund) {
	if at, found := slices.BinarySearchFunc(a.loose, r, byTime); !found {
		a.loose = slices.Insert(a.loose, at, r)
	}
}

// unclaim takes an unlinked refund off that list, and off the places where it is
// firm.
func (a *Account) unclaim(r *refund) {
	a.handRefund(r)
	a.loose = without(a.loose, r)
	for _, p := range r.places {
		a.stir(p.on, p.amount)
	}
	// All of them first: the items of a purchase share what is at home anew, and would have
	// what still lies on the others give way.
	for _, p := range r.firmPlaces {
		l := p.on.links
		a.stir(p.on, 0)
		i := slices.IndexFunc(l.firm, func(f firmPlace) bool { return f.of == r })
		l.firm = slices.Delete(l.firm, i, i+1)
		a.hand(p.on)
	}
	for _, p := range r.firmPlaces {
		a.rehome(p.on, 0, 0)
	}
	r.places, r.firmPlaces, r.shortfall, r.firmRest = nil, nil, 0, 0
	a.setRest(r, 0)
	a.doubtful = true
}

// makeFirm fixes where an unlinked refund lies now. Only linked facts move it
// from there, and only for as long as they must.
func (a *Account) makeFirm(r *refund) {
	a.unsure = !a.wouldFirm(r)
	a.handRefund(r)
	a.loose = without(a.loose, r)
	r.firm, r.firmRest = true, r.rest
	r.firmPlaces, r.places = r.places, nil
	for _, p := range r.firmPlaces {
		l := p.on.link()
		f := firmPlace{of: r, amount: p.amount, placed: p.amount}
		at, _ := slices.BinarySearchFunc(l.firm, f, func(x, y firmPlace) int { return byTime(x.of, y.of) })
		l.firm = slices.Insert(l.firm, at, f)
		a.hand(p.on)
		a.reverse(p.on, p.on.home, l.firmPlaced+p.amount, p.on.soft()-p.amount)
	}
	a.soft = slices.DeleteFunc(a.soft, func(t *transaction) bool { return t.soft() == 0 })
	a.doubtful = true
}

// reclaim keeps a firm refund among those that look for spend while some of it
// has had to give way.
func (a *Account) reclaim(r *refund) {
	a.handRefund(r)
	if r.shortfall > 0 {
		a.loosen(r)
	} else {
		a.loose = without(a.loose, r)
		r.places = nil
	}
	a.setRest(r, r.firmRest+r.shortfall)
}

func (a *Account) setRest(r *refund, rest int64) {
	a.rest += rest - r.rest
	r.rest = rest
}

// byTime orders refunds by event time, then id.
func byTime(r, o *refund) int {
	return cmp.Or(cmp.Compare(r.at, o.at), cmp.Compare(r.id, o.id))
}

// moving reports whether there is money that allocation may move.
func (a *Account) moving() bool { return len(a.loose)+len(a.over)+len(a.soft)+len(a.spreads) > 0 }

// allocate places the money that may move, if anything changed that can matter.
// Of more unlinked refunds, or spreads, than may move at a time, the first become firm.
func (a *Account) allocate() {
	a.placeAll()
	for a.movable() > a.program.Refunds.movable() {
		i := slices.IndexFunc(a.loose, func(r *refund) bool { return !r.firm })
		a.makeFirm(a.loose[i])
		a.placeAll()
	}
	for len(a.spreads) > a.program.Refunds.movable() {
		a.keep(a.spreads[0])
		a.allocateOnce(a.claims())
		a.unsure, a.stirred = false, a.stirred[:0]
	}
}

// placeAll is the same, however many may move.
func (a *Account) placeAll() {
	if !a.unsure && len(a.stirred) == 0 {
		return
	}
	if a.moving() {
		if claims := a.claims(); !a.settles(claims) {
			a.allocateOnce(claims)
		}
	}
	a.unsure, a.stirred = false, a.stirred[:0]
}

// movable counts the unlinked refunds that are not firm.
func (a *Account) movable() (n int) {
	for _, r := range a.loose {
		if !r.firm {
			n++
		}
	}
	return n
}

// allocateOnce has the field ready and puts the money of claims where allocation says.
func (a *Account) allocateOnce(claims []*claim) {
	a.lay(a.place(claims, nil), claims)
}

// place says where the money of claims lies if so much less is left of some purchases.
func (a *Account) place(claims []*claim, less []placement) [][]placement {
	if a.byTerms(claims) {
		a.field = nil
		return a.placeByTerms(claims, less)
	}
	return allocate(a.fieldFor(claims), claims, less)
}

// byTerms reports whether the field cannot tell what claims take: where terms are not
// plain, and where some may only be of items of one purchase.
func (a *Account) byTerms(claims []*claim) bool {
	return a.newest.everLayered() || slices.ContainsFunc(claims, func(c *claim) bool { return c.within != nil })
}

// fieldFor returns the field with every purchase that a claim may be of.
func (a *Account) fieldFor(claims []*claim) *field {
	if a.field == nil {
		a.field = newField()
	}
	for _, c := range claims {
		a.gather(c.from)
	}
	return a.field
}

// lay puts the money of claims where it was placed.
func (a *Account) lay(placed [][]placement, claims []*claim) {
	soft := make(map[*transaction]int64)
	for i, c := range claims {
		rest := c.need
		for _, p := range placed[i] {
			soft[p.on] += p.amount
			rest -= p.amount
		}
		if r := c.refund; r != nil {
			a.handRefund(r)
			r.places = placed[i]
			a.setRest(r, r.firmRest+rest)
		}
		if t := c.within; t != nil {
			a.hand(t)
			t.more.parcel.places = placed[i]
		}
	}
	before := a.soft
	a.soft = make([]*transaction, 0, len(soft))
	for _, t := range before {
		if _, still := soft[t]; !still {
			a.reverse(t, t.home, t.firmPlaced(), 0)
		}
	}
	for t := range soft {
		a.soft = append(a.soft, t)
	}
	slices.SortFunc(a.soft, byOrder)
	for _, t := range a.soft {
		a.reverse(t, t.home, t.firmPlaced(), soft[t])
	}
}
