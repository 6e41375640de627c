package reward

import "slices"

// proportional is f of clawback method Proportional at a reversed amount: the
// reward that Algorithm 2 leaves, rounded down.
func (t *transaction) proportional(reversed int64) int64 {
	if t.base == 0 {
		return 0
	}
	left := t.amount - reversed
	if left > t.base && t.original == t.bucket.rule.Rate.Of(t.base) {
		return t.bucket.rule.Rate.Of(left)
	}
	return mulDiv(t.original, left, t.base)
}

// keeps is f at a reversed amount; under Rerate it leaves the cap aside.
func (a *Account) keeps(t *transaction, reversed int64) int64 {
	if t.bucket.program.Method == Rerate {
		return t.bucket.rule.Rate.Of(t.amount - reversed)
	}
	return t.proportional(reversed)
}

// touch puts a transaction on the list of what levelling has to look at.
func (a *Account) touch(t *transaction) {
	if !t.is(changed) {
		a.hand(t)
		t.set(changed)
		a.dirty = append(a.dirty, t)
		a.rehold(t)
	}
}

// level brings the retained reward of every granted transaction to what its
// facts leave of it, and makes the grants that a statement close left open.
func (s *step) level() {
	open := s.levelOnce()
	for {
		i := slices.IndexFunc(open, func(t *transaction) bool { return t.net() > 0 })
		if i < 0 {
			return
		}
		t := open[i]
		if s.moving() {
			open = slices.Delete(open, i, i+1)
		} else {
			// What stood before t has nothing left, and without unlinked money
			// a grant cannot change that.
			open = open[i+1:]
		}
		s.grant(t)
		s.allocate()
		if more := s.levelOnce(); len(more) > 0 {
			open = append(slices.Clone(open), more...)
			slices.SortFunc(open, byOrder)
			open = slices.Compact(open)
		}
	}
}

// levelOnce levels what has changed and returns, in posting order, the changed
// transactions past their close that still wait for their grant.
func (s *step) levelOnce() []*transaction {
	s.rank()
	if len(s.dirty) == 0 {
		return nil
	}
	var open, proportional, rerated, layered []*transaction
	slices.SortFunc(s.dirty, byOrder)
	for _, t := range s.dirty {
		s.hand(t)
		t.clear(changed)
		switch {
		case !t.is(granted):
			if t.postedAt < s.cycleStart {
				open = append(open, t)
			}
		case t.layered():
			layered = append(layered, t)
		case t.bucket == nil:
		case t.bucket.program.Method == Rerate:
			rerated = append(rerated, t)
		default:
			proportional = append(proportional, t)
		}
	}
	s.dirty = s.dirty[:0]
	s.levelProportional(proportional)
	s.levelRerate(rerated)
	if len(layered) > 0 {
		s.levelLayers(layered)
	}
	return open
}

// levelProportional makes all decreases, then all increases, each in posting
// order; an increase is bounded by the room that the cap has left.
func (s *step) levelProportional(list []*transaction) {
	var rises []*transaction
	var freed []*bucket
	for _, t := range list {
		f := t.proportional(t.reversed())
		kind := Reallocation
		if t.reversed() > t.levelled {
			kind = Clawback
		}
		switch {
		case f < t.retained:
			s.retain(t, f, kind)
		case f > t.retained && !t.is(short):
			rises = append(rises, t)
		}
		if b := t.bucket; b.edge != nil && !slices.Contains(freed, b) {
			freed = append(freed, b)
			rises = append(rises, b.edge.waiting...)
			b.edge = nil
		}
	}
	slices.SortFunc(rises, byOrder)
	for _, t := range rises {
		s.hand(t)
		t.clear(short)
		kind := Reallocation
		if t.reversed() < t.levelled {
			kind = Restore
		}
		f := t.proportional(t.reversed())
		if f > t.retained {
			s.retain(t, min(f, t.retained+t.bucket.room()), kind)
		}
		if f > t.retained {
			t.set(short)
			e := t.bucket.edges()
			e.waiting = append(e.waiting, t)
		}
	}
	for _, t := range list {
		t.levelled = t.reversed()
	}
}

// levelRerate brings every bucket that changed to what it would be had the
// reversed part never been bought.
func (s *step) levelRerate(list []*transaction) {
	if len(list) == 0 {
		return
	}
	var moves []*transaction
	before := make(map[*transaction]int64, len(list))
	for len(list) > 0 {
		b := list[0].bucket
		var own, others []*transaction
		for _, t := range list {
			if t.bucket == b {
				own = append(own, t)
			} else {
				others = append(others, t)
			}
		}
		list = others
		for _, t := range own {
			before[t] = t.levelled
		}
		if b.capped() {
			moves = append(moves, s.rerate(b, own)...)
			continue
		}
		for _, t := range own {
			t.levelled = t.reversed()
		}
		moves = append(moves, own...)
	}
	slices.SortFunc(moves, byOrder)
	for _, t := range moves {
		f := t.due()
		if t.bucket.capped() {
			f = t.bucket.share(t)
		}
		was, own := before[t]
		own = own && !t.is(split)
		kind := Reallocation
		switch {
		case own && f < t.retained && t.levelled > was:
			kind = Clawback
		case own && f > t.retained && t.levelled < was:
			kind = Restore
		}
		s.retain(t, f, kind)
	}
}

// retain sets the retained reward of a transaction and posts the difference.
func (s *step) retain(t *transaction, to int64, kind Kind) {
	before := t.retained
	if to == before {
		return
	}
	b := t.bucket
	s.hand(t)
	s.handBucket(b)
	t.retained = to
	b.used += to - before
	s.earn(t.cycle, to-before)
	if t.is(immature) {
		b.young += to - before
	}
	s.rehold(t)
	p := s.post(kind, to-before)
	p.Transaction, p.Item = t.name()
	p.Version, p.Rule = b.program.Version, b.rule.ID
	p.Formula = Formula{
		Method: b.program.Method, Purchase: t.amount, Reversed: t.reversed(), Base: t.base, Original: t.original,
		Before: before, After: to, Rate: b.rule.Rate, Cap: b.rule.Cap, Used: b.used,
	}
}
