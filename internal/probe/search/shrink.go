package search

import (
	"slices"
	"time"

	"recoup/internal/lab/walk"
	"recoup/internal/scenario"
)

// shrink makes a course that shows a defect as small as it can: it tries smaller
// courses, the smallest steps last, and goes on from each that shows a defect of
// the same kind. It stops at the first of which nothing smaller does, or when the
// plays for it are used up: then whole is false. Explained says of a verdict that
// it need not be looked at further.
func (h *hunter) shrink(c *course, v *verdict, explained func(*verdict) bool) (*course, *verdict, bool, error) {
	most := h.result.Plays + h.options.Shrinks
	d := walk.Descent[*course]{
		Key: (*course).key, Weigh: h.world.weigh,
		Shows: func(c *course) (bool, error) {
			found, err := h.play(c)
			if err != nil || found.kind != v.kind {
				return false, err
			}
			v = found
			return true, nil
		},
		Spent: func() bool { return h.result.Plays >= most },
	}
	// Waits that cross a close must go on doing so when what comes before is left out.
	c, _, err := d.Down(c, func(c *course) []*course { return []*course{h.world.monthly(c)} })
	if err != nil {
		return nil, nil, false, err
	}
	for _, beside := range []func(*course) []*course{h.world.shorter, h.world.simpler} {
		var whole bool
		if c, whole, err = d.Down(c, beside); err != nil || !whole {
			return c, v, false, err
		}
		if explained(v) {
			break
		}
	}
	return c, v, true, nil
}

// weigh says how much there is to a course: moves, statements between them, what is
// unusual about them, shares, waits, amounts, redemptions.
func (w *world) weigh(c *course) walk.Weight {
	sum := walk.Weight{0: int64(len(c.moves))}
	nice := w.nice(c)
	settled := map[int]bool{}
	amounts := map[int64]bool{}
	crossed := w.crossed(c)
	for i := range c.moves {
		m := &c.moves[i]
		sum[1] += int64(crossed[i])
		sum[4] += int64(m.gap.days)
		if m.gap.last {
			sum[4] += 30
		}
		switch m.kind {
		case scenario.Settle:
			settled[m.fact] = true
			amounts[m.amount] = true
			sum[2] += int64(2*m.place + m.shop)
			at := slices.Index(nice, m.amount)
			if at < 0 {
				at = 2*len(nice) + min(1_000, digits(m.amount))
			}
			sum[5] += int64(at)
		case scenario.Refund, scenario.Chargeback:
			if m.kind == scenario.Chargeback {
				sum[2] += 2
			}
			if !settled[m.of] {
				sum[2] += 2
			}
			if m.unlinked {
				sum[2]++
			}
			if m.silent {
				sum[2]++
			}
			at := slices.Index(niceShares, m.share)
			if at < 0 {
				at = len(niceShares)
			}
			sum[3] += int64(at)
		case scenario.Redeem:
			sum[6] += int64(m.ask.what)
		}
	}
	sum[5] += int64(len(amounts))
	sum[7] = int64(c.start)
	return sum
}

// niceShares are in the order in which a find prefers them.
var niceShares = []share{rest, whole, {1, 2}, {11, 10}, {3, 5}}

// nice are the amounts that a find prefers, the best first.
func (w *world) nice(c *course) []int64 {
	list := []int64{w.round}
	for i := range w.places {
		if fills := w.places[i].fills(); fills > 0 {
			list = append(list, fills, 2*fills)
		}
	}
	for _, m := range c.moves {
		if m.kind == scenario.Settle && m.amount%w.round == 0 && m.amount/w.round < 10 {
			list = append(list, m.amount)
		}
	}
	slices.Sort(list[1:])
	return slices.Compact(list)
}

// digits is how many digits of an amount are not zeros at its end, and twice how
// many there are.
func digits(n int64) (count int) {
	trailing := true
	for ; n > 0; n /= 10 {
		trailing = trailing && n%10 == 0
		if !trailing {
			count++
		}
		count += 2
	}
	return count
}

// shorter are the courses with moves left out, most first.
func (w *world) shorter(c *course) []*course {
	var list []*course
	n := len(c.moves)
	add := func(drop ...int) {
		if d := c.without(drop...); len(d.moves) > 0 && len(d.moves) < n {
			list = append(list, d)
		}
	}
	for size := n / 2; size >= 2; size /= 2 {
		for from := 0; from < n; from += size {
			var drop []int
			for i := from; i < min(n, from+size); i++ {
				drop = append(drop, i)
			}
			add(drop...)
		}
	}
	for i := range n {
		add(n - 1 - i)
	}
	if n <= 10 {
		for i := range n {
			for k := i + 1; k < n; k++ {
				add(i, k)
			}
		}
	}
	return list
}

