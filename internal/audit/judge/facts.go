package judge

import (
	"fmt"
	"slices"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// none is no row.
const none int32 = -1

// purchase is one with what is owed for it and what the rows show of its reward.
type purchase struct {
	*history.Row // of its first export
	row          int32
	copies       int32     // how often it was exported
	refunds      []*refund // that name it, the earliest first
	named        int64     // Σ refunds that name it
	cycle        reward.Cycle
	rule         string // that rewards it

	// By the terms:
	owed    int64          // on what is left of it
	full    int64          // before anything of it was returned
	home    int64          // Σ refunds that name it and stand
	capped  bool           // a cap cuts it
	freed   reward.Instant // when a refund of another last raised what is owed
	lowered reward.Instant // or lowered it

	// By the rows:
	granted  bool
	inexact  bool // in a sum that did not say how much it was
	short    bool // less than is owed: the program counts the cap otherwise
	grantRow int32
	againRow int32
	grantAt  reward.Instant
	with     *purchase // the next that was granted by the same row
	initial  int64     // what its first row granted
	original int64     // as granted in all
	base     int64     // what it was granted on
	part     int64     // the last part of a grant that came in parts
	again    int64     // granted once more, beyond what it earns
	taken    int64
	back     int64 // given back after it was taken
	earning  int   // its number in the queue, from one

	rest int64 // by some reading, what refunds leave so far
}

// refund is one refund or chargeback with what the rows show was taken for it.
type refund struct {
	RefundCase
	row       int32
	copies    int32
	of        *purchase // that it names or, by the core, is of; nil
	arrived   bool
	again     bool // it was exported again, and may be taken again
	cycle     reward.Cycle
	undoneRow int32
	undoneAt  reward.Instant

	// By the terms:
	part  int64 // of the amount, what it newly reverses
	owes  int64 // what they take for it of its purchase; what freed cap room gives others is left out in Owed
	most  int64 // its share of the reward
	least int64 // of that, what goes even if freed cap room helps others

	// By the rows:
	netted      bool
	approximate bool // what was taken is told from a sum only
	named       bool // a row that took for it names the purchase
	told        bool // and took its share of that: the program said which purchase it is of
	clawbacks   int32
	takenFirst  int32
	takenRow    int32
	before      int64 // taken from the purchase before the first clawback of this
	nettedBy    int64
	due         int64 // the balance at the close after it
	took        int64 // before the first clawback

	counts int64 // by some reading, what of it its purchase has
}

// facts are the purchases and refunds of an account.
type facts struct {
	purchases []purchase
	refunds   []refund
	of        []fact // by row
	ids       map[name]fact
}

// fact is what is known of a row: the purchase or refund that it is of, or undoes; of a reward,
// the first purchase that it is the grant of, and whether it came with a close; of a redemption,
// what had been redeemed with it beyond what the terms promise on what was not returned by then.
type fact struct {
	purchase *purchase
	refund   *refund
	closes   bool
	ahead    int64
}

// name finds a fact: purchases, refunds and chargebacks have ids of their own.
type name struct {
	kind history.Kind
	id   string
}

// fewNames is from how many names on a map is left behind rather than emptied: to empty
// it takes as long as for the largest account before.
const fewNames = 1 << 10

// reset makes room for the facts of rows, which then stay where they are.
func (b *facts) reset(rows []history.Row) {
	var purchases, refunds int
	for i := range rows {
		switch rows[i].Kind {
		case history.Purchase:
			purchases++
		case history.Refund, history.Chargeback:
			refunds++
		}
	}
	*b = facts{slices.Grow(b.purchases[:0], purchases), slices.Grow(b.refunds[:0], refunds), b.of[:0], b.ids}
	if clear(b.ids); b.ids == nil || len(b.ids) > fewNames {
		b.ids = make(map[name]fact)
	}
}

// bought is the purchase of an id; nil.
func (b *facts) bought(id string) *purchase { return b.ids[name{history.Purchase, id}].purchase }

// load lists purchases and refunds, so that a row may name one that comes after it. Of a
// fact that is exported again, the first row counts.
func (j *Judge) load() error {
	b, f := &j.facts, &j.account.Figures
	b.reset(j.rows)
	var volume int64
	for i := range j.rows {
		r := &j.rows[i]
		amount := max(r.Amount, -r.Amount)
		if amount < 0 || volume > reward.MaxVolume-amount {
			return fmt.Errorf("account %q: its amounts add up to more than %d minor units, the most that can be judged", j.account.ID, reward.MaxVolume)
		}
		volume += amount
		id, now := name{r.Kind, r.ID}, j.calendar.at(r.At)
		is := b.ids[id]
		switch {
		case is.purchase != nil:
			is.purchase.copies++
		case is.refund != nil:
			is.refund.copies++
		case r.Kind == history.Purchase:
			b.purchases = append(b.purchases, purchase{Row: r, row: int32(i), copies: 1, cycle: now.Cycle, grantRow: none, againRow: none})
			is.purchase = &b.purchases[len(b.purchases)-1]
			b.ids[id] = is
			f.Purchases++
		case r.Kind.Returns():
			b.refunds = append(b.refunds, refund{
				RefundCase: RefundCase{
					ID: r.ID, Chargeback: r.Kind == history.Chargeback, Linked: r.Transaction != "", Purchase: r.Transaction,
					Category: r.Category, MCC: r.MCC, Merchant: r.Merchant, RefundedAt: r.At, Amount: r.Amount,
					Tenure: days(j.account.First, r.At), CycleDay: days(now.start, r.At) + 1,
				},
				row: int32(i), copies: 1, cycle: now.Cycle, takenRow: none, takenFirst: none, undoneRow: none,
			})
			is.refund = &b.refunds[len(b.refunds)-1]
			b.ids[id] = is
			f.Refunds++
		}
		b.of = append(b.of, is)
	}
	return nil
}

// link finds the purchase that a refund names.
func (j *Judge) link(rf *refund) {
	f := &j.account.Figures
	f.RefundsNaming++
	if p := j.bought(rf.Purchase); p != nil {
		rf.isOf(p)
		p.named += rf.Amount
	} else {
		f.RefundsAstray++
	}
}

// isOf takes a refund to be of a purchase.
func (rf *refund) isOf(p *purchase) {
	rf.of, rf.part = p, min(rf.Amount, p.left())
	rf.Purchase, rf.PurchasedAt, rf.Bought = p.ID, p.At, p.Amount
	switch {
	case rf.RefundedAt < p.At:
		rf.Place = Early
	case rf.cycle != p.cycle:
		rf.Place = LaterCycle
	default:
		rf.Place = SameCycle
	}
}

// isCut reports whether it has less than its own reward.
func (p *purchase) isCut() bool { return p.capped || p.short }

// left is what is not reversed by facts that name it.
func (p *purchase) left() int64 { return max(0, p.Amount-p.home) }

// unnamed is what refunds that name it leave for those that name none.
func (p *purchase) unnamed() int64 { return max(0, p.Amount-p.named) }

// keeps is what is left of the reward as granted, once so much is reversed.
func (p *purchase) keeps(reversed int64) int64 {
	if p.base <= 0 {
		return 0
	}
	return share(p.original, min(p.base, max(0, p.Amount-reversed)), p.base)
}

// retained is what the account still has of the reward.
func (p *purchase) retained() int64 { return p.original + p.again - p.taken + p.back }

// stands reports whether the refund has come and was not undone.
func (rf *refund) stands() bool { return rf.arrived && rf.undoneAt == 0 }

// open is what is still to be taken for a refund; what rounding left is not.
func (rf *refund) open() int64 {
	if rf.undoneAt != 0 || rf.netted {
		return 0
	}
	open := rf.most - rf.Taken
	switch {
	case open > 1 || rf.Taken == 0:
		return max(0, open)
	case rf.again && rf.clawbacks == 1:
		return rf.Taken
	}
	return 0
}

// share is what is expected of a refund. Where the cap room that it frees goes to other
// purchases, less may be taken than its share of the grant.
func (rf *refund) share() int64 { return min(rf.most, max(rf.least, rf.Taken)) }

// worth is what a grant is less by if it leaves a refund out.
func (rf *refund) worth(p *purchase) int64 {
	if rf.owes > 0 || !rf.Linked {
		return rf.owes
	}
	return share(p.full, rf.part, p.Amount)
}

// rounding is what a share may be below without anything being taken: parts of a
// purchase before it may have taken a unit more each.
const rounding = 2

// tolerance is what rounding may make a difference of.
func (rf *refund) tolerance() int64 { return max(1, int64(rf.clawbacks)) }
