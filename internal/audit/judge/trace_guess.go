package judge

import "recoup/reward"

// guessing places refunds that name no purchase, or one that is not there: on
// purchases at the same merchant, then under the same rule, then anywhere, the
// best rewarded first, as the core does. It is a guess, and what rows took may show
// that the program took the refund for one of another purchase.
type guessing struct {
	any       bool // there are such refunds in the account
	placed    []int32
	unplaced  []int32
	merchants names
	latest    []int32 // purchase, by number of the merchant
}

func (g *guessing) reset() {
	g.any = false
	g.placed, g.unplaced, g.latest = g.placed[:0], g.unplaced[:0], g.latest[:0]
	g.merchants.reset()
}

// mostCandidates is how many purchases a guess looks at.
const mostCandidates = 128

// list makes a purchase one that refunds may be of.
func (g *guessing) list(j *Judge, is int32) {
	p := &j.purchases[is]
	if merchant := j.rows[p.row].Merchant; merchant != "" {
		at := g.merchants.find(merchant)
		if at == none {
			at = int32(len(g.latest))
			g.merchants.add(merchant, at)
			g.latest = append(g.latest, none)
		}
		p.sibling = g.latest[at]
		g.latest[at] = is
	}
	for k := len(g.unplaced) - 1; k >= max(0, len(g.unplaced)-glance); k-- {
		r := g.unplaced[k]
		rf := &j.refunds[r]
		if rf.stands() && p.at < rf.at+reward.Instant(j.program.Refunds.MatchDays)*reward.Day && j.rows[rf.row].Merchant == j.rows[p.row].Merchant {
			g.unplaced = append(g.unplaced[:k], g.unplaced[k+1:]...)
			rf.place = Early
			j.placeOn(r, is)
			return
		}
	}
}

// place finds a purchase for a refund.
func (j *Judge) place(is int32) {
	g := &j.guess
	g.any = true
	if on := j.candidate(is); on != none {
		j.placeOn(is, on)
		return
	}
	g.unplaced = append(g.unplaced, is)
}

func (j *Judge) candidate(is int32) int32 {
	rf := &j.refunds[is]
	row := &j.rows[rf.row]
	from := rf.at - reward.Instant(j.program.Refunds.WindowDays)*reward.Day
	best := none
	if row.Merchant != "" {
		if at := j.guess.merchants.find(row.Merchant); at != none {
			k := j.guess.latest[at]
			for n := 0; k != none && n < mostCandidates && j.purchases[k].at >= from; n++ {
				best = j.better(rf, best, k)
				k = j.purchases[k].sibling
			}
		}
	}
	if best != none {
		return best
	}
	rule := int32(j.program.In(rf.cycle).RuleFor(reward.Terms{Merchant: row.Merchant, MCC: row.MCC, Category: row.Category}))
	other := none
	for k := j.arrived - 1; k >= max(0, j.arrived-mostCandidates) && j.purchases[k].at >= from; k-- {
		if j.purchases[k].rule == rule {
			best = j.better(rf, best, k)
		} else {
			other = j.better(rf, other, k)
		}
	}
	if best != none {
		return best
	}
	return other
}

// better returns the better candidate of two: the better rewarded, then an exact
// fit, then one that covers the refund, then the first, which is the later.
func (j *Judge) better(rf *refund, best, other int32) int32 {
	p := &j.purchases[other]
	if p.left() == 0 {
		return best
	}
	if best == none {
		return other
	}
	b := &j.purchases[best]
	switch {
	case p.rate != b.rate:
		if p.rate > b.rate {
			return other
		}
	case b.left() == rf.amount:
	case p.left() == rf.amount, b.left() < rf.amount && p.left() >= rf.amount:
		return other
	}
	return best
}

// placeOn takes a refund to be of a purchase.
func (j *Judge) placeOn(is, on int32) {
	rf, p := &j.refunds[is], &j.purchases[on]
	rf.of = on
	rf.linked = false
	rf.part = min(rf.amount, p.left())
	rf.reversed = p.amount - p.left()
	rf.over = rf.part < rf.amount
	if rf.place != Early {
		rf.place = SameCycle
		if p.cycle != rf.cycle {
			rf.place = LaterCycle
		}
	}
	p.soft += rf.part
	j.guess.placed = append(j.guess.placed, is)
	j.fallDue(is, p, rf.reversed)
	j.takenBefore(is)
}

