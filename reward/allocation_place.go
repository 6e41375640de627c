package reward

import "slices"

// place puts what a claim still needs on purchases of its stretches: on one that has
// exactly that left, else on one that covers it, else on as many as it takes. Of
// each sort the latest settled comes first.
func (a *allocation) place(s *seeker, stretches []stretch) {
	if s.left == 0 || len(stretches) == 0 {
		return
	}
	cover := a.latest(stretches, func(x *stretch) int32 { return x.covering(a.field.spots, s.left) })
	if cover < 0 {
		a.sweep(s, stretches)
		return
	}
	if a.field.spots[cover].left != s.left {
		if exact := a.latest(stretches, func(x *stretch) int32 { return a.exact(x, s.left) }); exact >= 0 {
			cover = exact
		}
	}
	a.take(cover, s.number, s.left)
}

// latest returns the latest settled of what a search finds in each slot; -1 is
// nothing.
func (a *allocation) latest(stretches []stretch, search func(*stretch) int32) int32 {
	found := int32(-1)
	for i := range stretches {
		if n := search(&stretches[i]); n >= 0 && (found < 0 || bySpot(a.field.spots, found, n) < 0) {
			found = n
		}
	}
	return found
}

// covering returns the latest settled purchase of the slot that has at least so
// much left; -1 is none.
func (x *stretch) covering(spots []spot, need int64) int32 {
	if x.list == nil {
		return -1
	}
	l := x.list
	for i := x.high - 1; i >= x.low; {
		b := i / blockLength
		start := max(x.low, b*blockLength)
		if min(l.most[b], l.sum[b]) >= need {
			for ; i >= start; i-- {
				if spots[l.spots[i]].left >= need {
					return l.spots[i]
				}
			}
		}
		i = start - 1
	}
	return -1
}

// exact returns the latest settled purchase of the slot that has just so much
// left; -1 is none.
func (a *allocation) exact(x *stretch, need int64) int32 {
	if x.list == nil {
		return -1
	}
	spots, l := a.field.spots, x.list
	found := int32(-1)
	for _, n := range slices.Backward(l.withRoom(need)) {
		at := spots[n].place[l.way]
		if at < x.low {
			break
		}
		if at < x.high && spots[n].left == need {
			found = n
			break
		}
	}
	for _, n := range a.partial {
		s := &spots[n]
		if s.left == need && s.lists[l.way] == l && s.place[l.way] >= x.low && s.place[l.way] < x.high && (found < 0 || bySpot(spots, found, n) < 0) {
			found = n
		}
	}
	return found
}

// sweep takes what there is, from the latest settled on, until the need is met.
func (a *allocation) sweep(s *seeker, stretches []stretch) {
	spots := a.field.spots
	a.rest = append(a.rest[:0], stretches...) // low to high is what was not looked at
	cursors := a.rest
	for s.left > 0 {
		from, n := -1, int32(-1)
		for i := range cursors {
			if m := cursors[i].last(spots); m >= 0 && (n < 0 || bySpot(spots, n, m) < 0) {
				from, n = i, m
			}
		}
		if from < 0 {
			return
		}
		a.take(n, s.number, min(s.left, spots[n].left))
		cursors[from].high--
	}
}

// last returns the latest settled purchase of the slot that has anything left,
// and cuts the slot off behind it; -1 is none.
func (x *stretch) last(spots []spot) int32 {
	if x.list == nil {
		return -1
	}
	for x.high > x.low {
		i := x.high - 1
		if b := i / blockLength; x.list.sum[b] == 0 {
			x.high = max(x.low, b*blockLength)
			continue
		}
		if spots[x.list.spots[i]].left > 0 {
			return x.list.spots[i]
		}
		x.high--
	}
	return -1
}
