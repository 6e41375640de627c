package judge

import (
	"fmt"
	"math/bits"

	"recoup/internal/flaw"
	"recoup/reward"
)

// amountSigns looks for flaws by which a refund takes another amount than its
// share. Each is an opportunity only where it would take an amount that differs
// from the share by more than rounding does.
func (j *Judge) amountSigns(is int32, explained bool) {
	rf := &j.refunds[is]
	if explained || rf.of == none || rf.netted || rf.taken == 0 || rf.lent > 0 || rf.undoneAt != 0 || rf.expected == 0 {
		return
	}
	p := &j.purchases[rf.of]
	if p.inexact || p.again > 0 {
		return
	}
	j.lateSign(is)
	vague := j.vague(rf)
	right := rf.taken >= rf.least-rf.tolerance() && rf.taken <= rf.expected+rf.tolerance()
	short := j.balanceShort(rf)
	done := right || short || vague
	judge := func(code flaw.Code, would int64, ok bool, why string) {
		if !ok || near(would, rf.expected, rf.tolerance()+1) || would < 0 || short {
			return
		}
		if done || !near(rf.taken, would, rf.tolerance()) {
			if right && !near(rf.taken, would, rf.tolerance()) {
				j.could(code, rf.takenAt)
			}
			return
		}
		done = true
		j.showAmount(code, is, why)
	}
	if rf.expected > 0 && (rf.copies > 1 || rf.clawbacks > 1) {
		j.twice(is, &done)
	}
	if p.base < p.amount && rf.at >= p.grantAt {
		judge(flaw.G1, j.afterClose(rf), true, "it was divided by the whole purchase, of which a part was left out of the grant")
	}
	if !p.cut {
		j.rateSigns(is, p, judge)
	}
	if rf.before > 0 {
		judge(flaw.Compounding, share(max(0, p.original-rf.before), rf.part, p.amount), true, "it is the share of what earlier refunds had left of the reward")
	}
	if vague || rf.over {
		return
	}
	if done || rf.taken <= rf.expected+rf.tolerance() || p.retained() >= p.keeps(p.gone())-rf.tolerance() {
		if right {
			j.could(flaw.OverClawed, rf.takenAt)
		}
		return
	}
	j.showAmount(flaw.OverClawed, is, "it is more than the share")
}

// firstRight reports whether the first refund of a purchase took its share. If it did,
// later ones that take too little do not do so at a lower rate.
func (j *Judge) firstRight(p *purchase) bool {
	if p.first == none {
		return false
	}
	rf := &j.refunds[p.first]
	return rf.netted || near(rf.taken, rf.expected, rf.tolerance())
}

// rateSigns looks for clawbacks at another rate than the grant's: the rate of the
// day, the base rate, or that of one part of the grant.
func (j *Judge) rateSigns(is int32, p *purchase, judge func(flaw.Code, int64, bool, string)) {
	rf := &j.refunds[is]
	if other, ok := j.rateOfTheDay(is, p); ok {
		// Who takes no more than there is leaves open what the rate would have been.
		left := p.original - rf.before
		judge(flaw.CurrentRate, other, other <= left || !near(rf.taken, left, rf.tolerance()), "it is at the rate of the day of the refund")
	}
	if p.first != is && j.firstRight(p) {
		return
	}
	if base := j.base.Of(rf.part); base < rf.expected {
		judge(flaw.BonusKept, base, j.base > 0, "it is at the base rate")
	}
	if p.part > 0 && p.base > 0 && rf.part <= p.base {
		one, other := share(p.part, rf.part, p.base), share(p.original-p.part, rf.part, p.base)
		judge(flaw.BonusKept, one, true, "it is the share of one of the two grants")
		judge(flaw.BonusKept, other, true, "it is the share of one of the two grants")
	}
}

// rateOfTheDay is the share of the refund at the rate of its day, in a later cycle than
// its purchase's: that of the latest purchase under the same rule in that cycle before
// it or, if there was none, the published one.
func (j *Judge) rateOfTheDay(is int32, p *purchase) (int64, bool) {
	rf := &j.refunds[is]
	if rf.cycle == p.cycle {
		return 0, false
	}
	looked := 0
	for k := int32(len(j.purchases)) - 1; k > rf.of && looked < glance; k-- {
		o := &j.purchases[k]
		if o.at > rf.at || o.rule != p.rule {
			continue
		}
		if o.cycle != rf.cycle {
			break
		}
		looked++
		if o.granted && !o.cut && !o.inSum && o.original > 0 && o.base > 0 {
			return scaled(o.original, rf.part, o.base)
		}
	}
	row := &j.rows[p.row]
	now := j.program.In(rf.cycle)
	rule := now.RuleFor(reward.Terms{Merchant: row.Merchant, MCC: row.MCC, Category: row.Category})
	if rule == reward.NoRule {
		return 0, false
	}
	return now.Rules[rule].Rate.Of(rf.part), true
}

// scaled returns ⌊total · part / whole⌋ if that is in 64 bits.
func scaled(total, part, whole int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	if hi >= uint64(whole)>>1 {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q), true
}

// afterClose is the share of a refund if the grant left a part of the purchase out
// and the clawback forgets that (G1); where it did not, it is the share.
func (j *Judge) afterClose(rf *refund) int64 {
	p := &j.purchases[rf.of]
	if p.base >= p.amount || rf.at < p.grantAt {
		return rf.expected
	}
	return share(p.original, min(rf.amount, p.amount), p.amount)
}

// twice looks for a refund that was delivered twice and taken twice (G5).
func (j *Judge) twice(is int32, done *bool) {
	rf := &j.refunds[is]
	if rf.clawbacks < 2 || rf.taken < 2*rf.expected-rf.tolerance() || rf.expected <= rf.tolerance() {
		if rf.copies > 1 {
			j.could(flaw.G5, rf.takenAt)
		}
		return
	}
	if !*done {
		*done = true
		j.showAmount(flaw.G5, is, "the refund was taken twice")
	}
}

// lateSign looks for clawbacks later than the close after the refund. It costs
// nothing in the end, so it has no amount.
func (j *Judge) lateSign(is int32) {
	rf := &j.refunds[is]
	if !rf.linked || rf.approximate || rf.outcome == NothingAtStake || rf.expected <= rounding {
		return
	}
	if rf.outcome != Late {
		j.could(flaw.LateClawback, rf.takenAt)
		return
	}
	if s := j.shown(flaw.LateClawback, rf.takenAt, 0); s != nil {
		j.exampleOfRefund(s, is, fmt.Sprintf("the clawback comes by %s", cycleEnd(rf.at).Time().Format("2006-01-02")),
			fmt.Sprintf("it came %d days after the refund", days(rf.at, rf.takenAt)))
	}
}

func cycleEnd(at reward.Instant) reward.Instant { return reward.CycleAt(at).End() }

// showAmount shows a flaw by which another amount was taken.
func (j *Judge) showAmount(code flaw.Code, is int32, why string) {
	rf := &j.refunds[is]
	show, differs := j.shown, rf.expected-rf.taken
	if differs < 0 {
		differs = -differs
		if code == flaw.CurrentRate {
			show = j.shorted // the only one of them that can go either way
		}
	}
	if s := show(code, rf.takenAt, differs); s != nil {
		j.exampleOfRefund(s, is, fmt.Sprintf("%s is taken, the refund's share of %s", j.money(rf.expected), j.money(j.purchases[rf.of].original)),
			fmt.Sprintf("%s was taken: %s", j.money(rf.taken), why))
	}
}
