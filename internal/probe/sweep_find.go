package probe

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/flaw"
	"recoup/internal/scenario"
	"recoup/reward"
)

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
		step := c.h.steps[i]
		if step.Move.Kind == scenario.Redeem {
			step.Move.Amount = c.h.asked[i] // of all that there was
		}
		steps = append(steps, TraceStep{At: step.At, Done: scenario.DescribeMove(&step, r.target.Can.Currency), Shown: c.h.seen[i], Entitlement: end})
	}
	return steps
}
