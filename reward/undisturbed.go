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

// fewer is a purchase of which less is left to claims.
type fewer struct {
	on   *transaction
	less int64 // what is left no more
	own  int64 // of the money that may move there, what leaves the claims with it
}

// undisturbed reports whether it can be seen that claims, which lie as allocation says, stay
// where they lie if less is left of some purchases. It may be true where this returns false.
func (a *Account) undisturbed(claims []*claim, list []fewer) bool {
	switch {
	case a.unsure || a.byTerms(claims):
		return false
	case len(claims) == 0 || len(list) == 0:
		return true
	case !a.newest.everOfOneWorth():
		return false
	}
	for _, x := range list {
		if x.on.soft() != x.own {
			return false
		}
		left := x.on.room() - x.less
		for _, c := range claims {
			if left > 0 && a.mayTake(c, x.on) && c.mayNeed(left) {
				return false
			}
		}
	}
	return true
}

// wouldFirm reports whether it can be seen that all other unlinked money stays where it lies
// if a refund becomes firm.
func (a *Account) wouldFirm(r *refund) bool {
	others := slices.DeleteFunc(a.claims(), func(c *claim) bool { return c.refund == r })
	var list []fewer
	for _, p := range r.places {
		i := slices.IndexFunc(list, func(x fewer) bool { return x.on == p.on })
		if i < 0 {
			i = len(list)
			list = append(list, fewer{on: p.on})
		}
		list[i].less += p.amount
		list[i].own += p.amount
	}
	return a.undisturbed(others, list)
}

// wouldStay is the same if these are the claims, and less is left of some purchases that
// nothing lies on.
func (a *Account) wouldStay(claims []*claim, less []placement) bool {
	if !slices.EqualFunc(claims, a.claims(), func(x, y *claim) bool { return *x == *y }) {
		return false
	}
	list := make([]fewer, len(less))
	for i, p := range less {
		list[i] = fewer{on: p.on, less: p.amount}
	}
	return a.undisturbed(claims, list)
}

// mayTake reports whether a claim may have looked at a purchase on which it does not lie.
func (a *Account) mayTake(c *claim, t *transaction) bool {
	return t.settledAt >= c.from && t.settledAt < c.to && a.passOf(c, t) <= a.lastPass(c)
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

// lastPass is the last pass in which a claim had to look: if all of it has found a place,
// the one in which it found the last of them. Where an excess lies is not known apart.
func (a *Account) lastPass(c *claim) (last pass) {
	switch {
	case c.excess():
		return sameMerchant
	case c.lying() < c.need:
		return anywhere
	}
	for _, p := range c.refund.places {
		last = max(last, a.passOf(c, p.on))
	}
	return last
}

// lying is what of a refund's claim has found a place.
func (c *claim) lying() (sum int64) {
	for _, p := range c.refund.places {
		sum += p.amount
	}
	return sum
}

// mayNeed reports whether a claim may have looked for a purchase with just so much left.
func (c *claim) mayNeed(left int64) bool {
	if !c.excess() && (c.lying() == 0 || c.refund.places[0].amount == c.need) {
		return left == c.need // it has never needed less
	}
	return left <= c.need
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
