package audit

import (
	"recoup/internal/audit/judge"
)

// handling counts refunds by outcome.
type handling [int(judge.Never) + 1]int64

// told counts the refunds that tell something: something was at stake, and there
// was time to take it.
func (h *handling) told() int64 {
	return h.taken() + h[judge.Never]
}

// taken counts those that took something back.
func (h *handling) taken() int64 {
	return h[judge.Netted] + h[judge.AtOnce] + h[judge.WithinCycle] + h[judge.AtClose] + h[judge.Late] + h[judge.Partly]
}

// public is what became of the reward of such refunds, as a report has it.
func (r *refundSums) public() Handling {
	h := &r.Outcomes
	return Handling{
		Stake: r.Stake, Untaken: r.Untaken,
		Netted: h[judge.Netted], AtOnce: h[judge.AtOnce], WithinCycle: h[judge.WithinCycle], AtClose: h[judge.AtClose],
		Late: h[judge.Late], Partly: h[judge.Partly], Never: h[judge.Never], TooEarly: h[judge.TooEarly],
	}
}

// refundKind is what the class of a program may depend on in a refund.
type refundKind struct {
	place judge.Place
	// linked: it names its purchase. whole: it is of all of it. over: it exceeds what was
	// left of it.
	linked, whole, over, chargeback bool
	// covered: the balance was enough for the clawback, and the purchase's reward not
	// redeemed, or there was none to be made yet. Where it is not, the debt matters as well as
	// the refund.
	covered bool
}

func kindOf(c *judge.RefundCase) refundKind {
	return refundKind{
		place: c.Place, linked: c.Linked, whole: c.Amount >= c.Bought, over: c.Over, chargeback: c.Chargeback,
		covered: c.Granted == 0 || c.Balance >= c.Expected && !c.Spent,
	}
}

// refundKinds is how many kinds there are.
const refundKinds = 3 * 2 * 2 * 2 * 2 * 2

// index numbers the kinds from zero.
func (k refundKind) index() int {
	i := int(k.place)
	for _, is := range [...]bool{k.linked, k.whole, k.over, k.chargeback, k.covered} {
		i = i*2 + int(oneIf(is))
	}
	return i
}

// kindAt is the kind with that index.
func kindAt(i int) refundKind {
	is := func(bit int) bool { return i>>bit&1 == 1 }
	return refundKind{place: judge.Place(i >> 5), linked: is(4), whole: is(3), over: is(2), chargeback: is(1), covered: is(0)}
}

// refundSums are the refunds of one kind.
type refundSums struct {
	Outcomes handling `json:"outcomes"`
	// Floored are those that took less than their share and just what the balance was.
	Floored int64 `json:"floored,omitzero"`
	// Untaken is what those that took nothing or too little should have taken more, and
	// Never what of it is of those that took nothing.
	Untaken int64 `json:"untaken,omitzero"`
	Never   int64 `json:"never_taken,omitzero"`
	// Stake is what all of them should have taken of the grants as they were seen; Owed what
	// the published terms take for them, and Owing counts those that they take something for.
	Stake    int64           `json:"stake,omitzero"`
	Owed     int64           `json:"owed,omitzero"`
	Owing    int64           `json:"owing,omitzero"`
	Examples []judge.Example `json:"examples,omitempty"`
}

// refundCounts are refunds and chargebacks by what became of the reward.
type refundCounts struct {
	Kinds [refundKinds]refundSums `json:"kinds"`
	// Waited counts by days those in a later cycle that were taken back later than at
	// once and before the next close.
	Waited map[int]int64 `json:"waited_days"`
	// Seen is a sample of them, to find out what the untaken ones have in common.
	Seen sample `json:"sample"`
}

// addRefund counts one refund.
func (s *sums) addRefund(a *judge.Account, i int) {
	c := &a.Refunds[i]
	r := &s.Refunds
	k := &r.Kinds[kindOf(c).index()]
	k.Outcomes[c.Outcome]++
	k.Floored += oneIf(c.Floored)
	s.add(&k.Owed, c.Owed)
	k.Owing += oneIf(c.Owed > 0)
	if c.Outcome != judge.NothingAtStake && c.Outcome != judge.TooEarly {
		s.add(&k.Stake, c.Expected)
	}
	if c.Outcome == judge.WithinCycle && c.Place == judge.LaterCycle {
		r.Waited[daysBegun(c.RefundedAt, c.TakenAt)]++
	}
	if c.Outcome == judge.Never || c.Outcome == judge.Partly {
		missing := max(0, c.Expected-c.Taken)
		s.add(&k.Untaken, missing)
		if c.Outcome == judge.Never {
			s.add(&k.Never, missing)
		}
		if e := (judge.Example{Account: a.ID, Purchase: c.Purchase, Amount: missing}); len(k.Examples) < examples.most || missing >= k.Examples[len(k.Examples)-1].Amount {
			if a.Tell != nil {
				e = *a.Tell(i)
			}
			if examples.enters(k.Examples, &e) {
				k.Examples = examples.add(k.Examples, cloneExample(&e))
			}
		}
	}
	if o, tells := observe(a.ID, c); tells {
		r.Seen = r.Seen.offer(o)
	}
	s.addArrival(c)
}

