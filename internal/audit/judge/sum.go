package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// summing explains rows that a statement close posted in one sum: grants of the
// cycle that closed, less clawbacks of refunds that came in it. A program may take some
// kinds of refunds in and others not, which stand or fall together.
type summing struct {
	cycle    reward.Cycle // the closed one that was tried last
	tries    int
	accepted bool    // a row was taken for its sum
	ever     bool    // and one of any cycle
	grants   []int32 // purchases of the cycle without a reward
	left     []int32 // refunds of these
	pending  []int32 // refunds that came in it, of others
}

func (s *summing) emptied() summing {
	return summing{grants: s.grants[:0], left: s.left[:0], pending: s.pending[:0]}
}

// mostTries is how often rows of one close are compared with its sum: programs that post
// one by one would make it long.
const mostTries = 4

// groups are the kinds of refunds that a program may treat in a way of their own.
const groups = 3

func (rf *refund) group() int {
	switch {
	case !rf.linked:
		return 2
	case rf.place == LaterCycle:
		return 1
	}
	return 0
}

// explainSum takes a row for the sum of a close.
func (j *Judge) explainSum(row int32) bool {
	at := j.rows[row].At
	switch {
	case at < j.cycleStart+closeWithin:
		return j.sumOf(j.cycle-1, row)
	case at >= j.cycleEnd-closeBefore:
		return j.sumOf(j.cycle, row)
	}
	return false
}

func (j *Judge) sumOf(cycle reward.Cycle, row int32) bool {
	s := &j.sum
	if s.cycle != cycle {
		s.cycle, s.tries, s.accepted = cycle, 0, false
	}
	if s.tries++; s.tries > mostTries || !j.collect(cycle) {
		return false
	}
	amount := j.rows[row].Amount
	best := j.read(amount)
	if best.differs <= best.rounding {
		j.accept(best, row)
		return true
	}
	return j.inexact(best, row)
}

// silentClose looks back at the close of a cycle: where sums come with closes and none
// did, grants and clawbacks may have been just equal.
func (j *Judge) silentClose(cycle reward.Cycle) {
	s := &j.sum
	if !s.ever || s.cycle == cycle && s.accepted || len(j.waiting()) == 0 || !j.collect(cycle) || len(s.grants) == 0 || len(s.pending) == 0 {
		return
	}
	if best := j.read(0); best.differs == 0 {
		s.cycle, j.now = cycle, j.program.CycleEnd(cycle)
		j.accept(best, int32(len(j.closes)-1))
	}
}

// collect lists what the close of a cycle may post, and reports whether there is any.
func (j *Judge) collect(cycle reward.Cycle) bool {
	s := &j.sum
	s.grants, s.left, s.pending = s.grants[:0], s.left[:0], s.pending[:0]
	for _, is := range j.open {
		p := &j.purchases[is]
		if p.cycle != cycle || p.granted {
			continue
		}
		s.grants = append(s.grants, is)
		for r := p.first; r != none; r = j.refunds[r].next {
			if j.refunds[r].stands() {
				s.left = append(s.left, r)
			}
		}
	}
	for _, is := range j.waiting() {
		if rf := &j.refunds[is]; rf.cycle == cycle && rf.due() > 0 {
			s.pending = append(s.pending, is)
		}
	}
	return len(s.grants)+len(s.pending) > 0
}

// reading is one way to read a sum: which groups of refunds are in it, as bits.
type reading struct {
	grants   bool // the grants are in it
	in       uint
	after    bool // shares are those of flaw G1
	differs  int64
	rounding int64 // that may be of rounding
}

// read finds the reading that is nearest to a sum. Of several the one is taken in which
// most refunds count.
func (j *Judge) read(sum int64) (best reading) {
	s := &j.sum
	var owed int64
	for _, is := range s.grants {
		owed += j.purchases[is].owed
	}
	var left, due, after [groups]int64
	g1 := false
	for _, is := range s.left {
		rf := &j.refunds[is]
		left[rf.group()] += rf.worth(&j.purchases[rf.of])
	}
	for _, is := range s.pending {
		rf := &j.refunds[is]
		amount := rf.due()
		due[rf.group()] += amount
		if v := j.afterClose(rf); rf.taken == 0 && v != rf.expected {
			amount, g1 = v, true
		}
		after[rf.group()] += amount
	}
	best.differs = reward.MaxVolume
	try := func(r reading, total int64) {
		r.differs = max(sum-total, total-sum)
		r.rounding = int64(len(s.pending))
		if r.grants {
			r.rounding += int64(len(s.grants))
		}
		if r.differs <= r.rounding && best.differs > best.rounding || r.differs < best.differs && best.differs > best.rounding {
			best = r
		}
	}
	for in := int(1)<<groups - 1; in >= 0; in-- {
		var out, less, lessAfter int64
		for g := range groups {
			if in>>g&1 == 1 {
				less += due[g]
				lessAfter += after[g]
			} else {
				out += left[g]
			}
		}
		if len(s.grants) > 0 {
			try(reading{grants: true, in: uint(in)}, owed+out-less)
			if g1 {
				try(reading{grants: true, in: uint(in), after: true}, owed+out-lessAfter)
			}
		}
		if less > 0 && sum < 0 {
			try(reading{in: uint(in)}, -less)
			if g1 {
				try(reading{in: uint(in), after: true}, -lessAfter)
			}
		}
	}
	return best
}

// accept posts a reading: grants to purchases, clawbacks to refunds.
func (j *Judge) accept(r reading, row int32) {
	s := &j.sum
	s.accepted, s.ever = true, true
	if j.rows[row].Kind == history.Reward {
		j.closes[row] = true
	}
	if r.grants {
		for _, is := range s.grants {
			p := &j.purchases[is]
			amount := p.owed
			for _, k := range s.left {
				if rf := &j.refunds[k]; rf.of == is && r.in>>rf.group()&1 == 0 {
					amount += rf.worth(p)
				}
			}
			j.grant(is, amount, row)
		}
	}
	for _, is := range s.pending {
		rf := &j.refunds[is]
		amount := rf.due()
		if r.after && rf.taken == 0 {
			amount = j.afterClose(rf)
		}
		if r.in>>rf.group()&1 == 1 && amount > 0 {
			rf.approximate = r.differs > 0
			j.take(is, amount, row)
		}
	}
}

// inexact takes a credit of a close for its grants although it fits none of the
// readings: what is missing of the whole may be clawbacks that are off by a flaw.
func (j *Judge) inexact(r reading, row int32) bool {
	s, sum := &j.sum, j.rows[row].Amount
	if !r.grants || sum <= 0 || j.rows[row].At >= j.cycleStart+3*reward.Day || r.differs > sum/10 {
		return false
	}
	grants := append([]int32(nil), s.grants...)
	j.accept(r, row)
	for _, is := range grants {
		j.purchases[is].inexact = true
	}
	for _, is := range s.pending {
		j.refunds[is].approximate = true
	}
	return true
}
