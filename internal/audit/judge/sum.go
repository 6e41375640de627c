package judge

import "recoup/reward"

// summing is what the close of a cycle may post in one sum: grants, less clawbacks.
type summing struct {
	cycle   reward.Cycle // in which rows were tried last
	tries   int
	grants  []*purchase // purchases of the cycle without a reward
	pending []*refund   // refunds that came in it
}

// reading is one way to read a sum.
type reading struct {
	grants  bool  // the grants are in it
	in      uint  // the groups of refunds that are in it, as bits
	after   bool  // shares are those of flaw G1
	differs int64 // from the sum
}

// groups are the kinds of refunds that a program may take in or not, in a way of their own.
const groups = 3

func (rf *refund) group() uint {
	switch {
	case !rf.Linked:
		return 2
	case rf.Place == LaterCycle:
		return 1
	}
	return 0
}

// periods are for how many months a program may grant in one sum.
var periods = [...]reward.Cycle{1, 3, 12}

// mostTries is how many rows of one cycle are compared with its sums: programs that post one by
// one, by other terms, would make it long.
const mostTries = 4

// explainSum takes a row for the sum of a close, of a cycle, a quarter or a year.
func (j *Judge) explainSum(row int32) bool {
	r, s := &j.rows[row], &j.sum
	if s.cycle != j.promise.now.Cycle {
		s.cycle, s.tries = j.promise.now.Cycle, 0
	}
	if s.tries++; s.tries > mostTries || r.At >= j.promise.now.start+lateRows {
		return false
	}
	for _, months := range periods {
		end := j.promise.now.Cycle - j.promise.now.Cycle%months
		if !j.collect(end-months, end) {
			continue
		}
		best, fits := j.read(r.Amount)
		// What is missing of the whole, as a close posts it, may be clawbacks that are off by a flaw.
		inexact := best.grants && r.Amount > 0 && r.At < j.promise.now.start+tooEarly && best.differs <= r.Amount/10
		if fits || inexact {
			j.accept(best, row, !fits)
			return true
		}
	}
	return false
}

// collect lists what the close of cycles may post, and reports whether there is any.
func (j *Judge) collect(from, end reward.Cycle) bool {
	s, none := &j.sum, reading{} // none: who takes no refund in grants what was wholly returned, too
	s.grants, s.pending = s.grants[:0], s.pending[:0]
	for k := len(j.arrived) - 1; k >= 0 && j.arrived[k].cycle >= from; k-- {
		if p := j.arrived[k]; p.cycle < end && !p.granted && none.grantIn(p) > 0 {
			s.grants = append(s.grants, p)
		}
	}
	for k := len(j.came) - 1; k >= 0 && j.came[k].cycle >= from; k-- {
		if rf := j.came[k]; rf.cycle < end && rf.open() > 0 {
			s.pending = append(s.pending, rf)
		}
	}
	return len(s.grants)+len(s.pending) > 0
}

// read finds the reading that is nearest to a sum, and reports whether only rounding is
// between them. Of several the one is taken in which most refunds count.
func (j *Judge) read(sum int64) (best reading, fits bool) {
	best.differs = reward.MaxVolume
	for in := int(1)<<groups - 1; in >= 0; in-- {
		for _, r := range [...]reading{{grants: true}, {grants: true, after: true}, {}, {after: true}} {
			r.in = uint(in)
			rounding := int64(len(j.sum.pending))
			if r.grants {
				rounding += int64(len(j.sum.grants))
			}
			if r.grants && len(j.sum.grants) == 0 || !r.grants && sum > 0 {
				continue
			}
			total := j.total(r)
			if r.differs = max(sum-total, total-sum); r.differs <= rounding && total != 0 {
				return r, true
			}
			if r.differs < best.differs {
				best = r
			}
		}
	}
	return best, false
}

// total is what a close posts by a reading.
func (j *Judge) total(r reading) (sum int64) {
	for _, p := range j.sum.grants {
		if r.grants {
			sum += r.grantIn(p)
		}
	}
	for _, rf := range j.sum.pending {
		sum -= r.takenIn(rf)
	}
	return sum
}

// grantIn is what a purchase is granted by a reading: what is left of it, and what refunds
// that are not in would take.
func (r *reading) grantIn(p *purchase) int64 {
	amount := p.owed
	for _, rf := range p.refunds {
		if rf.stands() && r.in>>rf.group()&1 == 0 {
			amount += rf.worth(p)
		}
	}
	return amount
}

// takenIn is what is taken for a refund by a reading.
func (r *reading) takenIn(rf *refund) int64 {
	switch {
	case r.in>>rf.group()&1 == 0:
		return 0
	case r.after && rf.Taken == 0:
		return rf.afterClose()
	default:
		return rf.open()
	}
}

// accept posts a reading: grants to purchases, clawbacks to refunds.
func (j *Judge) accept(r reading, row int32, inexact bool) {
	j.of[row].closes = true
	for _, p := range j.sum.grants {
		if r.grants {
			j.grant(p, r.grantIn(p), row)
			p.inexact = inexact
		}
	}
	for _, rf := range j.sum.pending {
		if amount := r.takenIn(rf); amount > 0 {
			j.take(rf, amount, row)
			rf.approximate = r.differs > 0
		}
	}
}
