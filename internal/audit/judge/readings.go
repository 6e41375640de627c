package judge

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// Published terms leave open, beside the entitlement that the core comes to, what refunds
// above the price of their purchase take of others, and which purchase a refund is of that
// names none.

// beyond is what the core takes of purchases that nobody returned, for refunds above the
// price of theirs.
func (j *Judge) beyond() int64 {
	if !j.has(func(rf *refund) bool { return rf.Over && rf.Linked && rf.of != nil }) {
		return 0
	}
	return j.more(func(*refund) *purchase { return nil })
}

// ifUnnamed is how much more the terms come to if each refund that names no purchase is of the
// cheapest that it can be of, and if it takes nothing at all. Where the program said which
// purchase one is of, it is of that.
func (j *Judge) ifUnnamed() (cheapest, most int64) {
	if !j.leavesNames() {
		return 0, 0
	}
	by := func(other func(*refund) *purchase) int64 {
		return j.more(func(rf *refund) *purchase {
			if rf.isTold() {
				return rf.of
			}
			return other(rf)
		})
	}
	return by(j.cheapestFor), by(func(*refund) *purchase { return nowhere })
}

// more is by how much the terms come to more than the core says; see entitledBy.
func (j *Judge) more(of func(*refund) *purchase) int64 {
	return max(0, j.entitledBy(of)-j.account.Figures.Entitlement)
}

// leavesNames reports whether some refund names no purchase.
func (j *Judge) leavesNames() bool { return j.has(func(rf *refund) bool { return !rf.Linked }) }

// has reports whether some refund that stands is so.
func (j *Judge) has(so func(*refund) bool) bool {
	return slices.ContainsFunc(j.came, func(rf *refund) bool { return rf.stands() && so(rf) })
}

// nowhere is what a refund is of that takes nothing.
var nowhere = new(purchase)

// entitledBy is the entitlement if no refund takes more than the purchase that it names
// earned. Of says which purchases those are of that name none; where it says nil, the core does.
func (j *Judge) entitledBy(of func(*refund) *purchase) int64 {
	t := j.promise
	t.begin(j.account.ID)
	for _, p := range j.arrived {
		p.rest = p.Amount
	}
	for _, rf := range j.came {
		rf.counts = 0
	}
	for i := range j.rows {
		r := j.rows[i]
		t.turn(r.At)
		var on *purchase
		rf := j.of[i].refund
		if rf != nil {
			if on = rf.of; !rf.Linked {
				on = of(rf)
			}
		}
		if on == nowhere {
			continue
		}
		if on != nil {
			switch comes := r.Kind.Returns(); {
			case !comes:
				on.rest += rf.counts
			case rf.row == int32(i):
				rf.counts = min(r.Amount, on.rest)
				on.rest -= rf.counts
				r.Amount, r.Transaction = rf.counts, on.ID
			}
			if rf.counts == 0 {
				continue
			}
		}
		t.row(&r)
		t.journal = t.journal[:0]
	}
	t.turn(j.end())
	t.closeUntil(reward.LatestInstant)
	return t.account.Summary().Entitlement
}

// isTold reports whether the program said which purchase a refund is of: by one row, whose
// amount is the refund's share of the purchase that it names, and which it did not give
// back. Refunds that do name that one have to leave enough of it.
func (rf *refund) isTold() bool {
	return rf.told && rf.clawbacks == 1 && rf.of.back == 0 && rf.of.unnamed() >= rf.Amount
}

// cheapestFor is the purchase that a refund is taken to be of of which the least goes; nil.
// It is at its merchant if something was bought there, and with enough left, if any has.
// Which refunds go together nobody can say, so that what they take can be less than this only
// by less than what is left of a purchase.
func (j *Judge) cheapestFor(rf *refund) (best *purchase) {
	rank := 0
	var least int64
	early := reward.Instant(j.promise.program.Refunds.MatchDays) * reward.Day // refunds may come before their purchase
	for _, p := range j.arrived {
		if p.At > rf.RefundedAt+early || p.unnamed() == 0 {
			continue
		}
		fits := 0
		if rf.Merchant != "" && p.Merchant == rf.Merchant {
			fits = 2
		}
		if p.unnamed() >= rf.Amount {
			fits++
		}
		goes := j.loses(p, p.unnamed(), rf.Amount)
		if best == nil || cmp.Or(cmp.Compare(rank, fits), cmp.Compare(goes, least)) < 0 {
			best, rank, least = p, fits, goes
		}
	}
	return best
}
