package judge

import "recoup/internal/audit/history"

// readings are what published terms leave open, beside the entitlement that the core comes
// to. Beyond is what the core takes of purchases that nobody returned, for refunds above
// the price of theirs: who takes no more than a purchase earned keeps what was published
// too. Open is what refunds that name no purchase take: of which they are a program may
// see otherwise, and the most that may be out because of it is all that they take.
func (j *Judge) readings() (beyond, open int64) {
	ours := j.entitled.Entitlement
	if j.has(func(rf *refund) bool { return rf.over && rf.linked && rf.of != none }) {
		beyond = max(0, j.entitledBy(true)-ours)
	}
	if j.has(func(rf *refund) bool { return !rf.linked }) {
		open = max(0, j.entitledBy(false)-ours-beyond)
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
// earned, and, unless those count, refunds that name none take nothing.
func (j *Judge) entitledBy(unnamed bool) int64 {
	if j.lenient == nil {
		j.lenient = newPlayer(j.promise.program, false)
	}
	t := j.lenient
	t.begin(j.account.ID)
	left := make([]int64, len(j.purchases))
	for i := range j.purchases {
		left[i] = j.purchases[i].amount
	}
	counts := make([]int64, len(j.refunds)) // of each, what its purchase has
	for i := range j.rows {
		r := j.rows[i]
		t.turn(r.At)
		if is := j.factOf(i); is != none {
			rf, comes := &j.refunds[is], r.Kind == history.Refund || r.Kind == history.Chargeback
			switch {
			case !rf.linked && !unnamed, comes && rf.row != int32(i):
				continue
			case !rf.linked || rf.of == none:
			case comes:
				r.Amount = min(r.Amount, left[rf.of])
				counts[is] = r.Amount
				left[rf.of] -= r.Amount
			default:
				r.Amount = counts[is]
				left[rf.of] += r.Amount
			}
			if comes && r.Amount == 0 || !comes && rf.linked && rf.of != none && r.Amount == 0 {
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
