package reward_test

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// naiveAllocation says how much of each posted purchase is reversed, and where
// the unlinked refunds went.
type naiveAllocation struct {
	book     *naiveBook
	reversed map[*naiveTransaction]int64
	placed   map[*naiveRefund][]naivePlace
	spread   map[*naiveTransaction]int64 // by item, what lies there of its transaction's spread
	claims   []*naiveClaim               // with what they still need
}

// mostTries is how many runs there may be that prefer some target.
const mostTries = 16

// left is what of a posted purchase is not reversed.
func (a *naiveAllocation) left(t *naiveTransaction) int64 {
	return t.settlement.Amount - a.reversed[t]
}

// rest is what of an unlinked refund found no purchase.
func (a *naiveAllocation) rest(r *naiveRefund) int64 {
	rest := r.posting.Amount
	for _, p := range a.placed[r] {
		rest -= p.amount
	}
	return rest
}

func (a *naiveAllocation) clone() *naiveAllocation {
	c := &naiveAllocation{book: a.book, reversed: maps.Clone(a.reversed), placed: map[*naiveRefund][]naivePlace{}, spread: maps.Clone(a.spread)}
	for r, places := range a.placed {
		c.placed[r] = slices.Clone(places)
	}
	for _, claim := range a.claims {
		copied := *claim
		c.claims = append(c.claims, &copied)
	}
	return c
}

// allocate places all facts that count.
func (b *naiveBook) allocate() *naiveAllocation { return b.allocation(b.facts()) }

func (b *naiveBook) allocation(f naiveFacts) *naiveAllocation { return b.atHome(f).cheapest() }

// atHome is the allocation of what has a place of its own, the claims waiting.
func (b *naiveBook) atHome(f naiveFacts) *naiveAllocation {
	a := &naiveAllocation{book: b, reversed: map[*naiveTransaction]int64{}, placed: map[*naiveRefund][]naivePlace{}, spread: map[*naiveTransaction]int64{}}
	for _, t := range b.posted {
		switch {
		case len(t.items) > 0:
			a.reversed[t] = t.settlement.Amount // nothing of it itself is left
		case t.itemOf != nil:
			a.reversed[t] = f.ontoItem(t)
		default:
			a.reversed[t] = min(t.settlement.Amount, f.onto(t))
		}
	}
	for _, u := range f.unlinked {
		for _, i := range inPlaces(u.places) {
			p := u.places[i]
			part := min(p.amount, a.left(p.on))
			if w := p.on.itemOf; w != nil {
				part = min(part, a.roomBeside(w, &f))
			}
			a.put(u.refund, p.on, part)
		}
	}
	a.claims = b.claims(&f, a)
	return a
}

// put reverses part of a purchase; refund is nil where an excess does so.
func (a *naiveAllocation) put(refund *naiveRefund, on *naiveTransaction, part int64) {
	if part == 0 {
		return
	}
	a.reversed[on] += part
	if refund != nil {
		a.placed[refund] = append(a.placed[refund], naivePlace{on, part})
	}
}

// cheapest tries each target that binds first, for what is best for one may spoil
// another, and keeps what leaves the purchases worth least.
func (a *naiveAllocation) cheapest() *naiveAllocation {
	if len(a.claims) == 0 {
		return a
	}
	best := a.clone()
	best.run(nil)
	least := best.together()
	tries := 0
	for _, in := range a.bindingPots() {
		if !a.anyCandidateIn(in) {
			continue
		}
		if tries++; tries > mostTries {
			break
		}
		other := a.clone()
		other.run(&in)
		if worth := other.together(); worth.Cmp(least) < 0 {
			best, least = other, worth
		}
	}
	return best
}

