package judge

import (
	"cmp"
	"math/bits"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// readings are what published terms leave open, beside the entitlement that the core comes
// to. Beyond is what the core takes of purchases that nobody returned, for refunds above
// the price of theirs: who takes no more than a purchase earned keeps what was published
// too. Open is what refunds that name no purchase take more than if each were of the
// purchase that the program says it is of or, where it does not say so of all, of the
// cheapest that it can be of: a program may see it so.
func (j *Judge) readings() (beyond, open int64) {
	ours := j.entitled.Entitlement
	if j.has(func(rf *refund) bool { return rf.over && rf.linked && rf.of != none }) {
		beyond = max(0, j.entitledBy(nil)-ours)
	}
	if j.has(func(rf *refund) bool { return !rf.linked }) {
		open = max(0, j.entitledBy(j.cheapest())-ours-beyond)
	}
	return beyond, open
}

// leavesOpen reports whether there are refunds that can be read in more ways than one.
func (j *Judge) leavesOpen() bool {
	return j.has(func(rf *refund) bool { return !rf.linked || rf.over })
}

// has reports whether some refund that stands is so.
func (j *Judge) has(so func(*refund) bool) bool {
	for i := range j.refunds {
		if rf := &j.refunds[i]; rf.stands() && so(rf) {
			return true
		}
	}
	return false
}

// entitledBy is the entitlement if no refund takes more than the purchase that it names
// earned. Of says which purchases those are of that name none, by refund; nil: the core does.
func (j *Judge) entitledBy(of []int32) int64 {
	if j.lenient == nil {
		j.lenient = newPlayer(j.promise.program, false)
	}
	t := j.lenient
	t.begin(j.account.ID)
	left := j.prices()
	counts := make([]int64, len(j.refunds)) // of each, what its purchase has
	for i := range j.rows {
		r := j.rows[i]
		t.turn(r.At)
		is, on := j.factOf(i), none
		if is != none {
			switch rf := &j.refunds[is]; {
			case rf.linked:
				on = rf.of
			case of != nil:
				on = of[is]
			}
		}
		if on == nowhere {
			continue
		}
		if on != none {
			switch comes := r.Kind == history.Refund || r.Kind == history.Chargeback; {
			case !comes:
				left[on] += counts[is]
			case j.refunds[is].row == int32(i):
				counts[is] = min(r.Amount, left[on])
				left[on] -= counts[is]
				r.Amount, r.Transaction = counts[is], j.rows[j.purchases[on].row].ID
			}
			if counts[is] == 0 {
				continue
			}
		}
		t.row(&r, i)
		t.journal = t.journal[:0]
	}
	end := max(j.options.End, j.account.Last)
	t.closeOnTime(end)
	t.settle(end)
	return t.account.Summary().Entitlement
}

// nowhere is what a refund is of that takes nothing.
const nowhere = none - 1

// most is the most that the terms can come to, whichever purchases the refunds are of that
// name none: as if those took nothing at all, unless the program told of each which it is of.
func (j *Judge) most() int64 {
	if !j.has(func(rf *refund) bool { return !rf.linked }) {
		return j.entitled.Entitlement
	}
	told := j.allNamed()
	of := make([]int32, len(j.refunds))
	for is := range j.refunds {
		of[is] = nowhere
		if told {
			of[is] = j.refunds[is].of
		}
	}
	return max(j.entitled.Entitlement, j.entitledBy(of))
}

func (j *Judge) prices() []int64 {
	left := make([]int64, len(j.purchases))
	for i := range j.purchases {
		left[i] = j.purchases[i].amount
	}
	return left
}

// cheapest takes each refund that names no purchase, by itself, to be of the one of which
// the least reward goes: at its merchant if something was bought there, and with enough
// left, if any has. Which of them go together nobody can say, so that what they take can
// be less than this only by less than what is left of a purchase. Where each of them is
// told, the program has said which it is of.
func (j *Judge) cheapest() []int32 {
	of, left, told := make([]int32, len(j.refunds)), j.unnamedLeft(), j.allNamed()
	for is := range j.refunds {
		rf := &j.refunds[is]
		switch of[is] = none; {
		case rf.linked:
		case told && rf.told:
			of[is] = rf.of
		default:
			of[is] = j.cheapestFor(rf, left)
		}
	}
	return of
}

// isTold reports whether the program said which purchase a refund is of: by one row, whose
// amount is the refund's share of the purchase that it names, and which it did not give
// back. Refunds that do name that one have to leave enough of it.
func (j *Judge) isTold(rf *refund, left []int64) bool {
	return rf.told && rf.clawbacks == 1 && j.purchases[rf.of].back == 0 && left[rf.of] >= rf.amount
}

// allNamed reports whether each refund is named, by itself or by its clawback.
func (j *Judge) allNamed() bool {
	if !j.has(func(rf *refund) bool { return !rf.linked }) {
		return true
	}
	left := j.unnamedLeft()
	return !j.has(func(rf *refund) bool { return !rf.linked && !j.isTold(rf, left) })
}

// unnamedLeft is what refunds that name a purchase leave of each.
func (j *Judge) unnamedLeft() []int64 {
	left := j.prices()
	for is := range j.refunds {
		if rf := &j.refunds[is]; rf.linked && rf.of != none {
			left[rf.of] -= min(rf.amount, left[rf.of])
		}
	}
	return left
}

// cheapestFor is the purchase that a refund is taken to be of; none.
func (j *Judge) cheapestFor(rf *refund, left []int64) (best int32) {
	best = none
	merchant, rank := j.rows[rf.row].Merchant, 0
	early := reward.Instant(j.promise.program.Refunds.MatchDays) * reward.Day // refunds may come before their purchase
	for k := range j.purchases {
		p := &j.purchases[k]
		if p.at > rf.at+early || left[k] == 0 {
			continue
		}
		fits := 0
		if merchant != "" && j.rows[p.row].Merchant == merchant {
			fits = 2
		}
		if left[k] >= rf.amount {
			fits++
		}
		c := cmp.Compare(rank, fits)
		switch {
		case best == none || c != 0:
		case j.bends != nil:
			c = cmp.Compare(j.loses(p, left[k], rf.amount), j.loses(&j.purchases[best], left[best], rf.amount))
		default:
			c = perUnit(p, &j.purchases[best])
		}
		if best == none || c < 0 {
			best, rank = int32(k), fits
		}
	}
	return best
}

// perUnit compares what two purchases earn per unit.
func perUnit(a, b *purchase) int {
	hi1, lo1 := bits.Mul64(uint64(a.full), uint64(b.amount))
	hi2, lo2 := bits.Mul64(uint64(b.full), uint64(a.amount))
	return cmp.Or(cmp.Compare(hi1, hi2), cmp.Compare(lo1, lo2))
}

// factOf is the refund or chargeback that a row is of, or undoes; none.
func (j *Judge) factOf(row int) int32 {
	switch r := &j.rows[row]; r.Kind {
	case history.Refund, history.Chargeback:
		return j.rowIs[row]
	case history.RefundReversed:
		return j.refundsByID.find(r.ID)
	case history.ChargebackReversed:
		return j.disputesBy.find(r.ID)
	}
	return none
}
