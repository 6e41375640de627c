package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// summing explains rows that a statement close posted in one sum: grants of the
// cycle that closed, less clawbacks of refunds that came in it.
//
// A program may take some kinds of refunds into account and others not. Plain ones
// (linked, no chargeback, within their purchase) stand or fall together, those in
// the cycle of their purchase and those later; of the others the first few are each
// tried both ways.
type summing struct {
	cycle    reward.Cycle // the closed one that was tried last
	tries    int
	accepted bool    // a row was taken for its sum
	grants   []int32 // purchases of the cycle without a reward
	pending  []int32 // refunds that came in it
	special  []int32 // those that are not plain, of both
	used     []int64 // of caps, by rule
	values   []int64 // of grants, in the best reading
	trial    []int64
}

func (s *summing) reset() { s.cycle, s.tries, s.accepted = 0, 0, false }

const (
	// Plain refunds in the cycle of their purchase are a group, and those later.
	plainSame  = 0
	plainLater = 1
	// mostSpecial is how many of the others are told apart.
	mostSpecial = 4
	// mostTries is how often rows of one close are compared with its sum: programs
	// that post one by one would make it long.
	mostTries = 4
)

// explainSum takes a row for the sum of a close.
func (j *Judge) explainSum(row int32) bool {
	at := j.rows[row].At
	switch {
	case at < j.cycleStart+closeWithin:
		return j.sumOf(j.book.cycle-1, row)
	case at >= j.cycleEnd-closeBefore:
		return j.sumOf(j.book.cycle, row)
	}
	return false
}

func (j *Judge) sumOf(cycle reward.Cycle, row int32) bool {
	s := &j.sum
	if s.cycle != cycle {
		s.cycle, s.tries, s.accepted = cycle, 0, false
	}
	if s.tries++; s.tries > mostTries {
		return false
	}
	j.collect(cycle)
	if len(s.grants)+len(s.pending) < 1 {
		return false
	}
	best := j.bestReading(j.rows[row].Amount)
	if best.found {
		j.accept(best, row)
		return true
	}
	return j.inexact(row)
}

// silentClose looks back at the close of a cycle: where no row came with it, grants
// and clawbacks may have been just equal.
func (j *Judge) silentClose(cycle reward.Cycle) {
	s := &j.sum
	if s.cycle == cycle && s.accepted || len(j.waiting()) == 0 || len(j.closes) == 0 {
		return
	}
	j.collect(cycle)
	if len(s.pending) == 0 || len(s.grants) == 0 {
		return
	}
	if best := j.bestReading(0); best.found && best.grants && best.differs == 0 {
		s.cycle, j.now = cycle, cycle.End()
		j.accept(best, int32(len(j.closes)-1))
	}
}

// collect lists what the close of a cycle may post.
func (j *Judge) collect(cycle reward.Cycle) {
	s := &j.sum
	s.grants, s.pending, s.special = s.grants[:0], s.pending[:0], s.special[:0]
	for k := j.arrived - 1; k >= 0 && j.purchases[k].cycle >= cycle; k-- {
		if p := &j.purchases[k]; p.cycle == cycle && !p.granted && p.rate > 0 {
			s.grants = append(s.grants, k)
		}
	}
	reverse(s.grants)
	for _, is := range s.grants {
		p := &j.purchases[is]
		for r := p.first; r != none; r = j.refunds[r].next {
			j.sort(r)
		}
		if p.soft > 0 {
			for _, r := range j.guess.placed {
				if j.refunds[r].of == is {
					j.sort(r)
				}
			}
		}
	}
	for _, is := range j.waiting() {
		if rf := &j.refunds[is]; rf.cycle == cycle && rf.due() > 0 {
			s.pending = append(s.pending, is)
			j.sort(is)
		}
	}
}

func reverse(list []int32) {
	for i, k := 0, len(list)-1; i < k; i, k = i+1, k-1 {
		list[i], list[k] = list[k], list[i]
	}
}

