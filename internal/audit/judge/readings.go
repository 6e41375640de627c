package judge

import (
	"cmp"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// Published terms leave open, beside the entitlement that the core comes to, what refunds
// above the price of their purchase take of others, and which purchase a refund is of that
// names none.

// beyond is what the core takes of purchases that nobody returned, for refunds above the
// price of theirs.
func (j *Judge) beyond() int64 {
	if !j.has(func(rf *refund) bool { return rf.Over && rf.Linked && rf.of != none }) {
		return 0
	}
	return j.more(func(*refund) int32 { return none })
}

// ifUnnamed is how much more the terms come to if each refund that names no purchase is of the
// cheapest that it can be of, and if it takes nothing at all. Where the program said which
// purchase one is of, it is of that.
func (j *Judge) ifUnnamed() (cheapest, most int64) {
	if !j.leavesNames() {
		return 0, 0
	}
	left := j.unnamedLeft()
	by := func(other func(*refund) int32) int64 {
		return j.more(func(rf *refund) int32 {
			if j.isTold(rf, left) {
				return rf.of
			}
			return other(rf)
		})
	}
	cheapest = by(func(rf *refund) int32 { return j.cheapestFor(rf, left) })
	return cheapest, by(func(*refund) int32 { return nowhere })
}

// more is by how much the terms come to more than the core says; see entitledBy.
func (j *Judge) more(of func(*refund) int32) int64 {
	return max(0, j.entitledBy(of)-j.entitled.Entitlement)
}

// leavesNames reports whether some refund names no purchase.
func (j *Judge) leavesNames() bool { return j.has(func(rf *refund) bool { return !rf.Linked }) }

// has reports whether some refund that stands is so.
func (j *Judge) has(so func(*refund) bool) bool {
	for i := range j.refunds {
		if rf := &j.refunds[i]; rf.stands() && so(rf) {
			return true
		}
	}
	return false
}

// nowhere is what a refund is of that takes nothing.
const nowhere = none - 1

// entitledBy is the entitlement if no refund takes more than the purchase that it names
// earned. Of says which purchases those are of that name none; where it says none, the core does.
func (j *Judge) entitledBy(of func(*refund) int32) int64 {
	t := j.promise
	t.begin(j.account.ID)
	left := j.prices()
	counts := make([]int64, len(j.refunds)) // of each, what its purchase has
	for i := range j.rows {
		r := j.rows[i]
		t.turn(r.At)
		on, is := none, j.rowIs[i]
		if r.Kind != history.Purchase && is != none {
			if on = j.refunds[is].of; !j.refunds[is].Linked {
				on = of(&j.refunds[is])
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
				r.Amount, r.Transaction = counts[is], j.purchases[on].id
			}
			if counts[is] == 0 {
				continue
			}
		}
		t.row(&r)
		t.journal = t.journal[:0]
	}
	t.closeOnTime(j.end())
	t.end(j.end())
	return t.account.Summary().Entitlement
}

func (j *Judge) prices() []int64 {
	left := make([]int64, len(j.purchases))
	for i := range j.purchases {
		left[i] = j.purchases[i].amount
	}
	return left
}

// unnamedLeft is what refunds that name a purchase leave of each.
func (j *Judge) unnamedLeft() []int64 {
	left := j.prices()
	for is := range j.refunds {
		if rf := &j.refunds[is]; rf.Linked && rf.of != none {
			left[rf.of] -= min(rf.Amount, left[rf.of])
		}
	}
	return left
}

// isTold reports whether the program said which purchase a refund is of: by one row, whose
// amount is the refund's share of the purchase that it names, and which it did not give
// back. Refunds that do name that one have to leave enough of it.
func (j *Judge) isTold(rf *refund, left []int64) bool {
	return rf.told && rf.clawbacks == 1 && j.purchases[rf.of].back == 0 && left[rf.of] >= rf.Amount
}

// cheapestFor is the purchase that a refund is taken to be of of which the least goes; none.
// It is at its merchant if something was bought there, and with enough left, if any has.
// Which refunds go together nobody can say, so that what they take can be less than this only
// by less than what is left of a purchase.
func (j *Judge) cheapestFor(rf *refund, left []int64) (best int32) {
	best = none
	merchant, rank := rf.Merchant, 0
	var least int64
	early := reward.Instant(j.promise.program.Refunds.MatchDays) * reward.Day // refunds may come before their purchase
	for k := range j.purchases {
		p := &j.purchases[k]
		if p.at > rf.RefundedAt+early || left[k] == 0 {
			continue
		}
		fits := 0
		if merchant != "" && j.rows[p.row].Merchant == merchant {
			fits = 2
		}
		if left[k] >= rf.Amount {
			fits++
		}
		goes := j.loses(p, left[k], rf.Amount)
		if best == none || cmp.Or(cmp.Compare(rank, fits), cmp.Compare(goes, least)) < 0 {
			best, rank, least = int32(k), fits, goes
		}
	}
	return best
}
