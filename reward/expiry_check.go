package reward

import "slices"

// expiry checks that lots and uses are what the facts say, and that what has expired of
// each is what nobody used in time, found by serving one use after the other.
func (c *check) expiry() {
	l := c.lots
	if l == nil {
		return
	}
	p, fresh := c.pastLots(), c.lotsOfFacts()
	bare := func(list []lot) (out []lot) {
		for _, x := range list {
			x.expired = 0
			if !x.empty() {
				out = append(out, x)
			}
		}
		return out
	}
	same := func(what string, is, facts []lot) {
		c.expect(slices.Equal(bare(is), bare(facts)), Conservation, "%s are %v, by the facts %v", what, bare(is), bare(facts))
	}
	same("lots", l.living, fresh.living)
	same("lots that expired", p.lots, fresh.past.lots)
	same("what never expires", []lot{p.opening}, []lot{fresh.past.opening})
	uses := slices.DeleteFunc(slices.Clone(p.uses), func(u use) bool { return u.amount == 0 })
	served := slices.DeleteFunc(fresh.past.uses, func(u use) bool { return u.amount == 0 })
	c.expect(slices.Equal(uses, served) && l.used == fresh.used, Conservation, "uses are %v and %d, by the facts %v and %d", uses, l.used, served, fresh.used)

	line := append(slices.Clone(p.lots), l.living...)
	rest := make([]int64, len(line))
	for i := range line {
		rest[i] = max(0, line[i].earned)
	}
	free := max(0, p.opening.earned)
	var owed int64
	serve := func(u use) {
		own := min(free, u.amount)
		free -= own
		left := u.amount - own
		for i := range line {
			if c.newest.expiresWith(line[i].cycle) >= u.cycle {
				part := min(left, rest[i])
				rest[i] -= part
				left -= part
			}
		}
		owed += left
	}
	serve(use{firstCycle, max(0, -p.opening.earned)})
	for _, u := range p.uses {
		serve(u)
	}
	serve(use{c.cycle, l.used})
	var gone int64
	for i := range p.lots {
		gone += rest[i]
		c.expect(p.lots[i].expired == rest[i], Conservation, "of the rewards of %v %d has expired, %d was not used", p.lots[i].cycle, p.lots[i].expired, rest[i])
	}
	for i := range l.living {
		owed += max(0, l.living[i].earned) - rest[len(p.lots)+i]
	}
	c.expect(l.expired == gone && l.free == free && l.owed == owed, Conservation, "expired %d, %d is free and %d owed; recomputed %d, %d, %d", l.expired, l.free, l.owed, gone, free, owed)
}
