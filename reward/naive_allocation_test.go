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
	claims   []*naiveClaim // with what they still need
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
	c := &naiveAllocation{book: a.book, reversed: maps.Clone(a.reversed), placed: map[*naiveRefund][]naivePlace{}}
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
	a := &naiveAllocation{book: b, reversed: map[*naiveTransaction]int64{}, placed: map[*naiveRefund][]naivePlace{}}
	for _, t := range b.posted {
		a.reversed[t] = min(t.settlement.Amount, f.onto(t))
	}
	for _, u := range f.unlinked {
		for _, p := range u.places {
			a.put(u.refund, p.on, min(p.amount, a.left(p.on)))
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

// cheapest tries each binding target first, for what is best for one may spoil
// another, and keeps what leaves the purchases worth least.
func (a *naiveAllocation) cheapest() *naiveAllocation {
	if len(a.claims) == 0 {
		return a
	}
	best := a.clone()
	best.run(nil)
	least := best.together()
	tries := 0
	for _, in := range a.bindingBuckets() {
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
func (a *naiveAllocation) anyCandidateIn(in naiveBucket) bool {
	for _, g := range a.targets(nil) {
		if g.linear || g.bucket != in {
			continue
		}
		for _, c := range a.claims {
			for pass := 1; pass <= 4; pass++ {
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

// run places the claims where they take most, the first target before all.
func (a *naiveAllocation) run(first *naiveBucket) {
	for pass := 1; pass <= 4; pass++ {
		for {
			turn, later := a.turns(pass)
			if len(turn) == 0 {
				break
			}
			a.place(turn, a.dearest(first, turn, later).members)
		}
	}
}

// dearest is the target that the claims whose turn it is are placed on.
func (a *naiveAllocation) dearest(first *naiveBucket, turn, later []naiveTurn) *naiveTarget {
	var best *naiveTarget
	var most *big.Rat
	for _, g := range a.targets(first) {
		if !a.canTake(g, turn) {
			continue
		}
		if first != nil && !g.linear && g.bucket == *first {
			return g
		}
		worth := g.worth
		if !g.linear {
			worth = a.takes(g.bucket, a.wouldPut(g, turn, later))
		}
		if best == nil || a.prefers(g, worth, best, most) {
			best, most = g, worth
		}
	}
	return best
}

func (a *naiveAllocation) prefers(g *naiveTarget, worth *big.Rat, to *naiveTarget, most *big.Rat) bool {
	if order := worth.Cmp(most); order != 0 {
		return order > 0
	}
	if g.linear || to.linear {
		return g.linear
	}
	return a.bucketOrder(g.bucket, to.bucket) < 0
}

func (a *naiveAllocation) canTake(g *naiveTarget, turn []naiveTurn) bool {
	for _, x := range turn {
		if len(a.candidates(x.claim, x.pass, g.members)) > 0 {
			return true
		}
	}
	return false
}

// wouldPut is how much of the claims a target would take if they came first to
// it, those of later passes after the others.
func (a *naiveAllocation) wouldPut(g *naiveTarget, turn, later []naiveTurn) int64 {
	trial := a.clone()
	var all []naiveTurn
	for _, x := range slices.Concat(turn, later) {
		all = append(all, naiveTurn{trial.claims[slices.Index(a.claims, x.claim)], x.pass})
	}
	trial.place(all, g.members)
	var sum int64
	for _, t := range g.members {
		sum += a.left(t) - trial.left(t)
	}
	return sum
}

// place lays each claim on those of a target's purchases that it may be of.
func (a *naiveAllocation) place(claims []naiveTurn, on []*naiveTransaction) {
	for _, x := range claims {
		list := a.candidates(x.claim, x.pass, on)
		fit := func(t *naiveTransaction) int {
			switch left := a.left(t); {
			case left == x.claim.needs:
				return 2
			case left > x.claim.needs:
				return 1
			}
			return 0
		}
		slices.SortFunc(list, func(t, u *naiveTransaction) int {
			return -cmp.Or(
				cmp.Compare(fit(t), fit(u)),
				cmp.Compare(t.settlement.Time, u.settlement.Time),
				cmp.Compare(t.id, u.id),
			)
		})
		for _, t := range list {
			part := min(x.claim.needs, a.left(t))
			a.put(x.claim.refund, t, part)
			x.claim.needs -= part
		}
	}
}