// anyCandidateIn says whether some claim may be of some purchase of a target.
func (a *naiveAllocation) anyCandidateIn(in naivePot) bool {
	for _, g := range a.targets(nil) {
		if g.linear || g.single != nil || g.pot != in {
			continue
		}
		for _, c := range a.claims {
			for pass := 0; pass <= 4; pass++ {
				if len(a.candidates(c, pass, g.members)) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// candidates are those of some purchases that a claim may be of by a pass.
func (a *naiveAllocation) candidates(c *naiveClaim, pass int, among []*naiveTransaction) []*naiveTransaction {
	var list []*naiveTransaction
	for _, t := range among {
		if a.left(t) > 0 && c.suits(t, pass) && c.inWindow(t, a.book.terms().Refunds) {
			list = append(list, t)
		}
	}
	return list
}

// naiveTurn is a claim at the pass by which it looks for purchases.
type naiveTurn struct {
	claim *naiveClaim
	pass  int
}

// turns are the claims that find candidates by a pass, and those that will by a
// later one.
func (a *naiveAllocation) turns(pass int) (turn, later []naiveTurn) {
	for _, c := range a.claims {
		for p := pass; p <= 4 && c.needs > 0; p++ {
			if len(a.candidates(c, p, a.book.posted)) == 0 {
				continue
			}
			if p == pass {
				turn = append(turn, naiveTurn{c, p})
			} else {
				later = append(later, naiveTurn{c, p})
			}
			break
		}
	}
	return turn, later
}

// run places the claims where they take most, the first target before all, once in
// each pass.
func (a *naiveAllocation) run(first *naivePot) {
	for pass := 0; pass <= 4; pass++ {
		forced := first
		for {
			turn, later := a.turns(pass)
			if len(turn) == 0 {
				break
			}
			g, parts := a.dearest(first, forced, turn, later)
			if forced != nil && !g.linear && g.single == nil && g.pot == *forced {
				forced = nil
			}
			placed := false
			for _, p := range parts {
				if slices.ContainsFunc(turn, func(x naiveTurn) bool { return x.claim == p.claim }) {
					a.put(p.claim.refund, p.on, p.amount)
					a.putSpread(p.claim, p.on, p.amount)
					p.claim.needs -= p.amount
					placed = true
				}
			}
			if !placed {
				a.place(turn, g)
			}
		}
	}
}

// naivePart is a part of a claim on a purchase.
type naivePart struct {
	claim  *naiveClaim
	on     *naiveTransaction
	amount int64
}

// dearest is the target that the claims whose turn it is are placed on, and, if it is
// not linear, the parts that it is worth so much for.
func (a *naiveAllocation) dearest(apart, forced *naivePot, turn, later []naiveTurn) (best *naiveTarget, parts []naivePart) {
	var most *big.Rat
	for _, g := range a.targets(apart) {
		if !a.canTake(g, turn) {
			continue
		}
		worth, these := g.worth, []naivePart(nil)
		if !g.linear {
			worth, these = a.beginning(g, turn, later)
		}
		if forced != nil && !g.linear && g.single == nil && g.pot == *forced {
			return g, these
		}
		order := 1
		if best != nil {
			order = cmp.Or(worth.Cmp(most), -g.before(best))
		}
		if order > 0 {
			best, most, parts = g, worth, these
		}
	}
	return best, parts
}

// beginning is of what would be placed on a target the beginning that takes most for
// each unit, and how much that is; of equals the longest.
func (a *naiveAllocation) beginning(g *naiveTarget, turn, later []naiveTurn) (most *big.Rat, parts []naivePart) {
	trial := a.clone()
	var all []naiveTurn
	for _, x := range slices.Concat(turn, later) {
		all = append(all, naiveTurn{trial.claims[slices.Index(a.claims, x.claim)], x.pass})
	}
	placed := trial.place(all, g)
	for i := range placed {
		placed[i].claim = a.claims[slices.Index(trial.claims, placed[i].claim)]
	}
	step := a.clone()
	var sum int64
	var pots []naivePot
	var before *big.Rat // what these are worth as it is
	longest := 0
	for i, p := range placed {
		step.reversed[p.on] += p.amount
		sum += p.amount
		if of := a.touched(placed[:i+1]); before == nil || !slices.Equal(of, pots) {
			pots, before = of, a.worthOf(of, everyPurchase)
		}
		each := new(big.Rat).Sub(before, step.worthOf(pots, everyPurchase))
		if each.Quo(each, big.NewRat(sum, 1)); most == nil || each.Cmp(most) >= 0 {
			most, longest = each, i+1
		}
	}
	return most, placed[:longest]
}

// touched are the pots of which E may change with what is reversed of the purchases of some
// parts.
func (a *naiveAllocation) touched(parts []naivePart) (pots []naivePot) {
	if a.book.anyTier() { // of which a reversal may reach what is elsewhere
		pots = a.book.pots()
		parts = nil
	}
	for _, p := range parts {
		for _, s := range p.on.all() {
			if pot := s.pot(); p.on.counts && !slices.Contains(pots, pot) {
				pots = append(pots, pot)
			}
		}
	}
	return pots
}

// place lays each claim on those of a target's purchases that it may be of.
func (a *naiveAllocation) place(claims []naiveTurn, g *naiveTarget) (parts []naivePart) {
	for _, x := range claims {
		list := a.candidates(x.claim, x.pass, g.members)
		a.inOrder(list, x.claim.needs)
		for len(list) > 0 && x.claim.needs > 0 {
			a.prefer(list, x.claim.needs, g)
			t := list[0]
			list = list[1:]
			part := min(x.claim.needs, a.left(t))
			a.put(x.claim.refund, t, part)
			a.putSpread(x.claim, t, part)
			x.claim.needs -= part
			parts = append(parts, naivePart{x.claim, t, part})
		}
	}
	return parts
}

// inOrder has what a claim needs exactly first, then what covers it, then the rest.
func (a *naiveAllocation) inOrder(list []*naiveTransaction, needs int64) {
	fit := func(t *naiveTransaction) int {
		switch left := a.left(t); {
		case left == needs:
			return 2
		case left > needs:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(t, u *naiveTransaction) int {
		return -cmp.Or(
			cmp.Compare(fit(t), fit(u)),
			cmp.Compare(t.settlement.Time, u.settlement.Time),
			cmp.Compare(t.id, u.id),
		)
	})
}

// prefer orders what is left anew where the first purchases earn, or their number.
func (a *naiveAllocation) prefer(list []*naiveTransaction, needs int64, g *naiveTarget) {
	if g.linear || g.single != nil {
		return
	}
	entries := a.book.entries(g.pot, a.left, everyPurchase)
	switch s := entries[0].share; {
	case s.rule != nil && s.rule.Places > 0:
		a.inOrder(list, needs)
		takes := map[*naiveTransaction]*big.Rat{}
		for _, t := range list {
			one, part := a.clone(), min(needs, a.left(t))
			one.reversed[t] += part
			pots := a.touched([]naivePart{{on: t}})
			each := a.worthOf(pots, everyPurchase)
			each.Sub(each, one.worthOf(pots, everyPurchase))
			takes[t] = each.Quo(each, big.NewRat(part, 1))
		}
		slices.SortStableFunc(list, func(t, u *naiveTransaction) int { return takes[u].Cmp(takes[t]) })
	case s.tier != nil && !s.tier.Next:
		slices.SortFunc(list, func(t, u *naiveTransaction) int {
			return cmp.Compare(slices.Index(a.book.posted, t), slices.Index(a.book.posted, u))
		})
	case s.bonus != nil && (len(s.bonus.Purchases) > 0 || s.bonus.Every.Purchases > 0):
		a.inOrder(list, needs)
		slices.SortStableFunc(list, func(t, u *naiveTransaction) int { return cmp.Compare(a.left(t), a.left(u)) })
	}
}

func (a *naiveAllocation) canTake(g *naiveTarget, turn []naiveTurn) bool {
	for _, x := range turn {
		if len(a.candidates(x.claim, x.pass, g.members)) > 0 {
			return true
		}
	}
	return false
}