func (s *sums) mergeRefunds(o *refundCounts) {
	r := &s.Refunds
	for i := range o.Kinds {
		k, part := &r.Kinds[i], &o.Kinds[i]
		for j, n := range part.Outcomes {
			k.Outcomes[j] += n
		}
		k.Floored += part.Floored
		s.add(&k.Untaken, part.Untaken)
		s.add(&k.Never, part.Never)
		s.add(&k.Stake, part.Stake)
		s.add(&k.Owed, part.Owed)
		k.Owing += part.Owing
		k.Examples = examples.merge(k.Examples, part.Examples)
	}
	for days, n := range o.Waited {
		r.Waited[days] += n
	}
	r.Seen = r.Seen.merge(o.Seen)
}

// of sums up the refunds of the kinds that are wanted.
func (r *refundCounts) of(wanted func(refundKind) bool) (sum refundSums) {
	for i := range r.Kinds {
		if !wanted(kindAt(i)) {
			continue
		}
		k := &r.Kinds[i]
		for j, n := range k.Outcomes {
			sum.Outcomes[j] += n
		}
		sum.Floored += k.Floored
		sum.Untaken += k.Untaken
		sum.Never += k.Never
		sum.Stake += k.Stake
		sum.Owed += k.Owed
		sum.Owing += k.Owing
		sum.Examples = examples.merge(sum.Examples, k.Examples)
	}
	return sum
}

// pools are the refunds that a treatment is told from, the plainest first: of the
// first pool that has enough of them. Where the balance could not cover the
// clawback, nothing taken may as well mean that debts are not kept; where only a
// part was returned, that parts are; and chargebacks and refunds that name no
// purchase may have a handling of their own.
var pools = []func(refundKind) bool{
	func(k refundKind) bool { return k.linked && k.covered && k.whole && !k.over && !k.chargeback },
	func(k refundKind) bool { return k.linked && k.covered && !k.over && !k.chargeback },
	func(k refundKind) bool { return k.linked && !k.over && !k.chargeback },
	func(k refundKind) bool { return k.covered && k.whole && !k.chargeback },
	func(refundKind) bool { return true },
}

// leastPart is the share, in per mille, of all refunds of a place that a pool must
// have to speak for them: where one in a hundred names its purchase, it is an odd one.
// leastLinked is the share that must name their purchase for the others not to count.
const (
	leastPart   = 50
	leastLinked = 500
)

// speaksFor reports whether there are enough of these refunds, for themselves and
// among the others.
func (h *handling) speaksFor(all *handling, leastPermille int64) bool {
	return h.told() >= leastCould && 1000*h.told() >= leastPermille*all.told()
}

// pool returns the refunds of a place that its treatment is told from.
func (r *refundCounts) pool(place judge.Place) (p refundSums) {
	all := r.of(func(k refundKind) bool { return k.place == place })
	for _, in := range pools {
		p = r.of(func(k refundKind) bool { return k.place == place && in(k) })
		if p.Outcomes.speaksFor(&all.Outcomes, leastPart) {
			break
		}
	}
	return p
}

// linkedOrAll returns those of the refunds that name their purchase or, where these
// are too few, all of them.
func (r *refundCounts) linkedOrAll(wanted func(refundKind) bool) refundSums {
	all, linked := r.of(wanted), r.of(func(k refundKind) bool { return k.linked && wanted(k) })
	if linked.Outcomes.speaksFor(&all.Outcomes, leastLinked) {
		return linked
	}
	return all
}

// treatment is what a program does about the refunds that fall in one place.
type treatment uint8

const (
	// untold: there were too few refunds to tell.
	untold treatment = iota
	// adjusts: refunds take the reward back.
	adjusts
	// mixed: many do, and more than mistakes explain do not.
	mixed
	// ignores: most refunds take nothing.
	ignores
)

// treatment tells what the program does about the refunds of a place. Those of which the
// rows tell something have to speak for what the terms take there. Where they do not, as
// where a program grants for a period in one sum, the money does: if nothing is left that
// is no guess, they take the reward back. So they do where the terms fit and next to nothing
// is left in all, whatever single rows look like.
func (j *judgement) treatment(place judge.Place) treatment {
	all := j.Refunds.of(func(k refundKind) bool { return k.place == place })
	if atLeast(all.Stake, 10*leastPart, all.Owed) && j.places[place].Outcomes.told() >= leastCould {
		is := j.places[place].Outcomes.treatment()
		if is > adjusts && j.owed > 0 && !j.unfit && !atLeast(j.certain, leastLeft, j.owed) {
			return adjusts // it was taken in rows that are not read as its own
		}
		return is
	}
	if all.Owing < leastCould || j.leaksLeft() {
		return untold
	}
	return adjusts
}

// treatment tells what the program does about such refunds. A majority decides
// between adjusting and ignoring, since a few odd rows are in every export; what
// is short of one, and still more than mistakes explain, is neither.
func (h *handling) treatment() treatment {
	never, told := h[judge.Never], h.told()
	switch {
	case told < leastCould:
		return untold
	case 2*never > told:
		return ignores
	case standing(never, told) == Found:
		return mixed
	}
	return adjusts
}
