package reward

import (
	"cmp"
	"math/big"
	"slices"
)

// placing is claims at work on a worksheet: allocation where terms are not plain.
type placing struct {
	*worksheet
	seekers []*termsSeeker
	list    []*line // of candidates, used again and again
}

// place places claims, which are in order, and leaves aside what is said of some
// purchases: docs/terms.md, section 9. It returns where the money of each lies.
func (a *Account) placeByTerms(claims []*claim, less []placement) [][]placement {
	d := &placing{worksheet: a.worksheetFor(claims, less)}
	for i, c := range claims {
		d.seekers = append(d.seekers, d.seeker(c, i))
	}
	placed := make([][]placement, len(claims))
	for _, x := range d.tries() {
		placed[x.claim] = append(placed[x.claim], placement{x.line.of, x.amount})
	}
	return placed
}

// tries runs once as it comes, and once for each basket or bonus that binds and that
// a claim may touch, with that one first.
func (d *placing) tries() []portion {
	var binding []*termsTarget
	for _, t := range d.targets(nil) {
		if t.book != nil && d.anyCandidate(t) {
			binding = append(binding, t)
		}
	}
	slices.SortFunc(binding, byTies)
	binding = binding[:min(len(binding), mostTries)]
	d.run(nil)
	if len(binding) == 0 {
		return d.log
	}
	best, least := slices.Clone(d.log), d.together()
	for _, t := range binding {
		d.undo(0)
		d.run(t.book)
		if worth := d.together(); worth.Cmp(least) < 0 {
			best, least = slices.Clone(d.log), worth
		}
	}
	return best
}

func (d *placing) anyCandidate(t *termsTarget) bool {
	for _, c := range d.seekers {
		for p := ownItems; p < nowhere; p++ {
			if (turn{c, p}).any(t.lines) {
				return true
			}
		}
	}
	return false
}

// run has all claims choose, spreads before the four passes of the others, until none
// has a candidate. The book given is taken first, once in each pass.
func (d *placing) run(ahead *book) {
	for _, c := range d.seekers {
		c.left = c.need
	}
	for p := ownItems; p < nowhere; p++ {
		for forced := ahead; ; {
			now, later := d.turns(p)
			if len(now) == 0 {
				break
			}
			if d.step(now, later, ahead, forced) {
				forced = nil
			}
		}
	}
}

// step takes the best target for the claims whose turn it is, or the one that is to
// be first, and reports whether it was that.
func (d *placing) step(now, later []turn, apart, forced *book) (first bool) {
	var best *termsTarget
	var most *big.Rat
	var parts []portion
	for _, t := range d.targets(apart) {
		if !d.canTake(t, now) {
			continue
		}
		worth, beginning := t.worth, []portion(nil)
		if !t.linear {
			worth, beginning = d.beginning(t, now, later)
		}
		if forced != nil && t.book == forced {
			best, parts, first = t, beginning, true
			break
		}
		if best == nil || worth.Cmp(most) > 0 || worth.Cmp(most) == 0 && byTies(t, best) < 0 {
			best, most, parts = t, worth, beginning
		}
	}
	if best.linear {
		d.placeAll(best, now, nil)
		return first
	}
	mine := slices.DeleteFunc(parts, func(x portion) bool {
		return !slices.ContainsFunc(now, func(y turn) bool { return y.number == x.claim })
	})
	if len(mine) == 0 {
		d.placeAll(best, now, nil)
		return first
	}
	for _, x := range mine {
		d.seekers[x.claim].left -= x.amount
		d.take(x.claim, x.line, x.amount)
	}
	return first
}

// beginning places everybody's money on a target and returns the beginning of it
// that takes most a unit, with what it takes; of equals the longest.
func (d *placing) beginning(t *termsTarget, now, later []turn) (worth *big.Rat, parts []portion) {
	begun := len(d.log)
	left := make([]int64, len(d.seekers))
	for i, c := range d.seekers {
		left[i] = c.left
	}
	var taken, best each
	longest := 0
	d.placeAll(t, slices.Concat(now, later), func(amount int64, by fall) {
		taken = each{taken.plus(by), taken.spend + amount}
		if longest == 0 || taken.cmp(best) >= 0 {
			best, longest = taken, len(d.log)
		}
	})
	worth = best.rat(d.scale)
	parts = slices.Clone(d.log[begun:longest])
	d.undo(begun)
	for i, c := range d.seekers {
		c.left = left[i]
	}
	return worth, parts
}

// placeAll lays each claim on those of a target's lines that it may be of.
func (d *placing) placeAll(t *termsTarget, claims []turn, see func(amount int64, by fall)) {
	for _, c := range claims {
		d.placeOne(t, c, see)
	}
}