// sort puts a refund into its group.
func (j *Judge) sort(is int32) {
	s, rf := &j.sum, &j.refunds[is]
	rf.group = plainSame
	if rf.place == LaterCycle {
		rf.group = plainLater
	}
	if (rf.chargeback || !rf.linked || rf.over) && rf.stands() {
		if len(s.special) < mostSpecial {
			s.special = append(s.special, is)
			rf.group = int8(len(s.special)) + plainLater
		}
	}
}

// reading is one way to read a sum.
type reading struct {
	found   bool
	grants  bool // the grants are in it
	left    uint // groups of refunds that grants leave out, as bits
	taken   uint // groups that are taken
	after   bool // shares are those of flaw G1
	excess  bool // refunds above their purchase are taken whole
	differs int64
	loose   bool // it fits only if each grant is off by one as well
}

// bestReading compares a sum with what it would be under each reading. It must fit
// but for rounding, by one unit for each clawback in it or, failing that, for each
// grant too; of several the one is taken in which most refunds count.
func (j *Judge) bestReading(sum int64) (best reading) {
	s := &j.sum
	groups := uint(1) << (len(s.special) + 2)
	tolerance := int64(len(s.pending))
	try := func(r reading, grants int64, count int64) {
		differs := max(sum-grants, grants-sum)
		if r.loose = differs > tolerance; differs <= tolerance+count && (!best.found || best.loose && !r.loose) {
			r.found, r.differs = true, differs
			best = r
		}
	}
	var shares, afters, excesses [mostSpecial + 2]int64
	g1 := false
	for _, is := range s.pending {
		rf := &j.refunds[is]
		shares[rf.group] += rf.due()
		after := rf.due()
		if v := j.afterClose(rf); v != rf.expected && rf.taken == 0 {
			after, g1 = v, true
		}
		afters[rf.group] += after
		excesses[rf.group] += j.excess(rf)
	}
	of := func(by *[mostSpecial + 2]int64, mask uint) (total int64) {
		for g := range by {
			if mask>>g&1 == 1 {
				total += by[g]
			}
		}
		return total
	}
	debits := func(r reading, grants, count int64) {
		for taken := int(groups) - 1; taken >= 0; taken-- {
			r.taken = uint(taken)
			if len(s.pending) == 0 && taken != int(groups)-1 {
				return
			}
			if !r.grants && of(&shares, r.taken) == 0 {
				continue
			}
			r.after, r.excess = false, false
			try(r, grants-of(&shares, r.taken), count)
			if g1 {
				r.after = true
				try(r, grants-of(&afters, r.taken), count)
			}
			if more := of(&excesses, r.taken); more > 0 {
				r.after, r.excess = false, true
				try(r, grants-of(&shares, r.taken)-more, count)
			}
		}
	}
	if sum < 0 {
		debits(reading{}, 0, 0)
		if best.found && !best.loose {
			return best
		}
	}
	if len(s.grants) == 0 {
		return best
	}
	for left := int(groups) - 1; left >= 0; left-- {
		total := j.grantsUnder(uint(left))
		r := reading{grants: true, left: uint(left)}
		if total > 0 {
			debits(r, total, int64(len(s.grants)))
		}
		if best.found && !best.loose {
			return best
		}
	}
	return best
}

// grantsUnder works out the grants if they leave those groups of refunds out, cap
// by cap in order of posting. The values are in trial.
func (j *Judge) grantsUnder(left uint) (total int64) {
	s := &j.sum
	s.trial, s.used = s.trial[:0], s.used[:0]
	for _, is := range s.grants {
		p := &j.purchases[is]
		net := p.amount - min(p.amount, j.leftOut(is, left))
		value := p.rate.Of(net)
		if b := &j.buckets[p.bucket]; b.capped() {
			for len(s.used) <= int(p.rule) {
				s.used = append(s.used, 0)
			}
			value = min(value, max(0, b.room()-s.used[p.rule]))
			s.used[p.rule] += value
		}
		s.trial = append(s.trial, value)
		total += value
	}
	return total
}

