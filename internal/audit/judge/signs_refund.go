package judge

import (
	"fmt"

	"recoup/internal/flaw"
	"recoup/reward"
)

// hypothesis is what a refund would take under a flaw.
type hypothesis struct {
	code  flaw.Code
	may   bool // it would be told from the share
	takes int64
	why   string
}

// amountSigns looks for flaws by which a refund takes another amount than its share. Each is
// an opportunity only where it would take an amount that differs from the share by more than
// rounding does.
func (j *Judge) amountSigns(rf *refund) {
	if rf.of == nil || rf.netted || rf.Taken == 0 || rf.undoneAt != 0 || rf.most == 0 {
		return
	}
	p := rf.of
	if p.inexact || p.again > 0 {
		return
	}
	tolerance, vague := rf.tolerance(), j.vague(rf)
	right := rf.Taken >= rf.least-tolerance && rf.Taken <= rf.most+tolerance
	told := right || vague
	for _, h := range j.hypotheses(rf) {
		would := near(rf.Taken, h.takes, tolerance)
		if h.may && !near(h.takes, rf.most, tolerance+1) && (right && !would || !told && would) {
			told = told || would
			j.amountSign(rf, h.code, would, h.why)
		}
	}
	over := !told && rf.Taken > rf.most+tolerance
	switch {
	case rf.copies > 1 && right:
		j.amountSign(rf, flaw.G5, false, "")
	case !vague && !rf.Over && (right || over):
		j.amountSign(rf, flaw.OverClawed, over, "it is more than the share")
	}
}

// amountSign notes whether a flaw showed by which another amount is taken.
func (j *Judge) amountSign(rf *refund, code flaw.Code, shown bool, why string) {
	differs := rf.most - rf.Taken
	s := Sign{Flaw: code, At: rf.TakenAt, Amount: max(differs, -differs), Shown: shown}
	s.Shorts = shown && differs < 0 && code == flaw.CurrentRate // the only one of them that can go either way
	j.sign(s, about{refund: rf}, func() (string, string) {
		return fmt.Sprintf("%s is taken, the refund's share of %s", j.money(rf.most), j.money(rf.of.original)),
			fmt.Sprintf("%s was taken: %s", j.money(rf.Taken), why)
	})
}

// hypotheses are what a refund would take under the flaws that take another amount.
func (j *Judge) hypotheses(rf *refund) [7]hypothesis {
	p := rf.of
	own := !p.isCut()
	parts := own && p.part > 0 && rf.part <= p.base
	base := j.base.Of(rf.part)
	today, known := j.rateOfTheDay(rf, p)
	return [...]hypothesis{
		{flaw.G5, rf.clawbacks > 1 && rf.most > rf.tolerance(), 2 * rf.most, "the refund was taken twice"},
		{flaw.G1, p.base < p.Amount && rf.RefundedAt >= p.grantAt, rf.afterClose(), "it was divided by the whole purchase, of which a part was left out of the grant"},
		{flaw.CurrentRate, own && known, today, "it is at the rate of the day of the refund"},
		{flaw.Compounding, rf.before > 0 && rf.Number != 1, share(max(0, p.original-rf.before), rf.part, p.Amount), "it is the share of what earlier refunds had left of the reward"},
		{flaw.BonusKept, own && base > 0 && base < rf.most, base, "it is at the base rate"},
		{flaw.BonusKept, parts, share(p.part, rf.part, p.base), "it is the share of one of the two grants"},
		{flaw.BonusKept, parts, share(p.original-p.part, rf.part, p.base), "it is the share of one of the two grants"},
	}
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

// rateOfTheDay is the share of a refund in a later cycle than its purchase's at the rate of its
// day: that of the latest purchase under the same rule in that cycle before it or, if there was
// none, the published one.
func (j *Judge) rateOfTheDay(rf *refund, p *purchase) (int64, bool) {
	if rf.cycle == p.cycle || p.base < p.Amount {
		return 0, false
	}
	for k, n := len(j.arrived)-1, 0; j.arrived[k] != p && n < glance; k-- {
		o := j.arrived[k]
		if o.At > rf.RefundedAt || o.rule != p.rule {
			continue
		}
		if o.cycle != rf.cycle {
			break
		}
		n++
		if o.granted && !o.isCut() && !o.inexact && o.original > 0 && o.base > 0 {
			takes := share(o.original, rf.part, o.base)
			return takes, takes < reward.MaxVolume
		}
	}
	now := j.program.In(rf.cycle)
	rule := now.RuleFor(reward.Terms{Merchant: p.Merchant, MCC: p.MCC, Category: p.Category})
	if rule == reward.NoRule {
		return 0, false
	}
	return now.Rules[rule].Rate.Of(rf.part), true
}

// afterClose is the share of a refund if the grant left a part of the purchase out
// and the clawback forgets that (G1); where it did not, it is the share.
func (rf *refund) afterClose() int64 {
	p := rf.of
	if p.base >= p.Amount || rf.RefundedAt < p.grantAt {
		return rf.most
	}
	return share(p.original, min(rf.Amount, p.Amount), p.Amount)
}

// lateSign looks for clawbacks later than the close after the refund. It costs nothing in the
// end, so it has no amount.
func (j *Judge) lateSign(rf *refund) {
	if !rf.Linked || rf.of == nil || rf.netted || rf.Taken == 0 || rf.undoneAt != 0 || rf.approximate || rf.Outcome == NothingAtStake || rf.most <= rounding {
		return
	}
	j.sign(Sign{Flaw: flaw.LateClawback, At: rf.TakenAt, Shown: rf.Outcome == Late}, about{refund: rf}, func() (string, string) {
		return "the clawback comes by " + date(j.calendar.at(rf.RefundedAt).end), fmt.Sprintf("it came %d days after the refund", days(rf.RefundedAt, rf.TakenAt))
	})
}

// lostDispute looks whether what was taken, or left out, came back when a refund or
// chargeback did not stand (G9).
func (j *Judge) lostDispute(rf *refund) {
	if rf.undoneAt == 0 || rf.of == nil || !rf.Linked {
		return
	}
	p := rf.of
	took := rf.clawbacks > 0 && rf.takenFirst < rf.undoneRow
	leftOut := rf.netted && rf.nettedBy > 0 && p.grantRow < rf.undoneRow && p.granted
	if !took && !leftOut || !j.settled(rf.undoneAt) || p.isCut() || j.vague(rf) {
		return
	}
	missing := p.owed - p.retained()
	s := Sign{Flaw: flaw.G9, At: rf.undoneAt, Amount: missing, Shown: missing > rf.tolerance(), Shorts: true}
	j.sign(s, about{refund: rf}, func() (string, string) {
		return fmt.Sprintf("%s of the reward comes back, for the %s did not stand", j.money(missing), j.rows[rf.row].Kind), "it did not come back"
	})
}

// settled reports whether what the close after an instant posts is in the exports.
func (j *Judge) settled(at reward.Instant) bool {
	return j.calendar.at(at).end+lateRows <= j.options.End
}
