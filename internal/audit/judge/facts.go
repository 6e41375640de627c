package judge

import (
	"math/bits"

	"recoup/internal/audit/history"
	"recoup/reward"
)

const none int32 = -1

// purchase is one with what the rows show of its reward. Amounts are in minor
// units.
type purchase struct {
	row      int32 // of its first export
	copies   int32 // how often it was exported
	rule     int32 // reward.NoRule for none
	bucket   int32
	first    int32 // of its refunds, the earliest first; none
	last     int32
	sibling  int32 // the purchase before at the same merchant
	amount   int64
	at       reward.Instant
	cycle    reward.Cycle
	rate     reward.Rate
	arrived  bool
	granted  bool
	inSum    bool // its grant came in a sum with others
	inexact  bool // and the sum did not say how much it was
	cut      bool // by the cap
	grantRow int32
	grantAt  reward.Instant
	home     int64 // Σ facts that name it and stand
	soft     int64 // of unlinked refunds that are taken to be of it
	initial  int64 // what its first row granted
	original int64 // as granted in all
	base     int64 // what it was granted on
	part     int64 // the last part of a grant that came in parts
	again    int64 // granted once more, beyond what it earns
	againRow int32
	taken    int64
	back     int64 // given back after it was taken
}

// refund is one refund or chargeback with what the rows show was taken for it.
type refund struct {
	row         int32
	copies      int32
	of          int32 // the purchase; none
	next        int32 // refund of the same purchase
	chargeback  bool
	linked      bool
	arrived     bool
	stray       bool // it names a purchase that is not there
	over        bool // it exceeds what was left of the purchase
	netted      bool
	floored     bool // less was taken for want of balance
	owed        bool // a clawback of it made or left a debt
	told        bool // by what was taken for a refund that names no purchase
	approximate bool // what was taken for it is told from a sum only
	named       bool // a row that took for it names the purchase
	place       Place
	group       int8 // while a sum is explained
	clawbacks   int16
	amount      int64
	at          reward.Instant
	cycle       reward.Cycle
	part        int64 // of the amount, what it newly reverses
	reversed    int64 // of the purchase, before it
	granted     int64 // what the purchase had earned when it came
	expected    int64 // its share of the reward
	least       int64 // of that, what goes even if freed cap room helps others
	taken       int64
	takenAt     reward.Instant
	takenRow    int32
	takenFirst  int32 // row
	before      int64 // taken from the purchase before the first clawback of this
	balance     int64 // when it came
	odd         int64 // of it, what nothing explains
	balanceDue  int64 // at the close after it
	oddDue      int64
	balanceTook int64 // before the first clawback
	oddTook     int64
	undoneAt    reward.Instant
	undoneRow   int32
	back        int64 // given back after it was undone
	lent        int64 // to a linked refund, of what an unlinked one had taken
	nettedBy    int64
	floatDays   int64
	outcome     Outcome
}

// bucket is what one rule granted in one cycle.
type bucket struct {
	cycle    reward.Cycle
	rule     int32
	rate     reward.Rate
	cap      int64
	net      int64 // Σ amount − reversed of its purchases
	granted  int64 // Σ of what came
	taken    int64 // less what was given back
	n        int64 // purchases
	cuts     int64
	freed    reward.Instant // when a refund last freed cap room while one was cut
	wrong    bool           // a grant was cut as if the cycle before counted
	wrongBy  int64
	wrongAt  int32 // the purchase
	blurred  bool
	filledAt reward.Instant // when the cap was first reached
}

// book has the facts of an account.
type book struct {
	purchases   []purchase
	refunds     []refund
	buckets     []bucket
	rowIs       []int32 // the purchase or refund of each row
	byID        names   // purchases
	refundsByID names
	disputesBy  names
	cycle       reward.Cycle // of the row at hand
	cycleStart  reward.Instant
	cycleEnd    reward.Instant
}

func (b *book) reset() {
	b.purchases, b.refunds, b.buckets, b.rowIs = b.purchases[:0], b.refunds[:0], b.buckets[:0], b.rowIs[:0]
	b.byID.reset()
	b.refundsByID.reset()
	b.disputesBy.reset()
	b.cycle, b.cycleStart, b.cycleEnd = 0, 0, 0
}