// makeRoom has refunds that were taken to be of a purchase give way to one that
// names it, with what was taken for them.
func (j *Judge) makeRoom(is int32) {
	rf := &j.refunds[is]
	on := rf.of
	p := &j.purchases[on]
	if p.soft == 0 || p.home+p.soft <= p.amount {
		return
	}
	placed := j.guess.placed
	for k := len(placed) - 1; k >= 0; k-- {
		other := &j.refunds[placed[k]]
		if other.of != on || other.undoneAt != 0 {
			continue
		}
		moved := placed[k]
		j.guess.placed = append(placed[:k], placed[k+1:]...)
		j.lend(moved, is)
		p.soft -= other.part
		if p.bucket != none {
			j.buckets[p.bucket].net += min(other.part, p.left())
		}
		other.of, other.part, other.expected, other.least, other.netted, other.nettedBy = none, 0, 0, 0, false, 0
		j.place(moved)
		return
	}
}

// lend moves what was taken for a refund that names no purchase to one that does,
// as far as something is due of that.
func (j *Judge) lend(from, to int32) {
	lender, rf := &j.refunds[from], &j.refunds[to]
	if lender.netted && !rf.netted && rf.expected > 0 {
		rf.told = true
		lender.lent += lender.nettedBy
		return
	}
	amount := min(lender.taken, rf.due())
	if amount <= 0 {
		return
	}
	lender.taken -= amount
	lender.lent += amount
	if rf.clawbacks == 0 {
		rf.takenFirst, rf.balanceTook = lender.takenFirst, lender.balanceTook
	}
	rf.clawbacks++
	rf.taken += amount
	rf.takenAt, rf.takenRow = max(rf.takenAt, lender.takenAt), max(rf.takenRow, lender.takenRow)
	rf.approximate, rf.told = true, true
}

// debitGuess takes a row that names a purchase, of which no refund is due, for a
// refund that names none, or one that is too large for its own purchase.
func (j *Judge) debitGuess(is int32, amount int64, row int32) bool {
	g := &j.guess
	if !g.any {
		return false
	}
	p, at := &j.purchases[is], j.rows[row].At
	merchant := j.rows[p.row].Merchant
	found := none
	look := func(list []int32) {
		for k := len(list) - 1; k >= max(0, len(list)-8*glance); k-- {
			rf := &j.refunds[list[k]]
			if !rf.stands() || rf.at < at-forgotten || rf.taken > 0 && rf.due() == 0 {
				continue
			}
			switch {
			case rf.of == is && rf.due() > 0:
				found = list[k]
				return
			case found == none && (rf.due() > 0 || rf.of == none || rf.netted) && j.rows[rf.row].Merchant == merchant:
				found = list[k]
			}
		}
		for k := len(list) - 1; found == none && k >= max(0, len(list)-8*glance); k-- {
			if rf := &j.refunds[list[k]]; rf.stands() && rf.at >= at-forgotten && (rf.due() > 0 || rf.of == none) {
				found = list[k]
			}
		}
	}
	look(g.placed)
	if found == none {
		look(g.unplaced)
	}
	if found == none {
		return false
	}
	rf := &j.refunds[found]
	if rf.of != is && rf.of != none && rf.taken == 0 {
		// The program took it to be of this one.
		j.move(found, is)
	}
	j.take(found, amount, row)
	return true
}

// move takes a refund to be of another purchase than before.
func (j *Judge) move(is, to int32) {
	rf := &j.refunds[is]
	from, p := &j.purchases[rf.of], &j.purchases[to]
	if p.left() == 0 || !p.arrived {
		return
	}
	from.soft -= rf.part
	if from.bucket != none {
		j.buckets[from.bucket].net += rf.part
	}
	j.index.changed(j, rf.of)
	rf.netted, rf.nettedBy = false, 0
	rf.of = to
	rf.part = min(rf.amount, p.left())
	rf.reversed = p.amount - p.left()
	p.soft += rf.part
	if rf.place != Early {
		rf.place = SameCycle
		if p.cycle != rf.cycle {
			rf.place = LaterCycle
		}
	}
	j.fallDue(is, p, rf.reversed)
}

// settleGuesses gives refunds that name their purchase and were taken too little
// for what was taken for others that may as well be theirs.
func (j *Judge) settleGuesses() {
	if !j.guess.any {
		return
	}
	var lenders []int32
	for k := range j.refunds {
		if rf := &j.refunds[k]; !rf.linked && (rf.taken > 0 || rf.netted) {
			lenders = append(lenders, int32(k))
		}
	}
	if len(lenders) == 0 {
		return
	}
	for k := range j.refunds {
		rf := &j.refunds[k]
		if !rf.linked || rf.of == none || rf.due() <= 1 {
			continue
		}
		merchant := j.rows[j.purchases[rf.of].row].Merchant
		for _, l := range lenders[:min(len(lenders), mostCandidates)] {
			lender := &j.refunds[l]
			if m := j.rows[lender.row].Merchant; (lender.taken > 0 || lender.netted && lender.lent == 0) && (m == "" || m == merchant) {
				j.lend(l, int32(k))
			}
			if rf.due() <= 1 {
				break
			}
		}
	}
}