// simpler are the courses in which one thing is simpler.
func (w *world) simpler(c *course) []*course {
	var list []*course
	add := func(i int, change func(*move)) { list = append(list, c.each(i, change)) }
	at := func(i int, change func(*gap)) {
		d := c.clone()
		change(&d.moves[i].gap)
		list = append(list, d)
	}
	list = append(list, w.monthly(c))
	list = append(list, w.shorter(c)...)
	for i := range c.moves {
		m := &c.moves[i]
		if m.gap.months > 0 || m.gap.last || m.gap.days > 0 {
			at(i, func(g *gap) { *g = gap{} })
		}
		if m.gap.months > 0 {
			at(i, func(g *gap) { *g = gap{days: 7} })
			at(i, func(g *gap) { *g = gap{days: 20} })
			at(i, func(g *gap) { *g = gap{months: 1} })
			at(i, func(g *gap) { g.months-- })
		}
		if m.kind == scenario.Chargeback {
			// The refund needs a number of its own.
			add(i, func(m *move) { m.kind, m.fact = scenario.Refund, m.fact+1000 })
		}
		if m.reverses() {
			if s := c.settledAfter(i); s > i {
				list = append(list, c.moved(i, s))
			}
		}
	}
	for i := range c.moves {
		switch m := &c.moves[i]; m.kind {
		case scenario.Settle:
			for p := range m.place {
				add(i, func(m *move) { m.place = p })
			}
			if m.shop > 0 {
				add(i, func(m *move) { m.shop = 0 })
			}
		case scenario.Refund, scenario.Chargeback:
			if m.unlinked {
				add(i, func(m *move) { m.unlinked, m.silent = false, false })
			}
			if m.silent {
				add(i, func(m *move) { m.silent = false })
			}
			for _, s := range niceShares {
				if s.of == s.parts || w.can.PartialRefunds || s.of > s.parts {
					add(i, func(m *move) { m.share = s })
				}
			}
		case scenario.Redeem:
			for a := range m.ask.what {
				add(i, func(m *move) { m.ask = ask{what: a} })
			}
		}
	}
	list = append(list, w.priced(c)...)
	for i := range c.moves {
		g := c.moves[i].gap
		if g.last {
			at(i, func(g *gap) { *g = gap{days: 1} })
		}
		if g.days > 1 {
			at(i, func(g *gap) { g.days /= 2 })
		}
		if g.days > 0 {
			at(i, func(g *gap) { g.days-- })
		}
	}
	if c.start > 0 {
		d := c.clone()
		d.start = 0
		list = append(list, d)
	}
	return list
}

// priced are the courses with nicer amounts: first all the same, then one by one.
func (w *world) priced(c *course) []*course {
	var list []*course
	nice := w.nice(c)
	for _, amount := range nice {
		d := c.clone()
		for i := range d.moves {
			if d.moves[i].kind == scenario.Settle {
				d.moves[i].amount = amount
			}
		}
		list = append(list, d)
	}
	for i := range c.moves {
		m := &c.moves[i]
		if m.kind != scenario.Settle {
			continue
		}
		for _, amount := range nice {
			list = append(list, c.each(i, func(m *move) { m.amount = amount }))
		}
		for unit := w.round; unit > 1; unit /= 10 {
			if m.amount > unit && m.amount%unit != 0 {
				list = append(list, c.each(i, func(m *move) { m.amount -= m.amount % unit }), c.each(i, func(m *move) { m.amount += unit - m.amount%unit }))
			}
		}
	}
	return list
}

// crossed is how many ends of months each wait goes past.
func (w *world) crossed(c *course) []int {
	list := make([]int, len(c.moves))
	at := opened(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), c.start)
	for i := 1; i < len(c.moves); i++ {
		before := at
		at = w.after(at, c.moves[i].gap)
		for scenario.FirstOfMonth(before, list[i]).Before(scenario.FirstOfMonth(at, 0)) {
			list[i]++
		}
	}
	return list
}

// monthly is the course with waits of so many months where it waits for days past
// ends of months.
func (w *world) monthly(c *course) *course {
	d := c.clone()
	for i, months := range w.crossed(c) {
		if months > 0 {
			d.moves[i].gap = gap{months: months}
		}
	}
	return d
}

// settledAfter is the index of the purchase that a reversal comes before, -1 if it
// comes after it.
func (c *course) settledAfter(i int) int {
	for k := range c.moves {
		if m := &c.moves[k]; m.kind == scenario.Settle && m.fact == c.moves[i].of {
			if k > i {
				return k
			}
			return -1
		}
	}
	return -1
}

// moved is the course with one move behind another.
func (c *course) moved(i, behind int) *course {
	d := c.clone()
	m := d.moves[i]
	d.moves = slices.Delete(d.moves, i, i+1)
	d.moves = slices.Insert(d.moves, behind, m)
	d.moves[0].gap = gap{}
	return d
}
