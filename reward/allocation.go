package reward

import (
	"slices"
)

// Allocation says how much of each purchase is reversed by money that names none.
// Facts that name a purchase sit at home, firm refunds in their places; what is
// left of purchases is the field, and what looks for them are claims.
//
// It is a pure function: of a field and claims, what lies where. Nobody who picks
// what to return knows more than the rules, so claims are counted together, and
// they take the most that they can within what they say of themselves.

// pass is one of the rounds in which claims choose, the most plausible first.
type pass int8

const (
	sameBoth     pass = iota // merchant and kind
	sameMerchant             // merchant
	sameKind                 // kind
	anywhere
	nowhere // no round: nothing is left that it may be of
)

// placement is money of a claim that lies on a purchase.
type placement struct {
	on     *transaction
	amount int64
}

// allocation is claims at work on a field.
type allocation struct {
	field   *field
	seekers []*seeker // in the order of their claims
	turn    []*seeker // those of the step at hand
	later   []*seeker

	log     []taking
	partial []int32 // spots of which something is taken and something is left
}

// taking is an amount that a seeker, by its number, took of a spot; aside stands
// for what was taken before anybody chose.
type taking struct {
	spot, seeker int32
	amount       int64
}

const aside = -1

// mostTries is how many caps are tried out one by one.
const mostTries = 16

// allocate places claims, which are in order, on a field. Less is what is to be
// left aside of some purchases. It returns, for each claim, where its money lies.
func allocate(f *field, claims []*claim, less []placement) [][]placement {
	a := &allocation{field: f, seekers: make([]*seeker, len(claims))}
	for i, c := range claims {
		a.seekers[i] = newSeeker(f, c, int32(i))
	}
	a.begin(less)
	begun := len(a.log)
	best := a.tries(begun)
	placed := make([][]placement, len(claims))
	for _, x := range best {
		placed[x.seeker] = append(placed[x.seeker], placement{f.spots[x.spot].on, x.amount})
	}
	a.undo(0)
	return placed
}

// begin sets what runs begin with.
func (a *allocation) begin(less []placement) {
	for _, l := range a.field.limits {
		b := l.bucket
		l.taken, l.base = 0, b.net+b.soft
		l.rest = l.base
		if b.program.Method == Proportional {
			l.rest = b.ungranted
		}
	}
	for _, p := range a.field.fixed {
		p.taken = 0
	}
	for _, p := range a.field.capped {
		p.taken, p.passed = 0, false
	}
	for _, x := range less {
		if n, there := a.field.at[x.on]; there {
			a.take(n, aside, x.amount)
		} else if l := a.field.limits[x.on.bucket]; l != nil {
			l.base -= x.amount
			if _, fixed := x.on.worthAlone(); !fixed {
				l.rest -= x.amount
			}
		}
	}
	for _, l := range a.field.limits {
		l.base -= l.taken
		l.taken = 0
		if l.pool != nil {
			l.rest -= l.pool.taken
		}
	}
	for _, p := range a.field.capped {
		p.taken = 0
	}
	for _, p := range a.field.fixed {
		p.taken = 0
	}
}

// tries runs once as it comes, and once for each cap that binds and that a claim
// may touch with that one first: the best for one may spoil another. It returns
// what the run took after which all purchases together are worth least.
func (a *allocation) tries(begun int) []taking {
	binding := a.bindingBefore()
	a.run(nil)
	if len(binding) == 0 {
		return a.log[begun:]
	}
	best := slices.Clone(a.log[begun:])
	most := a.gain()
	a.undo(begun)
	for _, p := range binding {
		if !p.passed {
			continue // it was first whenever it could be
		}
		a.run(p)
		if g := a.gain(); g.above(most) {
			best, most = append(best[:0], a.log[begun:]...), g
		}
		a.undo(begun)
	}
	return best
}

// bindingBefore lists the pools whose cap binds before the first run and that
// some claim may touch: of the newest cycle first, then of the earlier rule.
func (a *allocation) bindingBefore() []*pool {
	var list []*pool
	for _, p := range a.field.capped {
		if p.left > 0 && p.limit.binds() && slices.ContainsFunc(a.seekers, func(s *seeker) bool { return s.reaches(p) }) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, byAge)
	return list[:min(len(list), mostTries)]
}

// byAge orders capped pools: the newest cycle first, then the earlier rule.
func byAge(p, q *pool) int {
	b, c := p.limit.bucket, q.limit.bucket
	if b.cycle != c.cycle {
		return int(c.cycle) - int(b.cycle)
	}
	return int(b.number) - int(c.number)
}

// binds reports whether the cap cuts what is left of its bucket.
func (l *limit) binds() bool {
	b := l.bucket
	return mul64(int64(b.rule.Rate), l.base-l.taken).cmp(mul64(b.rule.Cap, rateScale)) > 0
}

// run has all claims choose, in four passes, until none has a candidate. The pool
// given is taken first whenever anything can be taken of it.
func (a *allocation) run(first *pool) {
	for _, s := range a.seekers {
		s.begin()
	}
	for p := sameBoth; p < nowhere; p++ {
		for a.step(p, first) {
		}
	}
}

// step takes the best target for the claims whose turn it is in a pass, and
// reports whether there was any.
func (a *allocation) step(p pass, first *pool) bool {
	a.turn, a.later = a.turn[:0], a.later[:0]
	for _, s := range a.seekers {
		switch s.look() {
		case nowhere:
		case p:
			a.turn = append(a.turn, s)
		default:
			a.later = append(a.later, s)
		}
	}
	if len(a.turn) == 0 {
		return false
	}
	t := a.choose(p, first)
	for _, s := range a.turn {
		a.place(s, t.slots(s))
	}
	return true
}

// take has a seeker take an amount of a spot.
func (a *allocation) take(n, seeker int32, amount int64) {
	s := &a.field.spots[n]
	if s.left == s.room && amount < s.left {
		a.partial = append(a.partial, n)
	}
	a.log = append(a.log, taking{n, seeker, amount})
	if seeker != aside {
		a.seekers[seeker].left -= amount
	}
	s.move(amount)
}

// undo gives back all that was taken since the log was that long.
func (a *allocation) undo(to int) {
	for len(a.log) > to {
		x := a.log[len(a.log)-1]
		a.log = a.log[:len(a.log)-1]
		if x.seeker != aside {
			a.seekers[x.seeker].left += x.amount
		}
		s := &a.field.spots[x.spot]
		s.move(-x.amount)
		if n := len(a.partial); s.left == s.room && n > 0 && a.partial[n-1] == x.spot {
			a.partial = a.partial[:n-1]
		}
	}
}

// move takes an amount of a spot, with all sums that it is in.
func (s *spot) move(amount int64) {
	s.left -= amount
	s.pool.left -= amount
	s.pool.taken += amount
	if s.limit != nil {
		s.limit.taken += amount
	}
	for i, l := range s.lists {
		l.total -= amount
		l.sum[s.place[i]/blockLength] -= amount
	}
}
