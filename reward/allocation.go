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

// ownItems is the round before them, in which spreads look for items of their purchase.
const ownItems = sameBoth - 1

// placement is money of a claim that lies on a purchase.
type placement struct {
	on     *transaction
	amount int64
}

// allocation is claims at work on a field.
type allocation struct {
	field   *field
	seekers []*seeker // in the order of their claims
	pools   []*pool   // capped ones that a claim may touch
	sums    []bidSums // by pool
	bids    []int64   // by seeker and pool
	start   start

	log     []taking
	partial []int32 // spots of which something is taken and something is left

	offers []bidding // scratch, as all below
	loose  []int
	here   []stretch
	rest   []stretch
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
	placed := make([][]placement, len(claims))
	for _, x := range a.tries() {
		placed[x.seeker] = append(placed[x.seeker], placement{f.spots[x.spot].on, x.amount})
	}
	a.undo(0)
	return placed
}

// begin sets what runs begin with.
func (a *allocation) begin(less []placement) {
	f := a.field
	for _, l := range f.limits {
		l.begin()
	}
	for _, list := range [...][]*pool{f.fixed, f.capped} {
		for _, p := range list {
			p.taken = 0
		}
	}
	for _, x := range less {
		if n, there := f.at[x.on]; there {
			a.take(n, aside, x.amount)
		} else if l := f.limits[x.on.bucket]; l != nil {
			l.base -= x.amount
			if _, fixed := x.on.worthAlone(); !fixed {
				l.rest -= x.amount
			}
		}
	}
	for _, l := range f.limits {
		l.base -= l.taken
		l.taken = 0
		if l.pool != nil {
			l.rest -= l.pool.taken
		}
	}
	for _, list := range [...][]*pool{f.fixed, f.capped} {
		for _, p := range list {
			p.taken = 0
		}
	}
	for _, p := range f.capped {
		p.number, p.passed = -1, false
	}
	for _, s := range a.seekers {
		widest := &s.by[s.widest()]
		if all := f.lists[widest.manner]; all != nil && widest.may {
			for _, l := range all.capped {
				if p := l.pool; p.number < 0 && p.left > 0 {
					if x := s.stretch(l); x.low < x.high && x.some() {
						p.number = len(a.pools)
						a.pools = append(a.pools, p)
					}
				}
			}
		}
	}
	n := len(a.pools)
	a.sums, a.bids = make([]bidSums, n), make([]int64, n*len(a.seekers))
	for i, s := range a.seekers {
		s.bids = a.bids[i*n : (i+1)*n]
	}
}

// tries runs once as it comes, and once for each cap that binds and that a claim
// may touch with that one first: the best for one may spoil another. It returns
// what the run took after which all purchases together are worth least.
func (a *allocation) tries() []taking {
	begun := len(a.log)
	var binding []*pool
	for _, p := range a.pools {
		if p.limit.binds() {
			binding = append(binding, p)
		}
	}
	slices.SortFunc(binding, byAge)
	binding = binding[:min(len(binding), mostTries)]
	a.start.wanted = len(binding) > 0
	a.run(nil)
	if len(binding) == 0 {
		return a.log[begun:]
	}
	best, most := slices.Clone(a.log[begun:]), a.gain()
	for _, p := range binding {
		if !p.passed {
			continue // it was first whenever it could be
		}
		a.undo(begun)
		a.run(p)
		if g := a.gain(); g.above(most) {
			best, most = append(best[:0], a.log[begun:]...), g
		}
	}
	return best
}

// byAge orders capped pools: the newest cycle first, then the earlier rule.
func byAge(p, q *pool) int {
	b, c := p.limit.bucket, q.limit.bucket
	if b.cycle != c.cycle {
		return int(c.cycle) - int(b.cycle)
	}
	return int(b.number) - int(c.number)
}

// run has all claims choose, in four passes, until none has a candidate. The pool
// given is taken first whenever anything can be taken of it.
func (a *allocation) run(first *pool) {
	a.line()
	for p := sameBoth; p < nowhere; p++ {
		for a.step(p, first) {
		}
	}
}

// step takes the best target for the claims whose turn it is in a pass, and
// reports whether there was any.
func (a *allocation) step(p pass, first *pool) bool {
	if !slices.ContainsFunc(a.seekers, func(s *seeker) bool { return s.own == p }) {
		return false
	}
	t := a.choose(p, first)
	a.keepStart()
	for _, s := range a.seekers {
		if s.own == p && s.left > 0 {
			left := s.left
			a.place(s, a.stretches(&t, s))
			if s.left != left {
				a.bidAnew(s)
			}
		}
	}
	if t.pool != nil {
		a.rebid(t.pool.number)
	}
	for _, i := range t.loose {
		a.rebid(i)
	}
	for _, s := range a.seekers {
		if s.own < nowhere {
			a.seek(s)
		}
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
