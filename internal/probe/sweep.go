package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recoup/internal/scenario"
)

// Sweep is what returns of many kinds left behind, each compared with the same account
// at the same target that never bought what was returned. It takes no terms to judge.
type Sweep struct {
	// Played are the histories that were judged, and Unplayed those that the target
	// could not be told of or answered too uncertainly.
	Played   int `json:"played"`
	Unplayed int `json:"not_played"`
	// Axes are in the order of the sweep.
	Axes []AxisSeen `json:"axes"`
	// Idle are histories that end with more on the balance than the account that never
	// bought what was returned, of which nothing can ever be paid out: no leak.
	Idle int `json:"idle,omitzero"`
	// Finds are the leaks, one a flaw, the largest first.
	Finds []Find `json:"finds"`
}

// AxisSeen is what became of the histories of one axis.
type AxisSeen struct {
	Axis   Axis `json:"axis"`
	Played int  `json:"played"`
	Leaks  int  `json:"leak"`
	Short  int  `json:"short"`
	// Most is the largest leak, in minor units.
	Most int64 `json:"most"`
	// Rule says which leak and which do not, where that can be said in a few words.
	Rule string `json:"rule,omitempty"`
}

// tolerance is what rounding may leave: one unit or two of what was returned whole, and
// of what is kept in part a fiftieth of the reward, or a unit of each purchase. What is kept
// of a debt may be too little to be paid, and so have expired, where nothing was returned:
// there it is half of the reward.
func (r *run) tolerance(c *sweepCase) int64 {
	if !c.partial {
		return roundingLeaves
	}
	bought := int64(0)
	for i := range c.h.steps {
		if c.h.steps[i].Move.Kind == scenario.Settle {
			bought++
		}
	}
	share := r.scout.reward / 50
	if c.axis == ByDebt {
		share = r.scout.reward / 2
		if c.h.steps[0].Move.Amount > r.sample.Amount {
			share = r.scout.large / 2
		}
	}
	return max(3, bought, share)
}

// sweep plays the grid, looks where the leaks begin, and plays those again that it found.
func (r *run) sweep() error {
	g := &grid{can: &r.target.Can, sample: r.sample, places: r.scout.places, alike: r.scout.alike, times: r.scout.times, still: !r.stage.canWait()}
	g.fill(r.plan.Quick)
	s := &Sweep{}
	r.result.Sweep = s
	r.logf("Returning purchases in %d ways, each beside an account that never bought what was returned.", len(g.cases))
	if err := r.earns(g); err != nil {
		return err
	}
	if g.still && r.scout.reward < 10 {
		r.leaveOut("ways to return purchases: rewards come with time, and there is no clock")
		return nil
	}
	if r.scout.reward < 10 { // there the terms do not hold, or nothing would be seen
		later := r.scout.later
		if err := r.look(); err != nil {
			return err
		}
		r.scout.later = later
		g.cases, g.sample, g.places, g.alike, g.times = nil, r.sample, r.scout.places, r.scout.alike, r.scout.times
		g.fill(r.plan.Quick)
		if err := r.earns(g); err != nil {
			return err
		}
	}
	if r.unsteady {
		g.cases = slices.DeleteFunc(g.cases, func(c *sweepCase) bool { return c.twin.buys() })
	}
	if err := r.judgeAll(g.cases); err != nil {
		return err
	}
	if err := r.between(g); err != nil {
		return err
	}
	for _, c := range g.cases {
		if c.h.failed != nil || c.twin.failed != nil {
			s.Unplayed++
			continue
		}
		s.Played++
	}
	r.cases = slices.DeleteFunc(slices.Clone(g.cases), func(c *sweepCase) bool { return c.h.failed != nil || c.twin.failed != nil })
	if err := r.acquitIdle(); err != nil {
		return err
	}
	s.Axes = r.axes()
	return r.finds()
}

