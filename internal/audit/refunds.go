package audit

import (
	"recoup/internal/audit/judge"
)

// of is the count of an outcome; nil of those that were too small to have one.
func (h *Handling) of(o judge.Outcome) *int64 {
	return [...]*int64{
		judge.NothingAtStake: nil, judge.TooEarly: &h.TooEarly, judge.Netted: &h.Netted, judge.AtOnce: &h.AtOnce, judge.WithinCycle: &h.WithinCycle,
		judge.AtClose: &h.AtClose, judge.Late: &h.Late, judge.Partly: &h.Partly, judge.Never: &h.Never,
	}[o]
}

// told counts the refunds that tell something: something was at stake, and there
// was time to take it.
func (h *Handling) told() int64 { return h.taken() + h.Never }

// taken counts those that took something back.
func (h *Handling) taken() int64 {
	return h.Netted + h.AtOnce + h.WithinCycle + h.AtClose + h.Late + h.Partly
}

// refundKind is what the class of a program may depend on in a refund: some of these, and
// its place.
type refundKind uint8

const (
	// linked: it names its purchase. whole: it is of all of it. over: it exceeds what was
	// left of it.
	linked refundKind = 1 << iota
	whole
	over
	chargeback
	// covered: the balance was enough for the clawback, and the purchase's reward not redeemed, or
	// there was none to be made yet. Where it is not, the debt matters as well as the refund.
	covered

	placeAt     = iota
	refundKinds = 3 << placeAt
)

func kindOf(c *judge.RefundCase) refundKind {
	k := refundKind(c.Place) << placeAt
	for i, is := range [...]bool{c.Linked, c.Amount >= c.Bought, c.Over, c.Chargeback, c.Granted == 0 || c.Balance >= c.Expected && !c.Spent} {
		if is {
			k |= 1 << i
		}
	}
	return k
}

func (k refundKind) place() judge.Place { return judge.Place(k >> placeAt) }

// is reports whether it is all of that.
func (k refundKind) is(all refundKind) bool { return k&all == all }

// refundSums are the refunds of one kind.
type refundSums struct {
	Handling `json:",inline"`
	// Floored are those that took less than their share and just what the balance was.
	Floored int64 `json:"floored,omitzero"`
	// NeverTaken is what of Untaken is of those that took nothing.
	NeverTaken int64 `json:"never_taken,omitzero"`
	// Owed is what the published terms take for them, and Owing counts those that they take
	// something for.
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
	Seen []observation `json:"sample"`
}

// addRefund counts one refund.
func (s *sums) addRefund(a *judge.Account, i int) {
	c := &a.Refunds[i]
	r := &s.Refunds
	k := &r.Kinds[kindOf(c)]
	if n := k.of(c.Outcome); n != nil {
		*n++
	}
	k.Floored += oneIf(c.Floored)
	s.add(&k.Owed, c.Owed)
	k.Owing += oneIf(c.Owed > 0)
	if c.Outcome != judge.NothingAtStake && c.Outcome != judge.TooEarly {
		s.add(&k.Stake, c.Expected)
		if r.Seen = append(r.Seen, observe(a.ID, c)); len(r.Seen) >= 2*sample.most { // it is cut only now and then
			r.Seen = sample.merge(r.Seen, nil)
		}
	}
	if c.Outcome == judge.WithinCycle && c.Place == judge.LaterCycle {
		r.Waited[daysBegun(c.RefundedAt, c.TakenAt)]++
	}
	if c.Outcome == judge.Never || c.Outcome == judge.Partly {
		missing := max(0, c.Expected-c.Taken)
		s.add(&k.Untaken, missing)
		if c.Outcome == judge.Never {
			s.add(&k.NeverTaken, missing)
		}
		examples.keep(&k.Examples, judge.Example{Account: a.ID, Purchase: c.Purchase, Amount: missing}, func(e *judge.Example) {
			if a.Tell != nil {
				*e = *a.Tell(i)
			}
		})
	}
	s.addArrival(c)
}

// of sums up the refunds of the kinds that are wanted.
func (r *refundCounts) of(wanted func(refundKind) bool) (sum refundSums) {
	for i := range r.Kinds {
		if wanted(refundKind(i)) {
			merge(new(sums), &sum, &r.Kinds[i])
		}
	}
	return sum
}

// pool is the refunds that are all of the one, and nothing of the other.
type pool struct{ is, isNot refundKind }

// plainest are the pools that a treatment is told from: of the first one that has enough
// refunds. Where the balance could not cover the clawback, nothing taken may as well mean that
// debts are not kept; where only a part was returned, that parts are; and chargebacks and
// refunds that name no purchase may have a handling of their own. naming are those that what is
// shown of a place is told from.
var (
	plainest = []pool{
		{linked | covered | whole, over | chargeback}, {linked | covered, over | chargeback}, {linked, over | chargeback},
		{covered | whole, chargeback}, {},
	}
	naming = []pool{{is: linked}, {}}
)

// leastPart is the share, in per mille, of all refunds of a place that a pool must
// have to speak for them: where one in a hundred names its purchase, it is an odd one.
// leastLinked is the share that must name their purchase for the others not to count.
const (
	leastPart   = 50
	leastLinked = 500
)

// first sums up the first of the pools of the wanted refunds that has enough of them, for
// themselves and among the others.
func (r *refundCounts) first(pools []pool, leastPermille int64, wanted func(refundKind) bool) (sum refundSums) {
	all := r.of(wanted)
	for _, p := range pools {
		sum = r.of(func(k refundKind) bool { return wanted(k) && k.is(p.is) && k&p.isNot == 0 })
		if sum.told() >= leastCould && 1000*sum.told() >= leastPermille*all.told() {
			break
		}
	}
	return sum
}

// named sums up those of the refunds that name their purchase or, where these are too few,
// all of them.
func (r *refundCounts) named(wanted func(refundKind) bool) refundSums {
	return r.first(naming, leastLinked, wanted)
}

func in(place judge.Place) func(refundKind) bool {
	return func(k refundKind) bool { return k.place() == place }
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
	if j.lavish { // the money says nothing
		return j.places[place].Handling.treatment()
	}
	all := j.Refunds.of(in(place))
	if atLeast(all.Stake, 10*leastPart, all.Owed) && j.places[place].told() >= leastCould {
		is := j.places[place].Handling.treatment()
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
func (h *Handling) treatment() treatment {
	never, told := h.Never, h.told()
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
