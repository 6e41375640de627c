package judge

import (
	"fmt"

	"recoup/internal/flaw"
	"recoup/reward"
)

// hypothesis is what a refund would take under a flaw.
type hypothesis struct {
	code  flaw.Code
	takes int64
	why   string
}

// amountSigns looks for flaws by which a refund takes another amount than its
// share. Each is an opportunity only where it would take an amount that differs
// from the share by more than rounding does.
func (j *Judge) amountSigns(is int32) {
	rf := &j.refunds[is]
	if rf.of == none || rf.netted || rf.taken == 0 || rf.undoneAt != 0 || rf.expected == 0 {
		return
	}
	p := &j.purchases[rf.of]
	if p.inexact || p.again > 0 {
		return
	}
	j.lateSign(is)
	tolerance := rf.tolerance()
	right := rf.taken >= rf.least-tolerance && rf.taken <= rf.expected+tolerance
	told := right || j.vague(rf)
	for _, h := range j.hypotheses(is) {
		switch would := near(rf.taken, h.takes, tolerance); {
		case near(h.takes, rf.expected, tolerance+1) || h.takes < 0:
		case right && !would:
			j.could(h.code, rf.takenAt)
		case !told && would:
			told = true
			j.showAmount(h.code, is, h.why)
		}
	}
	switch {
	case rf.copies > 1 && right:
		j.could(flaw.G5, rf.takenAt)
	case j.vague(rf) || rf.over:
	case told || rf.taken <= rf.expected+tolerance || p.retained() >= p.keeps(p.amount-p.left())-tolerance:
		if right {
			j.could(flaw.OverClawed, rf.takenAt)
		}
	default:
		j.showAmount(flaw.OverClawed, is, "it is more than the share")
	}
}

// hypotheses are what a refund would take under the flaws that take another amount.
func (j *Judge) hypotheses(is int32) (list []hypothesis) {
	rf := &j.refunds[is]
	p := &j.purchases[rf.of]
	add := func(code flaw.Code, takes int64, why string) { list = append(list, hypothesis{code, takes, why}) }
	if rf.clawbacks > 1 && rf.expected > rf.tolerance() {
		add(flaw.G5, 2*rf.expected, "the refund was taken twice")
	}
	if p.base < p.amount && rf.at >= p.grantAt {
		add(flaw.G1, j.afterClose(rf), "it was divided by the whole purchase, of which a part was left out of the grant")
	}
	if !p.isCut() {
		if other, ok := j.rateOfTheDay(is, p); ok {
			// Who takes no more than there is leaves open what the rate would have been.
			if left := p.original - rf.before; other <= left || !near(rf.taken, left, rf.tolerance()) {
				add(flaw.CurrentRate, other, "it is at the rate of the day of the refund")
			}
		}
		if p.first == is || !j.firstRight(p) {
			if base := j.base.Of(rf.part); j.base > 0 && base < rf.expected {
				add(flaw.BonusKept, base, "it is at the base rate")
			}
			if p.part > 0 && p.base > 0 && rf.part <= p.base {
				add(flaw.BonusKept, share(p.part, rf.part, p.base), "it is the share of one of the two grants")
				add(flaw.BonusKept, share(p.original-p.part, rf.part, p.base), "it is the share of one of the two grants")
			}
		}
	}
	if rf.before > 0 {
		add(flaw.Compounding, share(max(0, p.original-rf.before), rf.part, p.amount), "it is the share of what earlier refunds had left of the reward")
	}
	return list
}

