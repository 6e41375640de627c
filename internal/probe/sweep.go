package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/scenario"
	"recoup/reward"
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

// Find is a kind of return that leaves reward behind, or takes too much. Amounts are in
// minor units.
type Find struct {
	Flaw flaw.Code `json:"flaw"`
	Axis Axis      `json:"axis"`
	// What is the history that shows it best, and Rule which others do.
	What string `json:"what"`
	Rule string `json:"rule"`
	// Leaks of Tried histories of the axis leave something.
	Leaks int `json:"leaks"`
	Tried int `json:"tried"`
	// Round is what one course of the history keeps, Two what two courses do that begin a
	// month after each other, and Full what one does whose purchases fill the cap, where
	// there is one that is known (Capped). Monthly: the second brought as much as the first,
	// and Year is what twelve keep; otherwise what one does.
	Round   int64 `json:"round"`
	Two     int64 `json:"two_rounds"`
	Full    int64 `json:"full_round"`
	Capped  bool  `json:"capped,omitzero"`
	Monthly bool  `json:"monthly,omitzero"`
	Year    int64 `json:"per_account_and_year"`
	// Short: the customer has too little.
	Short bool `json:"short,omitzero"`
	// Trace has the steps of the history; entitled is what the account shows in the end
	// that never bought what was returned.
	Trace []TraceStep `json:"trace"`
}

// tolerance is what rounding may leave: one unit or two of what was returned whole, and
// of what is kept in part a fiftieth of the reward.
func (r *run) tolerance(c *sweepCase) int64 {
	if !c.partial {
		return roundingLeaves
	}
	return max(3, r.scout.reward/50)
}

// sweep plays the grid, looks where the leaks begin, and plays those again that it found.
func (r *run) sweep() error {
	g := &grid{can: &r.target.Can, sample: r.sample, places: r.scout.places, times: r.scout.times, still: !r.stage.canWait()}
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
		g.cases, g.sample, g.places, g.times = nil, r.sample, r.scout.places, r.scout.times
		g.fill(r.plan.Quick)
		if err := r.earns(g); err != nil {
			return err
		}
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
	s.Axes = r.axes()
	return r.finds()
}