// earns measures what the sample earns where the sweep buys it, and a large purchase, and
// whether the sample earns the same in every account: where it does not, an account that
// kept something tells nothing of another.
func (r *run) earns(g *grid) error {
	var list []*history
	for i, times := range []int64{1, large, 1, 1, 1, 1, 1} {
		d := g.draft()
		d.name = fmt.Sprintf("sweep-kept-%d", i+1)
		d.buyAll(sampled(r.sample).of(times * r.sample.Amount))
		if g.still {
			d.add(d.at(0), scenario.Move{Kind: scenario.Wait})
		} else {
			d.watch(readings[:]...)
		}
		list = append(list, d.history)
	}
	bought := len(list)
	for i := range idleAccounts {
		d := g.draft()
		d.name = fmt.Sprintf("sweep-idle-%d", i+1)
		d.add(d.at(0), scenario.Move{Kind: scenario.Wait})
		if !g.still {
			d.watch(readings[:]...)
		}
		list = append(list, d.history)
	}
	if _, err := r.stage.playEach(list); err != nil {
		return fmt.Errorf("the sweep of returns: %w", err)
	}
	if err := r.alike(list[bought:]); err != nil {
		return err
	}
	list = list[:bought]
	most := func(h *history) (earned int64) {
		for n := range waits(h) {
			if e := h.last(n).NetReward(); n == 0 || e > earned {
				earned = e
			}
		}
		return earned
	}
	for i, of := range []*int64{&r.scout.reward, &r.scout.large} {
		if h := list[i]; h.failed == nil {
			*of = most(h)
		}
	}
	for _, h := range list[2:] {
		if off := most(h) - r.scout.reward; h.failed == nil && abs(off) > roundingLeaves && !r.unsteady {
			r.unsteady = true
			r.leaveOut(fmt.Sprintf("what leaves something of purchases that are kept: the same of %s earned %s in one account and %s in another",
				r.money(r.sample.Amount), r.money(r.scout.reward), r.money(most(h))))
		}
	}
	return nil
}

// idleAccounts are those that buy nothing, to see whether they all have the same.
const idleAccounts = 12

// alike refuses targets that give something to some accounts and not to others, for nothing: one
// tells nothing of another there.
func (r *run) alike(idle []*history) error {
	for _, h := range idle {
		if a, b := idle[0].last(0).NetReward(), h.last(0).NetReward(); h.failed == nil && idle[0].failed == nil && abs(a-b) > roundingLeaves {
			return fmt.Errorf("probe: account %s has %s and %s has %s, and neither bought anything: expected a sandbox in which nothing is given by hand, or the same to all",
				idle[0].name, r.money(a), h.name, r.money(b))
		}
	}
	return nil
}

// judgeAll plays cases and their twins, each twin once.
func (r *run) judgeAll(cases []*sweepCase) error {
	var list []*history
	twins := map[string]*history{}
	for _, c := range cases {
		list = append(list, c.h)
		key := c.twin.key()
		if !c.twin.buys() {
			key = "nothing bought" // an account in which nothing happens, looked at when it matters least
		}
		if twins[key] == nil {
			twins[key] = c.twin
			list = append(list, c.twin)
		}
		if c.twin.buys() {
			c.twin = twins[key]
		}
	}
	replays, err := r.stage.playEach(list)
	r.result.Replays += replays
	if err != nil {
		return fmt.Errorf("the sweep of returns: %w", err)
	}
	for _, c := range cases {
		if !c.twin.buys() {
			nothing := twins["nothing bought"]
			if nothing.failed != nil {
				c.twin.failed = nothing.failed
				continue
			}
			c.twin.seen = slices.Repeat([]Shown{nothing.last(0)}, len(c.twin.steps))
		}
		r.compareTwin(c)
	}
	return nil
}

// compareTwin is by how much the history ends above its twin, at the worse of the two
// readings.
func (r *run) compareTwin(c *sweepCase) {
	c.leak = 0
	if c.h.failed != nil || c.twin.failed != nil || r.unsteady && c.twin.buys() {
		return
	}
	first := true
	for n := range waits(c.h) {
		got, want := c.h.last(n), c.twin.last(n)
		more := got.NetReward() - want.NetReward()
		if first || more > c.leak {
			c.leak = more
		}
		first = false
	}
	tolerance := r.tolerance(c)
	if c.leak <= tolerance && c.leak >= -tolerance || c.leak > 0 && r.result.Sweep.Idle > 0 && !c.canBeHad() {
		c.leak = 0
	}
}

