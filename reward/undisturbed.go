package reward

import "slices"

// Most of what changes disturbs no unlinked money: a refund that stays for good where it
// lies, or one that is announced of a purchase on which none lies. To allocate anew takes
// all purchases of a window; to see that it would come to the same takes what the claims
// lie on, and what has changed.
//
// That can be seen where every purchase has a worth of its own. Then a claim looks at one
// pool at a time and takes, of what is left there, the latest purchase that it fits
// exactly, else the latest that covers it, else all from the latest on. Let less be left
// of a purchase on which it does not lie:
//
//   - Where it looked and took something else, that is still there, and still the latest
//     that covers it; and it took all of what it went through.
//   - So the one thing that may lead it elsewhere is a purchase of which now just so much
//     is left as it needs.
//
// Nor does the order of claims change, which is that of the passes, of worth within a
// pass, and of claims within a worth.
//
// Let more be left of it instead. It draws only a claim that comes to it no later than to
// what it took: in an earlier pass, at a higher worth, or by fitting it there.

// stirred is a purchase of which less or more is left to claims than was.
type stirred struct {
	on *transaction
	// most and least are what was left of it to claims that chose before, and after, those
	// that are gone; is what is left now.
	most, least, is int64
	// lay is what lay there that could move, own what of that was of claims that are gone.
	lay, own int64
}

// undisturbed reports whether it can be seen that claims, which lie as allocation says, stay
// where they lie if something else is left of some purchases. It may be true where this
// returns false.
func (a *Account) undisturbed(claims []*claim, list []stirred) bool {
	switch {
	case a.unsure || a.byTerms(claims):
		return false
	case len(claims) == 0 || len(list) == 0:
		return true
	case !a.newest.everOfOneWorth():
		return false
	}
	if slices.ContainsFunc(list, func(x stirred) bool { return x.lay != x.own }) {
		return false
	}
	for _, c := range claims {
		l := a.lain(c, claims)
		if slices.ContainsFunc(list, func(x stirred) bool { return a.mayTake(l, x.on) && a.draws(&x, l) }) {
			return false
		}
	}
	return true
}

// lain is a claim with where it lies.
type lain struct {
	*claim
	places []placement // nil: on nothing, or that is not known
	known  bool
	last   pass // the last in which it had to look
}

// lain finds where a claim lies. Of an excess that is not written down: it is what lies on
// purchases of its merchant and is of no refund, unless there is another excess there.
func (a *Account) lain(c *claim, claims []*claim) *lain {
	l := &lain{claim: c, known: true, last: anywhere}
	if c.excess() {
		l.last = sameMerchant
		l.known = !slices.ContainsFunc(claims, func(d *claim) bool { return d != c && d.excess() && d.merchant == c.merchant })
		if l.known {
			l.places = a.excessOn(c.merchant)
		}
	} else {
		l.places = c.refund.places
	}
	var sum int64
	last := sameBoth
	for _, p := range l.places {
		sum += p.amount
		last = max(last, a.passOf(c, p.on))
	}
	if sum == c.need { // it has not looked on
		l.last = last
	}
	return l
}

// excessOn is what lies on purchases of a merchant, may move, and is of no refund that has it
// lie there or had when the purchase was stirred.
func (a *Account) excessOn(merchant string) (list []placement) {
	for _, t := range a.soft {
		if t.merchant != merchant {
			continue
		}
		amount := t.soft()
		for _, r := range a.loose {
			for _, p := range r.places {
				if p.on == t {
					amount -= p.amount
				}
			}
		}
		if i := slices.IndexFunc(a.stirred, func(x stirred) bool { return x.on == t }); i >= 0 {
			amount -= a.stirred[i].own
		}
		if amount > 0 {
			list = append(list, placement{t, amount})
		}
	}
	return list
}

// only is the purchase on which all of the claim lies, nil if there is no such.
func (l *lain) only() *transaction {
	if len(l.places) != 1 || l.places[0].amount != l.need {
		return nil
	}
	return l.places[0].on
}