// baseRate is the lowest rate of a program's rules: what a purchase earns without
// any bonus.
func baseRate(p *reward.Program) (lowest reward.Rate) {
	for i := range p.Rules {
		if r := p.Rules[i].Rate; r > 0 && (lowest == 0 || r < lowest) {
			lowest = r
		}
	}
	return lowest
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

// rateOfTheDay is the share of the refund at the rate of its day, in a later cycle than
// its purchase's: that of the latest purchase under the same rule in that cycle before
// it or, if there was none, the published one.
func (j *Judge) rateOfTheDay(is int32, p *purchase) (int64, bool) {
	rf := &j.refunds[is]
	if rf.cycle == p.cycle || p.base < p.amount {
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
		if o.granted && !o.isCut() && !o.inexact && o.original > 0 && o.base > 0 {
			takes := share(o.original, rf.part, o.base)
			return takes, takes < reward.MaxVolume
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

// afterClose is the share of a refund if the grant left a part of the purchase out
// and the clawback forgets that (G1); where it did not, it is the share.
func (j *Judge) afterClose(rf *refund) int64 {
	p := &j.purchases[rf.of]
	if p.base >= p.amount || rf.at < p.grantAt {
		return rf.expected
	}
	return share(p.original, min(rf.amount, p.amount), p.amount)
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
	j.shown(flaw.LateClawback, rf.takenAt, 0, func() *Example {
		return j.ofRefund(is, "the clawback comes by "+date(j.closeAfter(rf.at)), fmt.Sprintf("it came %d days after the refund", days(rf.at, rf.takenAt)))
	})
}

// showAmount shows a flaw by which another amount was taken.
func (j *Judge) showAmount(code flaw.Code, is int32, why string) {
	rf := &j.refunds[is]
	differs := rf.expected - rf.taken
	shorts := differs < 0 && code == flaw.CurrentRate // the only one of them that can go either way
	j.shown(code, rf.takenAt, max(differs, -differs), func() *Example {
		return j.ofRefund(is, fmt.Sprintf("%s is taken, the refund's share of %s", j.money(rf.expected), j.money(j.purchases[rf.of].original)),
			fmt.Sprintf("%s was taken: %s", j.money(rf.taken), why))
	}).Shorts = shorts
}

// lostDispute looks whether what was taken, or left out, came back when a refund or
// chargeback did not stand (G9).
func (j *Judge) lostDispute(is int32) {
	rf := &j.refunds[is]
	if rf.undoneAt == 0 || rf.of == none || !rf.linked || !rf.arrived {
		return
	}
	p := &j.purchases[rf.of]
	tookBefore := rf.taken > 0 && rf.takenFirst < rf.undoneRow
	leftOut := rf.netted && rf.nettedBy > 0 && p.grantRow < rf.undoneRow && p.granted
	if !tookBefore && !leftOut || j.closeAfter(rf.undoneAt)+closeWithin > j.options.End || p.isCut() || p.inexact || len(j.placed) > 0 && !rf.named {
		return
	}
	missing := p.owed - p.retained()
	if near(p.original, p.full, 1) && tookBefore {
		missing = min(missing, p.keeps(p.amount-p.left())-p.retained())
	}
	if missing <= rf.tolerance() {
		j.could(flaw.G9, rf.undoneAt)
		j.account.Signs[len(j.account.Signs)-1].Shorts = true
		return
	}
	j.shown(flaw.G9, rf.undoneAt, missing, func() *Example {
		return j.ofRefund(is, fmt.Sprintf("%s of the reward comes back, for the %s did not stand", j.money(missing), j.rows[rf.row].Kind), "it did not come back")
	}).Shorts = true
}

// grantSigns looks for purchases that were granted twice (G4).
func (j *Judge) grantSigns() {
	for k := range j.purchases {
		p := &j.purchases[k]
		if !p.granted || p.copies < 2 && (p.again == 0 || j.rows[p.againRow].At >= p.grantAt+lateRows) { // much later it is a part
			continue
		}
		more := min(p.again, p.retained()-p.keeps(p.amount-p.left()))
		if more <= 1 {
			j.could(flaw.G4, p.grantAt)
			continue
		}
		j.shown(flaw.G4, j.rows[p.againRow].At, more, func() *Example {
			return j.ofPurchase(int32(k), fmt.Sprintf("one grant of %s", j.money(p.original)), fmt.Sprintf("%s was granted once more", j.money(p.again)), p.againRow)
		})
	}
}

// freedSigns looks whether cap room that a refund freed was given to the purchases that
// the cap had cut (G11). It is a flaw only where the program promises it: under
// clawback_method rerate. Refunds that name no purchase leave it open whose room they
// free.
func (j *Judge) freedSigns() {
	if j.leavesOpen() {
		return
	}
	for k := range j.purchases {
		p := &j.purchases[k]
		if p.freed == 0 || j.program.In(p.cycle).Method != reward.Rerate || j.closeAfter(p.freed)+closeWithin > j.options.End {
			continue
		}
		// A row that nothing explains may have used the room: of an account that has all
		// that it is due nothing is missing.
		missing := min(p.owed-p.retained(), j.account.Figures.ShortPaid)
		if missing <= rounding {
			j.could(flaw.G11, p.freed)
			continue
		}
		j.shown(flaw.G11, p.freed, missing, func() *Example {
			return j.ofPurchase(int32(k), fmt.Sprintf("what was kept earns %s", j.money(p.owed)),
				fmt.Sprintf("%s is left of its reward: the room that refunds freed was not used", j.money(p.retained())))
		})
	}
}

// termSigns looks for what stays although the spend that earned it came back: bonuses
// of a period, and the level of a step or tier that others' refunds bring down.
func (j *Judge) termSigns() {
	if j.leavesOpen() {
		return
	}
	if j.bonus.fell != 0 && j.closeAfter(j.bonus.fell)+closeWithin <= j.options.End {
		if over := j.bonus.got - j.bonus.owed; over > rounding {
			j.shown(flaw.SpendBonusKept, j.bonus.fell, over, func() *Example {
				return &Example{Expected: fmt.Sprintf("bonuses of %s are left", j.money(j.bonus.owed)), Found: fmt.Sprintf("%s is left: the spend that earned them was returned", j.money(j.bonus.got))}
			})
		} else {
			j.could(flaw.SpendBonusKept, j.bonus.fell)
		}
	}
	if len(j.program.Layers) == 0 {
		return
	}
	for k := range j.purchases {
		p := &j.purchases[k]
		if p.lowered == 0 || p.first != none || !p.granted || j.closeAfter(p.lowered)+closeWithin > j.options.End {
			continue
		}
		over := min(p.retained()-p.owed, j.account.Figures.Leakage)
		if over <= rounding {
			j.could(flaw.LevelKept, p.lowered)
			continue
		}
		j.shown(flaw.LevelKept, p.lowered, over, func() *Example {
			return j.ofPurchase(int32(k), fmt.Sprintf("it earns %s at the level of what is kept", j.money(p.owed)), fmt.Sprintf("%s is left of its reward", j.money(p.retained())))
		})
	}
}