// waits is at how many ends a history is judged.
func waits(h *history) int {
	n := 0
	for i := len(h.steps) - 1; i >= 0 && h.steps[i].Move.Kind == scenario.Wait; i-- {
		n++
	}
	return n
}

// between looks for the day from which on refunds leave something, between the ages of
// which one does and the next does not.
func (r *run) between(g *grid) error {
	most := 3 // boundaries
	if r.target.Reset == nil {
		most = 0 // years are dear where nothing is forgotten
	}
	for range most {
		list, i := ofAxis(g.cases, ByAge), 0
		for k := 1; k < len(list); k++ {
			if (list[k-1].leak > 0) != (list[k].leak > 0) && list[k].days-list[k-1].days > 1 {
				i = k
				break
			}
		}
		if i < 1 {
			return nil
		}
		for low, high := list[i-1], list[i]; high.days-low.days > 1; {
			middle := g.returned(ByAge, (low.days+high.days)/2, g.sample, "whole, after %d days", (low.days+high.days)/2)
			if err := r.judgeAll([]*sweepCase{middle}); err != nil {
				return err
			}
			if (middle.leak > 0) == (low.leak > 0) {
				low = middle
			} else {
				high = middle
			}
		}
	}
	return nil
}

// ofAxis are the cases of one axis, those of ages in their order.
func ofAxis(cases []*sweepCase, a Axis) []*sweepCase {
	list := slices.DeleteFunc(slices.Clone(cases), func(c *sweepCase) bool { return c.axis != a })
	if a == ByAge || a == ByAgeOfLarge || a == ByDebt {
		slices.SortStableFunc(list, func(a, b *sweepCase) int { return cmp.Compare(a.days, b.days) })
	}
	return list
}

func leaking(cases []*sweepCase) []*sweepCase {
	return slices.DeleteFunc(slices.Clone(cases), func(c *sweepCase) bool { return c.leak <= 0 })
}

// axes counts.
func (r *run) axes() (list []AxisSeen) {
	for _, c := range r.cases {
		if slices.ContainsFunc(list, func(a AxisSeen) bool { return a.Axis == c.axis }) {
			continue
		}
		of := ofAxis(r.cases, c.axis)
		a := AxisSeen{Axis: c.axis, Played: len(of), Leaks: len(leaking(of)), Rule: rule(of)}
		for _, c := range of {
			if c.leak < 0 {
				a.Short++
			}
			a.Most = max(a.Most, c.leak)
		}
		list = append(list, a)
	}
	return list
}

// rule says which cases of an axis leak: for ages from which day on, otherwise by name.
func rule(of []*sweepCase) string {
	leaks := leaking(of)
	switch {
	case len(leaks) == 0:
		return ""
	case len(leaks) == len(of):
		return "all"
	}
	if of[0].axis == ByAge || of[0].axis == ByAgeOfLarge {
		var spans []string
		for i := 0; i < len(of); {
			k := i
			for k+1 < len(of) && (of[k+1].leak > 0) == (of[i].leak > 0) {
				k++
			}
			if of[i].leak > 0 {
				span := fmt.Sprintf("from day %d to day %d", of[i].days, of[k].days)
				if k == len(of)-1 {
					span = fmt.Sprintf("from day %d on", of[i].days)
				}
				spans = append(spans, span)
			}
			i = k + 1
		}
		return strings.Join(spans, " and ")
	}
	const most = 3
	var names []string
	for _, c := range leaks[:min(most, len(leaks))] {
		names = append(names, c.level)
	}
	if len(leaks) > most {
		names = append(names, fmt.Sprintf("%d more", len(leaks)-most))
	}
	return strings.Join(names, "; ")
}