// earns measures what the sample earns where the sweep buys it, and a large purchase.
func (r *run) earns(g *grid) error {
	var list []*history
	for i, times := range []int64{1, large} {
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
	if _, err := r.stage.playEach(list); err != nil {
		return fmt.Errorf("the sweep of returns: %w", err)
	}
	for i, of := range []*int64{&r.scout.reward, &r.scout.large} {
		h := list[i]
		for n := range waits(h) {
			if earned := h.last(n).NetReward(); h.failed == nil && (n == 0 || earned > *of) {
				*of = earned
			}
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
	if c.h.failed != nil || c.twin.failed != nil {
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
	if tolerance := r.tolerance(c); c.leak <= tolerance && c.leak >= -tolerance {
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

// finds groups the leaks by what they show, and plays the worst of each once more, step by
// step, in two rounds, and by purchases that fill the cap.
func (r *run) finds() error {
	groups := map[flaw.Code][]*sweepCase{}
	var shows []*showing
	for _, c := range r.cases {
		if c.leak == 0 || c.leak < 0 && !c.tellsShort() {
			continue
		}
		code := r.codeOf(c)
		if groups[code] == nil {
			shows = append(shows, &showing{code: code})
		}
		groups[code] = append(groups[code], c)
	}
	var list []*history
	for _, s := range shows {
		group := groups[s.code]
		if plain := ofAxis(group, ByAge); len(plain) > 0 {
			group = plain // a plain whole refund tells it best
		}
		worst := slices.MaxFunc(group, func(a, b *sweepCase) int { return cmp.Compare(max(a.leak, -a.leak), max(b.leak, -b.leak)) })
		r.prove(s, worst)
		for _, c := range append([]*sweepCase{s.once, s.two}, s.full...) {
			list = append(list, c.h, c.twin)
		}
	}
	replays, err := r.stage.playEach(list)
	r.result.Replays += replays
	if err != nil {
		return fmt.Errorf("playing again what the sweep found: %w", err)
	}
	for _, s := range shows {
		if f := r.find(s); f != nil {
			f.Leaks, f.Tried = len(groups[s.code]), len(ofAxis(r.cases, s.of.axis))
			r.result.Sweep.Finds = append(r.result.Sweep.Finds, *f)
		}
	}
	slices.SortStableFunc(r.result.Sweep.Finds, func(a, b Find) int { return cmp.Compare(b.Year, a.Year) })
	return nil
}

// showing is a find before it is told: the case that shows it, played again.
type showing struct {
	code      flaw.Code
	of        *sweepCase
	once, two *sweepCase
	full      []*sweepCase
}

// prove makes the histories that a find is told by. Two rounds begin a month after each
// other.
func (r *run) prove(s *showing, c *sweepCase) {
	s.of = c
	played := func(h *history) *sweepCase { return &sweepCase{axis: c.axis, partial: c.partial, h: h, twin: h.twin()} }
	again := c.h.copy("-again")
	again.watched = true
	s.once, s.two = played(again), played(c.h.rounds(2))
	if !r.told() {
		return
	}
	cap := r.result.Terms.Program.Rules[r.sampleRule()].Cap
	for _, share := range []int64{1, 2} { // what is granted twice fills a cap by half
		if cap == reward.NoCap || cap/share < 2*r.scout.reward {
			continue
		}
		h := c.h.copy(fmt.Sprintf("-full-%d", share))
		for i := range h.steps {
			m := &h.steps[i].Move
			m.Amount = divide(m.Amount, cap/share, r.scout.reward)
			m.Really = slices.Clone(m.Really)
			for k := range m.Really {
				m.Really[k].Amount = divide(m.Really[k].Amount, cap/share, r.scout.reward)
			}
		}
		s.full = append(s.full, played(h))
	}
}

// tellsShort reports whether too little is held against a program: where a second delivery
// takes again, or a part more than its share. That a cap's room is lost to what is kept is
// the paper's own.
func (c *sweepCase) tellsShort() bool { return c.axis == ByRedelivery || c.axis == BySize }

// codeOf names what a leak shows: the class where plain whole refunds of those ages leave
// something as well, and else what the case is about.
func (r *run) codeOf(c *sweepCase) flaw.Code {
	class := r.plainClass()
	leaves := r.leaves(c)
	alone := func(a Axis, code flaw.Code) bool { // a leak of its own of that axis, beyond rounding
		return slices.ContainsFunc(r.cases, func(o *sweepCase) bool {
			return o.axis == a && o.flaw == code && o.leak > int64(len(o.h.steps)) && !r.leaves(o)
		})
	}
	switch {
	case c.leak < 0 && c.axis == BySize:
		return flaw.OverClawed
	case c.leak < 0:
		return c.flaw
	case class == flaw.V1 || class == flaw.V2 && (c.flaw == "" || leaves):
		return flaw.CodeOf(class)
	case leaves || c.flaw == "":
		return flaw.CodeOf(flaw.Other)
	case c.axis != ByParts || c.flaw == flaw.G2:
		return c.flaw
	case c.leak <= int64(len(c.h.steps)):
		return flaw.CodeOf(flaw.Other) // less than a unit a part: each is rounded for the customer
	case alone(BySize, flaw.PartsIgnored):
		return flaw.PartsIgnored // a part by itself leaves something
	case alone(ByParts, flaw.Compounding):
		return flaw.Compounding // so do parts of one day
	}
	return c.flaw
}

// leaves reports whether a plain whole refund of one of the ages in a case leaves something.
func (r *run) leaves(c *sweepCase) bool {
	axis := ByAge
	if c.axis == ByDebt && c.h.steps[0].Move.Amount > r.sample.Amount {
		axis = ByAgeOfLarge
	}
	bought := map[string]time.Time{}
	for i := range c.h.steps {
		s := &c.h.steps[i]
		if s.Move.Kind == scenario.Settle {
			bought[s.Move.ID] = s.At
		}
		for _, part := range broughtBack(&s.Move) {
			if at, ok := bought[part.Purchase]; ok && r.leavesPlainly(axis, int(s.At.Sub(at)/(24*time.Hour))) {
				return true
			}
		}
	}
	return false
}

// leavesPlainly reports whether a plain whole refund of that age, or of the next, leaves
// something.
func (r *run) leavesPlainly(a Axis, days int) bool {
	list := ofAxis(r.cases, a)
	i := slices.IndexFunc(list, func(c *sweepCase) bool { return c.days >= days })
	return i >= 0 && list[i].leak > 0
}

// plainClass is what plain whole refunds show by their age: V1 if none takes the reward
// back, V2 if some take all of it and others leave most, Other if some is left, and none
// of these if all take it.
func (r *run) plainClass() flaw.Class {
	usual, large := r.classByAge(ByAge, r.scout.reward), r.classByAge(ByAgeOfLarge, r.scout.large)
	switch {
	case usual == flaw.V1 || usual == flaw.V2:
		return usual
	case usual == "" && large == flaw.V2:
		return large
	}
	return cmp.Or(usual, large)
}

func (r *run) classByAge(a Axis, earned int64) flaw.Class {
	list := ofAxis(r.cases, a)
	leaks := leaking(list)
	whole, most := 0, 0
	for _, c := range leaks {
		if 10*c.leak >= 9*earned {
			whole++
		}
		if 3*c.leak >= 2*earned {
			most++
		}
	}
	switch {
	case len(leaks) == 0:
		return ""
	case whole == len(list):
		return flaw.V1
	case most > 0 && len(leaks) < len(list):
		return flaw.V2
	}
	return flaw.Other
}

// find is what is told, nil if it did not happen again.
func (r *run) find(s *showing) *Find {
	c, once, two := s.of, s.once, s.two
	r.compareTwin(once)
	r.compareTwin(two)
	if (once.leak > 0) != (c.leak > 0) || (once.leak < 0) != (c.leak < 0) {
		return nil
	}
	f := &Find{Flaw: s.code, Axis: c.axis, What: c.level, Rule: rule(ofAxis(r.cases, c.axis)), Round: once.leak, Two: two.leak, Monthly: two.leak > once.leak+once.leak/2}
	if once.leak < 0 {
		f.Short, f.Round, f.Two = true, -once.leak, -two.leak
	} else {
		f.Year = f.Round
		for _, full := range s.full {
			r.compareTwin(full)
			f.Capped = true
			f.Year = max(f.Year, full.leak)
		}
		f.Full = f.Year
		if f.Monthly {
			f.Year = 12 * f.Full
		}
	}
	f.Trace = r.traceBeside(once)
	return f
}

// traceBeside is a watched history, step by step; what its twin shows in the end is what
// its account is entitled to.
func (r *run) traceBeside(c *sweepCase) (steps []TraceStep) {
	end := c.twin.last(0).NetReward()
	for i := range c.h.steps {
		step := &c.h.steps[i]
		steps = append(steps, TraceStep{At: step.At, Done: scenario.DescribeMove(step, r.target.Can.Currency), Shown: c.h.seen[i], Entitlement: end})
	}
	return steps
}

func (h *history) copy(suffix string) *history {
	return &history{name: h.name + suffix, steps: slices.Clone(h.steps)}
}

// rounds is the same several times, a month after each other; it is looked at when all
// are over.
func (h *history) rounds(n int) *history {
	moves := h.steps[:len(h.steps)-waits(h)]
	var steps []scenario.Step
	for round := range n {
		for _, s := range moves {
			s.At = monthsLater(s.At, round)
			m := &s.Move
			m.Happened = monthsLater(m.Happened, round)
			for _, id := range []*string{&m.ID, &m.Of} {
				if *id != "" {
					*id = fmt.Sprintf("%s-%d", *id, round+1)
				}
			}
			m.Really = slices.Clone(m.Really)
			for i := range m.Really {
				m.Really[i].Purchase = fmt.Sprintf("%s-%d", m.Really[i].Purchase, round+1)
			}
			steps = append(steps, s)
		}
	}
	slices.SortStableFunc(steps, func(a, b scenario.Step) int { return a.At.Compare(b.At) })
	t := &history{name: h.name + "-rounds"}
	for _, s := range steps {
		t.add(s.At, s.Move)
	}
	if waits(h) > 1 {
		t.watch(readings[:]...)
	} else {
		t.add(t.steps[len(t.steps)-1].At.Add(time.Minute), scenario.Move{Kind: scenario.Wait})
	}
	return t
}
