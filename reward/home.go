package reward

import (
	"cmp"
	"slices"
)

// Facts that name a purchase sit there, at home. Behind them come the places of
// firm refunds, as far as they fit.

// firmPlace is money of a firm refund that belongs on a transaction; placed is
// what of it the transaction's own facts leave room for.
type firmPlace struct {
	of             *refund
	amount, placed int64
}

// rehome adds to the facts at home on a posted transaction, of which so much is
// of facts that name an amount, and lets firm places and movable money give way.
func (a *Account) rehome(t *transaction, facts, named int64) {
	t = t.whole()
	l := t.link()
	a.stir(t, 0)
	exceeded := t.excess() > 0
	l.named += named
	l.span = span{}
	home := t.home + facts
	if t.is(split) {
		t.home = home
		a.shareOut(t)
		a.listExcess(t)
		a.unsure, a.doubtful = true, true
		return
	}
	fits := t.fitFirm(home)
	var firm int64
	for i := range l.firm {
		p := &l.firm[i]
		if fits[i] != p.placed {
			p.of.shortfall += p.placed - fits[i]
			p.placed = fits[i]
			a.reclaim(p.of)
			a.unsure = true
		}
		firm += fits[i]
	}
	a.reverse(t, home, firm, min(t.soft(), t.amount-min(t.amount, home)-firm))
	a.listExcess(t)
	a.unsure = a.unsure || exceeded || t.excess() > 0
	a.doubtful = true
}

// fitFirm is what each firm place on a transaction has room for beside so much at
// home.
func (t *transaction) fitFirm(home int64) []int64 {
	room := t.amount - min(t.amount, home)
	fits := make([]int64, len(t.links.firm))
	for i, p := range t.links.firm {
		fits[i] = min(p.amount, room)
		room -= fits[i]
	}
	return fits
}

// listExcess keeps a transaction on the list of those that facts exceed, at its
// place in the order of claims, while they do.
func (a *Account) listExcess(t *transaction) {
	a.over = without(a.over, t)
	if t.excess() == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(a.over, t, a.byNamed)
	a.over = slices.Insert(a.over, at, t)
}

// byNamed orders transactions by the latest fact that names each, then by id.
func (a *Account) byNamed(s, t *transaction) int {
	x, y := a.named(s), a.named(t)
	return cmp.Or(cmp.Compare(x.last, y.last), cmp.Compare(x.lastID, y.lastID), cmp.Compare(s.id, t.id))
}

// reverse sets how much of a posted transaction its own facts, firm places and
// movable money reverse, and keeps every aggregate of it in step.
func (a *Account) reverse(t *transaction, home, firm, soft int64) {
	was, softWas, roomWas := t.reversed(), t.soft(), t.room()
	if home == t.home && firm == t.firmPlaced() && soft == softWas {
		return
	}
	a.hand(t)
	t.home, t.placed = home, firm+soft
	if t.links != nil {
		t.links.firmPlaced = firm
	}
	a.altered(t, was, softWas, roomWas)
}

// altered keeps every aggregate of a posted transaction in step, of which so much was
// reversed, could move away, and was open to unlinked money.
func (a *Account) altered(t *transaction, was, softWas, roomWas int64) {
	more := t.reversed() - was
	if b := t.bucket; b != nil {
		b.net -= more
		b.soft += t.soft() - softWas
		if !t.is(granted) {
			b.ungranted += t.room() - roomWas
		}
		a.handBucket(b)
	}
	if a.field != nil {
		a.field.update(t)
	}
	if more == 0 {
		return
	}
	if t.layered() {
		a.alterLayers(t, t.net()+more)
	}
	a.spend -= more
	a.rehold(t)
	a.touch(t)
}

// without removes one element, keeping the order of the rest.
func without[T comparable](list []T, gone T) []T {
	if i := slices.Index(list, gone); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