// leftOut is the sum of the refunds of a purchase in those groups.
func (j *Judge) leftOut(is int32, left uint) (sum int64) {
	p := &j.purchases[is]
	if p.home+p.soft == 0 {
		return 0
	}
	for r := p.first; r != none; r = j.refunds[r].next {
		if rf := &j.refunds[r]; rf.stands() && left>>rf.group&1 == 1 {
			sum += rf.amount
		}
	}
	if p.soft > 0 {
		for _, r := range j.guess.placed {
			if rf := &j.refunds[r]; rf.of == is && rf.stands() && left>>rf.group&1 == 1 {
				sum += rf.part
			}
		}
	}
	return sum
}

// accept posts a reading: grants to purchases, clawbacks to refunds.
func (j *Judge) accept(r reading, row int32) {
	s := &j.sum
	s.accepted = true
	if j.rows[row].Kind == history.Reward {
		j.closes[row] = true
	}
	if r.grants {
		j.grantsUnder(r.left)
		s.values = append(s.values[:0], s.trial...)
		for i, is := range s.grants {
			j.grantInSum(is, s.values[i], row, r.left)
		}
	}
	for _, is := range s.pending {
		rf := &j.refunds[is]
		if r.taken>>rf.group&1 == 0 {
			continue
		}
		amount := rf.due()
		if r.after && rf.taken == 0 {
			amount = j.afterClose(rf)
		}
		if r.excess {
			amount += j.excess(rf)
		}
		if amount > 0 {
			rf.approximate = r.differs > 0
			j.take(is, amount, row)
		}
	}
}

// grantInSum notes the part of a purchase in a sum, which left those groups of
// refunds out.
func (j *Judge) grantInSum(is int32, amount int64, row int32, left uint) {
	p := &j.purchases[is]
	p.inSum = true
	out := min(p.amount, j.leftOut(is, left))
	home := min(out, p.reversed())
	j.grantOn(is, amount, row, home, out-home)
	for r := p.first; r != none; r = j.refunds[r].next {
		// What the grant did not leave out is due, group by group.
		if rf := &j.refunds[r]; rf.netted && rf.takenAt == p.grantAt && left>>rf.group&1 == 0 {
			rf.netted, rf.nettedBy, rf.takenAt = false, 0, 0
			rf.expected = rf.shareOf(p)
			rf.least = rf.expected
			if rf.expected > 0 {
				j.pending = append(j.pending, r)
			}
		}
	}
}

// shareOf is the share of a refund that came before the grant and was not left out
// of it while others were.
func (rf *refund) shareOf(p *purchase) int64 {
	if p.base <= 0 {
		return 0
	}
	return share(p.original, min(p.base, rf.part), p.base)
}

// inexact takes a credit of a close for its grants although it fits none of the
// readings: what is missing of the whole may be clawbacks that are off by a flaw.
func (j *Judge) inexact(row int32) bool {
	s, sum := &j.sum, j.rows[row].Amount
	if len(s.grants) == 0 || sum <= 0 || j.rows[row].At >= j.cycleStart+3*reward.Day {
		return false
	}
	all := uint(1)<<(len(s.special)+2) - 1
	net := j.grantsUnder(all)
	left, total := all, net
	var due int64
	for _, is := range s.pending {
		due += j.refunds[is].due()
	}
	missing := net - sum
	if gross := j.grantsUnder(0); gross > net && (sum > net && gross-sum < sum-net || sum < net && sum > gross-due) {
		left, total, missing = 0, gross, gross-sum
	}
	if sum < total/2 && missing > due || sum > total+total/10 {
		return false
	}
	s.accepted, j.closes[row] = true, true
	j.grantsUnder(left)
	s.values = append(s.values[:0], s.trial...)
	for i, is := range s.grants {
		j.grantInSum(is, s.values[i], row, left)
		j.purchases[is].inexact = true
		j.buckets[j.purchases[is].bucket].blurred = true
	}
	if missing <= 0 || missing > due {
		return true
	}
	for _, is := range s.pending {
		rf := &j.refunds[is]
		if part := min(rf.due(), missing); part > 0 {
			rf.approximate = true
			j.take(is, part, row)
			missing -= part
		}
	}
	return true
}
