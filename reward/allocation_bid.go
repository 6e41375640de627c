package reward

import "slices"

// bidSums is what claims bid for a capped pool: what each could place there by its
// own pass if it were alone, and how many they are by pass.
type bidSums struct {
	most  int64
	reach [nowhere]int32
	// take is what all together would take of it in a pass. Known is that pass and
	// one; zero: it has to be worked out.
	take  int64
	known pass
}

// start is how claims stand as a run begins. The first run finds it out, with what
// of the targets it looked at would be taken, and the others begin with it.
type start struct {
	wanted  bool // others follow
	kept    bool
	sums    []bidSums
	bids    []int64
	seekers []seeker
}

// line has all claims stand where a run begins.
func (a *allocation) line() {
	if b := &a.start; b.kept {
		copy(a.sums, b.sums)
		copy(a.bids, b.bids)
		for i, s := range a.seekers {
			s.left, s.own, s.next, s.wanted = s.need, b.seekers[i].own, b.seekers[i].next, b.seekers[i].wanted
		}
		return
	}
	for _, s := range a.seekers {
		s.left = s.need
		a.enter(s, sameBoth)
		a.seek(s)
	}
}

// keepStart keeps how claims stand before anything was taken.
func (a *allocation) keepStart() {
	b := &a.start
	if b.kept || !b.wanted {
		return
	}
	b.kept, b.sums, b.bids = true, slices.Clone(a.sums), slices.Clone(a.bids)
	for _, s := range a.seekers {
		b.seekers = append(b.seekers, *s)
	}
}

// seek has a claim look in the first pass, from its own on, in which it has a
// candidate. What a run takes does not come back in it, so no pass does either.
func (a *allocation) seek(s *seeker) {
	if s.left == 0 {
		a.withdraw(s)
		s.own = nowhere
	}
	for s.own < nowhere && s.wanted == 0 && s.dearest(s.own) == nil {
		a.enter(s, s.own+1)
	}
}

// enter has a claim look in a pass, and enters what it bids there.
func (a *allocation) enter(s *seeker, p pass) {
	if s.own = p; p == nowhere {
		return
	}
	capped := s.prospect(p, a.pools).capped
	for i := range capped {
		a.bid(s, i, &capped[i])
	}
}

// bid enters what a claim bids for a pool now.
func (a *allocation) bid(s *seeker, i int, x *stretch) {
	was, is := s.bids[i], min(s.left, x.sum(s.left))
	if was == is {
		return
	}
	b := &a.sums[i]
	b.known = 0
	b.most += is - was
	s.bids[i] = is
	switch {
	case was == 0:
		s.wanted++
		b.reach[s.own]++
	case is == 0:
		s.wanted--
		b.reach[s.own]--
	}
}

// bidAnew is for a claim that needs less than it did.
func (a *allocation) bidAnew(s *seeker) {
	capped := s.by[s.own].capped
	for i := range capped {
		if s.bids[i] > 0 {
			a.bid(s, i, &capped[i])
		}
	}
}

// rebid is for a pool of which less is left than was.
func (a *allocation) rebid(i int) {
	for _, s := range a.seekers {
		if s.bids[i] > 0 {
			a.bid(s, i, &s.by[s.own].capped[i])
		}
	}
}

// withdraw takes back all that a claim bids.
func (a *allocation) withdraw(s *seeker) {
	if s.wanted == 0 {
		return
	}
	for i, is := range s.bids {
		if is > 0 {
			a.sums[i].known = 0
			a.sums[i].most -= is
			a.sums[i].reach[s.own]--
			s.bids[i] = 0
		}
	}
	s.wanted = 0
}

// wouldTake is what placing everybody's money on a capped pool would put there:
// those whose turn it is first, then those who come later, each by its own pass.
func (a *allocation) wouldTake(i int, p pass) int64 {
	b := &a.sums[i]
	if b.known == p+1 {
		return b.take
	}
	sum, plain := a.plainly(i)
	if !plain {
		sum = a.tryOut(i, p)
	}
	b.take, b.known = sum, p+1
	return sum
}

// tryOut places everybody's money on a pool, and takes it back.
func (a *allocation) tryOut(i int, p pass) (sum int64) {
	q, begun := a.pools[i], len(a.log)
	place := func(s *seeker) {
		if s.bids[i] > 0 && q.left > 0 {
			a.here = append(a.here[:0], s.by[s.own].capped[i])
			a.place(s, a.here)
		}
	}
	for _, s := range a.seekers {
		if s.own == p {
			place(s)
		}
	}
	for _, s := range a.seekers {
		if s.own != p {
			place(s)
		}
	}
	for _, x := range a.log[begun:] {
		sum += x.amount
	}
	a.undo(begun)
	return sum
}

// plainly is the same where it does not matter who takes what: where there is but
// one, where all is taken in any case, where there is enough for all, or where
// those who bid for different lists of one manner do not meet.
func (a *allocation) plainly(i int) (sum int64, plain bool) {
	q := a.pools[i]
	var needs, wide, apart int64
	bidders, enough := 0, int64(-1)
	own, lists := nowhere, true
	for _, s := range a.seekers {
		if s.bids[i] == 0 {
			continue
		}
		x := &s.by[s.own].capped[i]
		all := x.sum(q.left)
		if all == q.left {
			wide += s.left
		}
		if bidders == 0 {
			own, enough = s.own, all
		}
		enough = min(enough, all)
		lists = lists && s.own == own && x.whole()
		needs += s.left
		sum = s.bids[i]
		bidders++
	}
	switch {
	case bidders <= 1:
		return sum, true
	case wide >= q.left:
		return q.left, true
	case enough >= needs:
		return needs, true
	case wide == needs:
		return min(needs, q.left), true
	case !lists:
		return 0, false
	}
	for _, s := range a.seekers {
		if s.bids[i] > 0 {
			s.by[s.own].capped[i].list.sought += s.left
		}
	}
	for _, s := range a.seekers {
		if s.bids[i] > 0 {
			l := s.by[s.own].capped[i].list
			apart += min(l.sought, l.total)
			l.sought = 0
		}
	}
	return apart, true
}