func (d *placing) placeOne(t *termsTarget, c turn, see func(int64, fall)) {
	preference := asSettled
	if t.book != nil {
		preference = t.book.prefers()
	}
	list := d.candidates(c, t.lines)
	if preference == asSettled {
		list = inOrderFor(list, c.left)
	}
	for len(list) > 0 && c.left > 0 {
		at := 0
		switch preference {
		case mostTaken:
			at = d.takesMost(list, c.left)
		case leastSpend:
			at = leastOf(list)
		case firstPosted:
			at = slices.Index(list, slices.MinFunc(list, func(x, y *line) int { return byOrder(x.of, y.of) }))
		}
		l := list[at]
		if at == 0 {
			list = list[1:]
		} else {
			list = slices.Delete(list, at, at+1)
		}
		amount := min(c.left, l.left)
		c.left -= amount
		by := d.take(c.number, l, amount)
		if see != nil {
			see(amount, by)
		}
	}
}

// takesMost is where, in a list by settlement, the line is of which a part takes most a
// unit, of equals the first in order.
func (d *placing) takesMost(list []*line, need int64) int {
	at := -1
	var most each
	for i, l := range slices.Backward(list) {
		amount := min(need, l.left)
		one := each{d.trial(l, amount), amount}
		order := 1
		if at >= 0 {
			order = one.cmp(most)
		}
		if order > 0 || order == 0 && fit(l, need) < fit(list[at], need) {
			at, most = i, one
		}
	}
	return at
}

// leastOf is where, in a list by settlement, the line is of which least is left, of
// equals the latest.
func leastOf(list []*line) (at int) {
	for i, l := range list {
		if l.left <= list[at].left {
			at = i
		}
	}
	return at
}

// fit is the order in which a claim takes lines: what it needs exactly, then what covers
// it, then the rest; in each the latest settled.
func fit(l *line, need int64) int {
	switch {
	case l.left == need:
		return 0
	case l.left > need:
		return 1
	}
	return 2
}

// inOrderFor orders lines, which are by settlement, as a claim takes them. One that is
// enough is all it takes.
func inOrderFor(list []*line, need int64) []*line {
	at := -1
	for i, l := range slices.Backward(list) {
		if f := fit(l, need); f < 2 && (at < 0 || f < fit(list[at], need)) {
			at = i
		}
	}
	if at >= 0 {
		return list[at : at+1]
	}
	slices.Reverse(list)
	return list
}

func (d *placing) canTake(t *termsTarget, claims []turn) bool {
	return slices.ContainsFunc(claims, func(c turn) bool { return c.any(t.lines) })
}

// targets groups the lines by what reversing them takes. The book apart is a target
// of its own even where its limit does not bind any more.
func (d *placing) targets(apart *book) (list []*termsTarget) {
	for _, b := range d.books {
		b.target = nil
		if b == apart || b.limits() {
			b.target = &termsTarget{book: b}
			list = append(list, b.target)
		}
	}
	linear := make([]*termsTarget, len(d.classes))
	for _, l := range d.lines {
		if l.left == 0 {
			continue
		}
		part := false
		if !l.alone {
			for i := range l.roles {
				x := &l.roles[i]
				if x.pick == none {
					continue
				}
				if x.book != nil && x.book.target != nil {
					if t := x.book.target; !l.again(i) {
						t.lines = append(t.lines, l)
					}
					part = part || x.book.rank != ofTiers
				} else if (x.book == nil || x.book.rank == ofRules) && x.earning.Bends() {
					list = append(list, &termsTarget{single: x, lines: []*line{l}})
					part = true
				}
			}
		}
		if part {
			continue
		}
		if linear[l.class] == nil {
			linear[l.class] = &termsTarget{linear: true, worth: d.classes[l.class]}
		}
		linear[l.class].lines = append(linear[l.class].lines, l)
	}
	return slices.DeleteFunc(append(list, linear...), func(t *termsTarget) bool { return t == nil || len(t.lines) == 0 })
}

// byTies orders targets of equal worth: linear, then the newest period, then rules
// before bonuses and these before tiers, then file order, then the greater id.
func byTies(x, y *termsTarget) int {
	return cmp.Or(
		first(x.linear, y.linear),
		cmp.Compare(y.since(), x.since()),
		cmp.Compare(x.rank(), y.rank()),
		cmp.Compare(x.file(), y.file()),
		cmp.Compare(y.id(), x.id()),
	)
}

func (t *termsTarget) since() Instant {
	switch {
	case t.book != nil:
		return t.book.begins
	case t.single != nil:
		return t.single.line.of.settledAt
	}
	return 0
}

func (t *termsTarget) rank() bookRank {
	if t.book == nil {
		return ofRules
	}
	return t.book.rank
}

func (t *termsTarget) file() int32 {
	switch {
	case t.book != nil:
		return t.book.file
	case t.single != nil:
		return t.single.file
	}
	return 0
}

func (t *termsTarget) id() string {
	if t.single != nil {
		return t.single.line.of.id
	}
	return ""
}
