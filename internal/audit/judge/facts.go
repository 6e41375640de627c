package judge

import (
	"math/bits"

	"recoup/internal/audit/history"
	"recoup/reward"
)

const none int32 = -1

// purchase is one with what is owed for it and what the rows show of its reward.
// Amounts are in minor units.
type purchase struct {
	row      int32 // of its first export
	copies   int32 // how often it was exported
	first    int32 // of the refunds that name it, the earliest first; none
	last     int32
	arrived  bool
	granted  bool
	inexact  bool // its grant came in a sum that did not say how much it was
	capped   bool // a cap cuts it, by the terms
	short    bool // it was granted less than is owed: the program counts the cap otherwise
	grantRow int32
	againRow int32
	amount   int64
	at       reward.Instant
	cycle    reward.Cycle
	rule     string // that rewards it
	grantAt  reward.Instant
	freed    reward.Instant // when a refund of another last raised what is owed
	lowered  reward.Instant // and when one last lowered it
	owed     int64          // by the terms, on what is left of it
	full     int64          // by the terms, before anything of it was returned
	home     int64          // Σ facts that name it and stand
	initial  int64          // what its first row granted
	original int64          // as granted in all
	base     int64          // what it was granted on
	part     int64          // the last part of a grant that came in parts
	again    int64          // granted once more, beyond what it earns
	taken    int64
	back     int64 // given back after it was taken
}

// refund is one refund or chargeback with what the rows show was taken for it.
type refund struct {
	row         int32
	copies      int32
	of          int32 // the purchase that it names or, by the core, is of; none
	next        int32 // refund that names the same purchase
	number      int32 // of them, from one
	takenRow    int32
	takenFirst  int32
	undoneRow   int32
	chargeback  bool
	linked      bool
	arrived     bool
	stray       bool // it names a purchase that is not there
	over        bool // it exceeds what was left of the purchase
	netted      bool
	approximate bool // what was taken for it is told from a sum only
	named       bool // a row that took for it names the purchase
	told        bool // and took its share of that: the program said which purchase it is of
	place       Place
	clawbacks   int16
	amount      int64
	at          reward.Instant
	cycle       reward.Cycle
	part        int64 // of the amount, what it newly reverses
	owes        int64 // what the terms take for it of its purchase
	net         int64 // and of the account, what freed cap room gives others left out
	granted     int64 // what the purchase had earned when it came
	expected    int64 // its share of the reward
	least       int64 // of that, what goes even if freed cap room helps others
	taken       int64
	takenAt     reward.Instant
	before      int64 // taken from the purchase before the first clawback of this
	balance     int64 // when it came
	odd         int64 // of it, what nothing explains
	balanceDue  int64 // at the close after it
	oddDue      int64
	balanceTook int64 // before the first clawback
	oddTook     int64
	undoneAt    reward.Instant
	nettedBy    int64
	back        int64 // given back after it was undone
	floatDays   int64
	outcome     Outcome
}

// facts are the purchases and refunds of an account.
type facts struct {
	purchases   []purchase
	refunds     []refund
	rowIs       []int32 // the purchase or refund of each row
	byID        names   // purchases
	refundsByID names
	disputesBy  names
	cycle       reward.Cycle // of the row at hand
	cycleStart  reward.Instant
	cycleEnd    reward.Instant
}

// turn moves on to the cycle of an instant.
func (j *Judge) turn(at reward.Instant) {
	j.cycle = j.program.CycleAt(at)
	j.cycleStart, j.cycleEnd = j.program.CycleStart(j.cycle), j.program.CycleEnd(j.cycle)
}

// closeAfter is the close of the cycle of an instant.
func (j *Judge) closeAfter(at reward.Instant) reward.Instant {
	if at >= j.cycleStart && at < j.cycleEnd {
		return j.cycleEnd
	}
	return j.program.CycleEnd(j.program.CycleAt(at))
}

