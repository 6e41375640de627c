package audit

import (
	"recoup/internal/audit/judge"
	"recoup/reward"
)

const outcomes = int(judge.Never) + 1

// refundKind is what the class of a program may depend on in a refund.
type refundKind struct {
	place judge.Place
	// linked: it names its purchase.
	linked bool
	// covered: the balance was enough for the clawback, or there was none to be
	// made yet. Where it is not, the debt matters as well as the refund.
	covered bool
	// whole: it took all of the reward that the purchase had earned.
	whole      bool
	chargeback bool
}

func kindOf(c *judge.RefundCase) refundKind {
	return refundKind{
		place: c.Place, linked: c.Linked, chargeback: c.Chargeback,
		covered: c.Granted == 0 || c.Balance >= c.Expected,
		whole:   c.Expected >= c.Granted,
	}
}

// index numbers the kinds from zero.
func (k refundKind) index() int {
	i := int(k.place)
	for _, is := range [...]bool{k.linked, k.covered, k.whole, k.chargeback} {
		i = i*2 + int(oneIf(is))
	}
	return i
}

// refundKinds is how many kinds there are.
const refundKinds = 3 * 2 * 2 * 2 * 2

// refundCounts are refunds and chargebacks by what became of the reward.
type refundCounts struct {
	// Outcomes are by refundKind and judge.Outcome.
	Outcomes [refundKinds]handling `json:"outcomes"`
	// Floored are those, by refundKind, that took less than their share and just what
	// the balance was.
	Floored [refundKinds]int64 `json:"floored"`
	// When counts by place those that took a reward back by when the last of it was
	// taken, as one of Netted to Late; what was taken in part only too.
	When [3]handling `json:"when"`
	// Waited counts by days those that were taken back later than at once and
	// before the next close.
	Waited map[int]int64 `json:"waited_days,omitempty"`
	// Lags counts by days from purchase to refund those that name their purchase and
	// had a reward to take back: what the cut-off is told from. When refunds come, of
	// all whose purchase is known, is in arrivals.
	Lags map[int]lagCount `json:"lags,omitempty"`
	// Stake is the reward that the refunds should have taken.
	Stake int64 `json:"stake"`
}

// addRefund counts one refund.
func (s *sums) addRefund(c *judge.RefundCase) {
	r := &s.Refunds
	r.Outcomes[kindOf(c).index()][c.Outcome]++
	if k := kindOf(c); !k.covered && (c.Outcome == judge.Never || c.Outcome == judge.Partly) && near(c.Taken, max(0, c.Balance)) {
		r.Floored[k.index()]++
	}
	if c.Outcome != judge.NothingAtStake {
		s.add(&r.Stake, c.Expected)
	}
	if when := whenTaken(c); when != judge.Never {
		r.When[c.Place][when]++
		if when == judge.WithinCycle {
			if r.Waited == nil {
				r.Waited = map[int]int64{}
			}
			r.Waited[daysBegun(c.RefundedAt, c.TakenAt)]++
		}
	}
	s.addLag(c)
	s.addArrival(c)
}

// whenTaken returns the outcome that says when a reward was taken back: the
// outcome itself or, where only part of it was taken, the one of that part. It is
// Never for refunds that took nothing.
func whenTaken(c *judge.RefundCase) judge.Outcome {
	switch c.Outcome {
	case judge.Netted, judge.AtOnce, judge.WithinCycle, judge.AtClose, judge.Late:
		return c.Outcome
	case judge.Partly:
	default:
		return judge.Never
	}
	closes := reward.CycleAt(c.RefundedAt).End()
	switch {
	case c.Granted == 0:
		return judge.Netted
	case c.TakenAt <= c.RefundedAt+reward.Day:
		return judge.AtOnce
	case c.TakenAt < closes:
		return judge.WithinCycle
	case c.TakenAt <= closes+reward.Day:
		return judge.AtClose
	}
	return judge.Late
}

// daysBegun is how many days of 24 hours have begun between two instants.
func daysBegun(from, to reward.Instant) int {
	return int((to - from + reward.Day - 1) / reward.Day)
}

func (s *sums) mergeRefunds(o *refundCounts) {
	r := &s.Refunds
	for i := range o.Outcomes {
		for j, n := range o.Outcomes[i] {
			r.Outcomes[i][j] += n
		}
	}
	for i, n := range o.Floored {
		r.Floored[i] += n
	}
	for i := range o.When {
		for j, n := range o.When[i] {
			r.When[i][j] += n
		}
	}
	if r.Waited == nil && len(o.Waited) > 0 {
		r.Waited = map[int]int64{}
	}
	for days, n := range o.Waited {
		r.Waited[days] += n
	}
	for days, c := range o.Lags {
		s.addLags(days, c)
	}
	s.add(&r.Stake, o.Stake)
}

// handling counts by outcome.
type handling [outcomes]int64

// of sums up the refunds of the kinds that are wanted.
func (r *refundCounts) of(wanted func(refundKind) bool) (h handling) {
	for i := range refundKinds {
		k := kindAt(i)
		if !wanted(k) {
			continue
		}
		for j, n := range r.Outcomes[i] {
			h[j] += n
		}
	}
	return h
}

// near allows for rounding.
func near(a, b int64) bool { return a-b <= 1 && b-a <= 1 }

// uncovered counts the refunds of a place that the balance did not cover, and those of
// them that took just what there was: of the linked ones or, where these are too few,
// of all.
func (r *refundCounts) uncovered(place judge.Place) (told, floored int64) {
	sum := func(linked bool) (h handling, floored int64) {
		wanted := func(k refundKind) bool { return k.place == place && !k.covered && (k.linked || !linked) }
		for i, n := range r.Floored {
			if wanted(kindAt(i)) {
				floored += n
			}
		}
		return r.of(wanted), floored
	}
	all, ofAll := sum(false)
	if linked, n := sum(true); linked.speaksFor(&all, leastLinked) {
		return linked.told(), n
	}
	return all.told(), ofAll
}

// kindAt is the kind with that index.
func kindAt(i int) refundKind {
	return refundKind{judge.Place(i / 16), i/8%2 == 1, i/4%2 == 1, i/2%2 == 1, i%2 == 1}
}

// told counts the refunds that tell something: something was at stake, and there
// was time to take it.
func (h *handling) told() int64 {
	return h[judge.Netted] + h[judge.AtOnce] + h[judge.WithinCycle] + h[judge.AtClose] + h[judge.Late] + h[judge.Partly] + h[judge.Never]
}

func (h *handling) public() Handling {
	return Handling{
		Netted: h[judge.Netted], AtOnce: h[judge.AtOnce], WithinCycle: h[judge.WithinCycle], AtClose: h[judge.AtClose],
		Late: h[judge.Late], Partly: h[judge.Partly], Never: h[judge.Never], TooEarly: h[judge.TooEarly],
	}
}