// turn moves on to the cycle of an instant.
func (b *book) turn(at reward.Instant) {
	b.cycle = reward.CycleAt(at)
	b.cycleStart, b.cycleEnd = b.cycle.Start(), b.cycle.End()
}

// load lists purchases and refunds, so that a row may name one that comes after
// it. Of a fact that is exported again, the first row counts.
func (j *Judge) load() {
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
			is = j.addPurchase(r, int32(i))
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
		rf.of = j.byID.find(j.rows[rf.row].Transaction)
		if rf.stray = rf.of == none; rf.stray {
			continue
		}
		switch p := &j.purchases[rf.of]; {
		case rf.at < p.at:
			rf.place = Early
		case rf.cycle != p.cycle:
			rf.place = LaterCycle
		}
	}
	j.book.cycle, j.cycleStart, j.cycleEnd = 0, 0, 0
}

func (j *Judge) addPurchase(r *history.Row, row int32) int32 {
	is := int32(len(j.purchases))
	j.byID.add(r.ID, is)
	p := purchase{
		row: row, copies: 1, bucket: none, first: none, last: none, sibling: none, amount: r.Amount, at: r.At, cycle: j.book.cycle,
		grantRow: none, againRow: none,
	}
	program := j.program.In(p.cycle)
	p.rule = int32(program.RuleFor(reward.Terms{Merchant: r.Merchant, MCC: r.MCC, Category: r.Category}))
	if p.rule != reward.NoRule {
		rule := &program.Rules[p.rule]
		p.rate = rule.Rate
		p.bucket = j.bucketOf(p.cycle, p.rule, rule)
	}
	j.purchases = append(j.purchases, p)
	return is
}

// bucketOf finds a bucket. Rows come in order of time, so that those of the open
// cycle are the last ones.
func (b *book) bucketOf(c reward.Cycle, rule int32, terms *reward.Rule) int32 {
	if i := b.findBucket(c, rule); i != none {
		return i
	}
	b.buckets = append(b.buckets, bucket{cycle: c, rule: rule, rate: terms.Rate, cap: terms.Cap, wrongAt: none})
	return int32(len(b.buckets) - 1)
}

func (b *book) findBucket(c reward.Cycle, rule int32) int32 {
	for i := len(b.buckets) - 1; i >= 0 && b.buckets[i].cycle >= c; i-- {
		if b.buckets[i].cycle == c && b.buckets[i].rule == rule {
			return int32(i)
		}
	}
	return none
}

func (b *bucket) capped() bool { return b.cap != reward.NoCap }

// promised is what the terms promise on a spend in the bucket.
func (b *bucket) promised(spend int64) int64 {
	full := b.rate.Of(max(0, spend))
	if b.capped() {
		return min(full, b.cap)
	}
	return full
}

// room is what the cap leaves.
func (b *bucket) room() int64 {
	if !b.capped() {
		return reward.MaxVolume
	}
	return max(0, b.cap-(b.granted-b.taken))
}

// reversed is how much of the purchase the facts that name it reverse.
func (p *purchase) reversed() int64 { return min(p.amount, p.home) }

// gone is how much of it is reversed, unlinked refunds taken into account.
func (p *purchase) gone() int64 { return min(p.amount, p.home+p.soft) }

// left is what is not reversed, unlinked refunds taken into account.
func (p *purchase) left() int64 { return max(0, p.amount-p.home-p.soft) }

// full is what the purchase earns if nothing is reversed and the cap leaves room.
func (p *purchase) full() int64 { return p.rate.Of(p.amount) }

// keeps is what is left of the reward as granted at a reversed amount.
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
	if rf.undoneAt != 0 || rf.netted || rf.floored {
		return 0
	}
	if due := rf.expected - rf.taken; due > 1 || rf.taken == 0 {
		return max(0, due)
	}
	return 0
}

// stands reports whether the refund has come and was not undone.
func (rf *refund) stands() bool { return rf.arrived && rf.undoneAt == 0 }

// share returns ⌊total · part / whole⌋ for 0 ≤ part ≤ whole, 0 < whole and
// 0 ≤ total.
func share(total, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// near reports whether two amounts differ by no more than that.
func near(a, b, by int64) bool { return a-b <= by && b-a <= by }