// load lists purchases and refunds, so that a row may name one that comes after
// it. Of a fact that is exported again, the first row counts.
func (j *Judge) load() {
	b := &j.facts
	b.purchases, b.refunds, b.rowIs = b.purchases[:0], b.refunds[:0], b.rowIs[:0]
	b.byID.reset()
	b.refundsByID.reset()
	b.disputesBy.reset()
	b.cycle, b.cycleStart, b.cycleEnd = 0, 0, 0
	f := &j.account.Figures
	for i := range j.rows {
		r := &j.rows[i]
		if r.At >= j.cycleEnd {
			j.turn(r.At)
		}
		is := none
		switch r.Kind {
		case history.Purchase:
			if is = j.byID.find(r.ID); is != none {
				j.purchases[is].copies++
				break
			}
			is = int32(len(j.purchases))
			j.byID.add(r.ID, is)
			j.purchases = append(j.purchases, purchase{
				row: int32(i), copies: 1, first: none, last: none, amount: r.Amount, at: r.At, cycle: j.cycle, grantRow: none, againRow: none,
			})
			f.Purchases++
			f.Spend += r.Amount
		case history.Refund, history.Chargeback:
			by := &j.refundsByID
			if r.Kind == history.Chargeback {
				by = &j.disputesBy
			}
			if is = by.find(r.ID); is != none {
				j.refunds[is].copies++
				break
			}
			is = int32(len(j.refunds))
			by.add(r.ID, is)
			j.refunds = append(j.refunds, refund{
				row: int32(i), copies: 1, of: none, next: none, chargeback: r.Kind == history.Chargeback, linked: r.Transaction != "",
				amount: r.Amount, at: r.At, cycle: j.cycle, takenRow: none, takenFirst: none, undoneRow: none,
			})
			f.Refunds++
			f.Refunded += r.Amount
		}
		j.rowIs = append(j.rowIs, is)
	}
	for i := range j.refunds {
		rf := &j.refunds[i]
		if !rf.linked {
			continue
		}
		f.RefundsNaming++
		rf.of = j.byID.find(j.rows[rf.row].Transaction)
		if rf.stray = rf.of == none; rf.stray {
			f.RefundsAstray++
			continue
		}
		rf.place = placeOf(&j.purchases[rf.of], rf)
	}
	j.cycle, j.cycleStart, j.cycleEnd = 0, 0, 0
}

func placeOf(p *purchase, rf *refund) Place {
	switch {
	case rf.at < p.at:
		return Early
	case rf.cycle != p.cycle:
		return LaterCycle
	}
	return SameCycle
}

// isCut reports whether it has less than its own reward.
func (p *purchase) isCut() bool { return p.capped || p.short }

// left is what is not reversed by facts that name it.
func (p *purchase) left() int64 { return max(0, p.amount-p.home) }

// keeps is what is left of the reward as granted, once so much is reversed.
func (p *purchase) keeps(reversed int64) int64 {
	if p.base <= 0 {
		return 0
	}
	return share(p.original, min(p.base, max(0, p.amount-reversed)), p.base)
}

// retained is what the account still has of the reward.
func (p *purchase) retained() int64 { return p.original + p.again - p.taken + p.back }

// due is what is still to be taken for a refund; what rounding left is not.
func (rf *refund) due() int64 {
	if rf.undoneAt != 0 || rf.netted {
		return 0
	}
	if due := rf.expected - rf.taken; due > 1 || rf.taken == 0 {
		return max(0, due)
	}
	return 0
}

// stands reports whether the refund has come and was not undone.
func (rf *refund) stands() bool { return rf.arrived && rf.undoneAt == 0 }

// share returns ⌊total · part / whole⌋ for 0 ≤ part, 0 < whole and 0 ≤ total, at most
// what 64 bits hold.
func share(total, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	if hi >= uint64(whole)>>1 {
		return reward.MaxVolume
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// near reports whether two amounts differ by no more than that.
func near(a, b, by int64) bool { return a-b <= by && b-a <= by }