// draws reports whether a purchase of which something else is left may lead a claim away
// that may have looked at it.
func (a *Account) draws(x *stirred, l *lain) bool {
	on := l.only()
	switch {
	case x.is == 0:
		return false
	case x.is < x.most && l.mayNeed(x.is):
		return true
	case x.is <= x.least:
		return false
	case on == nil || a.passOf(l.claim, x.on) != a.passOf(l.claim, on):
		return true
	}
	worth, _ := x.on.worthAlone()
	other, _ := on.worthAlone()
	order := worth.cmp(other)
	return order > 0 || order == 0 && x.is >= l.need
}

// wouldFirm reports whether it can be seen that all other unlinked money stays where it lies
// if a refund becomes firm.
func (a *Account) wouldFirm(r *refund) bool {
	others := slices.DeleteFunc(a.claims(), func(c *claim) bool { return c.refund == r })
	var list []stirred
	for _, p := range r.places {
		i := slices.IndexFunc(list, func(x stirred) bool { return x.on == p.on })
		if i < 0 {
			i = len(list)
			list = append(list, nowOn(p.on))
		}
		list[i].leaves(p.amount)
	}
	for i := range list {
		list[i].is = list[i].least
	}
	return len(a.stirred) == 0 && a.undisturbed(others, list)
}

// wouldStay is the same if these are the claims, and less is left of some purchases that
// nothing lies on.
func (a *Account) wouldStay(claims []*claim, less []placement) bool {
	if !slices.EqualFunc(claims, a.claims(), func(x, y *claim) bool { return *x == *y }) {
		return false
	}
	list := make([]stirred, len(less))
	for i, p := range less {
		list[i] = nowOn(p.on)
		list[i].is -= p.amount
	}
	return len(a.stirred) == 0 && a.undisturbed(claims, list)
}

// stir notes what is left of a purchase before that changes, and how much of what lies
// there is leaving.
func (a *Account) stir(t *transaction, leaving int64) {
	i := slices.IndexFunc(a.stirred, func(x stirred) bool { return x.on == t })
	if i < 0 {
		i = len(a.stirred)
		a.stirred = append(a.stirred, nowOn(t))
	}
	a.stirred[i].leaves(leaving)
}

// nowOn is a purchase as it is now.
func nowOn(t *transaction) stirred {
	return stirred{on: t, most: t.room(), least: t.room(), is: t.room(), lay: t.soft()}
}

// leaves has so much of what lay there be of a claim that is gone.
func (x *stirred) leaves(amount int64) {
	x.least -= amount
	x.own += amount
}

// settles reports whether it can be seen that what was stirred moves nothing of the claims,
// and has what was leaving gone.
func (a *Account) settles(claims []*claim) bool {
	for i := range a.stirred {
		a.stirred[i].is = a.stirred[i].on.room()
	}
	if !a.undisturbed(claims, a.stirred) {
		return false
	}
	for _, x := range a.stirred {
		if x.lay > 0 {
			a.reverse(x.on, x.on.home, x.on.firmPlaced(), 0)
			a.soft = without(a.soft, x.on)
		}
	}
	return true
}

// mayTake reports whether a claim may have looked at a purchase on which it does not lie.
func (a *Account) mayTake(l *lain, t *transaction) bool {
	return t.settledAt >= l.from && t.settledAt < l.to && a.passOf(l.claim, t) <= l.last
}

// passOf is the first pass in which a claim looks at a purchase.
func (a *Account) passOf(c *claim, t *transaction) pass {
	merchant := c.merchant == t.merchant && (c.merchant != "" || c.excess())
	kind := c.kind == a.kindOf(t) && (c.kind != "" || c.excess())
	switch {
	case merchant && kind:
		return sameBoth
	case merchant:
		return sameMerchant
	case c.excess():
		return nowhere
	case kind:
		return sameKind
	}
	return anywhere
}

// mayNeed reports whether a claim may have looked for a purchase with just so much left: one
// that lies on one purchase, or on none, has never needed less than all.
func (l *lain) mayNeed(left int64) bool {
	if l.known && (l.places == nil || l.only() != nil) {
		return left == l.need
	}
	return left <= l.need
}

// everOfOneWorth reports whether under every version so far a granted purchase has a worth
// of its own, and none waits for its grant.
func (p *Program) everOfOneWorth() bool {
	for ; p != nil; p = p.Earlier {
		capped := slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Cap != NoCap })
		if !p.plain() || capped && (p.Method != Proportional || p.Timing.Grant != GrantAtSettlement) {
			return false
		}
	}
	return true
}
