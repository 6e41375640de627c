package judge

import (
	"fmt"

	"recoup/internal/flaw"
)

// factSigns looks for flaws by which a kind of refunds takes nothing: those above
// the purchase (G2), before it (G3), chargebacks (G9), parts, and refunds that name
// no purchase. It counts only where the account shows that others do take. It
// returns whether one of them explains the refund.
func (j *Judge) factSigns(is int32) (explained bool) {
	rf := &j.refunds[is]
	e := &j.evidence
	taken := rf.outcome.adjusted()
	if !taken && rf.outcome != Never || rf.undoneAt != 0 {
		return false
	}
	if !taken && (rf.floored || j.atZero(rf)) {
		return false // see debtSigns
	}
	others := e.plain[rf.place].adjusts()
	judge := func(code flaw.Code, applies bool, why string) {
		switch {
		case explained || !applies:
		case taken:
			j.could(code, rf.at)
		default:
			explained = true
			if s := j.shown(code, rf.at, rf.share()); s != nil {
				j.exampleOfRefund(s, is, fmt.Sprintf("%s of the reward goes with the refund", j.money(rf.share())), why)
			}
		}
	}
	judge(flaw.G3, rf.place == Early && rf.linked && (e.plain[SameCycle].adjusts() || e.plain[LaterCycle].adjusts()),
		"nothing was taken: the refund came before its purchase")
	judge(flaw.UnlinkedIgnored, !rf.linked && !rf.over && others && (taken || rf.of == none || !j.onlyAPart(rf)), "nothing was taken: the refund names no purchase")
	judge(flaw.G2, rf.linked && rf.over && others, "nothing was taken: the refunds are above the purchase")
	judge(flaw.G9, rf.linked && rf.chargeback && others, "nothing was taken for the chargeback")
	part := rf.plainly() && rf.place != Early && rf.amount < j.purchases[rf.of].amount
	judge(flaw.PartsIgnored, part && e.whole[rf.place].adjusts() && (taken || e.parts[rf.place].adjusted == 0),
		"nothing was taken: the refund is of a part only")
	return explained
}

// classSigns looks for the classes V1 and V2, and for G6, among plain refunds that
// took nothing and that nothing else explains.
func (j *Judge) classSigns() {
	e := &j.evidence
	same, later := &e.plain[SameCycle], &e.plain[LaterCycle]
	both := same.any() && later.any()
	for k := range j.refunds {
		rf := &j.refunds[k]
		never := rf.outcome == Never
		if !rf.plainly() || rf.place == Early || !never && !rf.outcome.adjusted() || rf.undoneAt != 0 {
			continue
		}
		if never && (rf.floored || j.atZero(rf) || j.onlyAPart(rf)) {
			continue
		}
		here, there := same, later
		if rf.place == LaterCycle {
			here, there = later, same
		}
		is := int32(k)
		switch {
		case !both:
			j.classSign(Undecided, is, never)
			continue
		case here.ignores() && there.ignores():
			j.classSign(flaw.CodeOf(flaw.V1), is, never)
			j.classSign(flaw.CodeOf(flaw.V2), is, false)
		case here.ignores() && there.adjusts():
			j.classSign(flaw.CodeOf(flaw.V1), is, false)
			j.classSign(flaw.CodeOf(flaw.V2), is, never)
		default:
			j.classSign(flaw.CodeOf(flaw.V1), is, false)
			if !there.ignores() {
				j.classSign(flaw.CodeOf(flaw.V2), is, false)
			}
		}
		if rf.place == SameCycle && later.adjusts() && j.purchases[rf.of].grantAt <= rf.at {
			j.classSign(flaw.G6, is, never)
		}
	}
}

// onlyAPart reports whether a refund is of a part of its purchase in an account that
// shows that refunds of whole purchases are adjusted, and of no part. That is then
// what may be the matter, wherever it falls.
func (j *Judge) onlyAPart(rf *refund) bool {
	if rf.amount >= j.purchases[rf.of].amount {
		return false
	}
	var whole, parts treated
	for place := range j.evidence.whole {
		whole.add(j.evidence.whole[place])
		parts.add(j.evidence.parts[place])
	}
	return whole.adjusts() && parts.adjusted == 0
}

func (j *Judge) classSign(code flaw.Code, is int32, shown bool) {
	rf := &j.refunds[is]
	if !shown {
		j.could(code, rf.at)
		return
	}
	if s := j.shown(code, rf.at, rf.share()); s != nil {
		j.exampleOfRefund(s, is, fmt.Sprintf("%s of the reward goes with the refund", j.money(rf.share())),
			fmt.Sprintf("nothing was taken by %s", j.options.End.Time().Format("2006-01-02")))
	}
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
	if !tookBefore && !leftOut || cycleEnd(rf.undoneAt)+closeWithin > j.options.End || p.cut || p.inexact || j.guess.any && !rf.named {
		return
	}
	due := p.keeps(p.gone())
	if leftOut {
		due = p.rate.Of(p.left())
	}
	if p.bucket != none {
		b := &j.buckets[p.bucket]
		if b.capped() && b.filledAt != 0 {
			return // the cap may have no room for it
		}
	}
	missing := due - p.retained()
	if missing <= rf.tolerance() {
		j.couldShort(flaw.G9, rf.undoneAt)
		return
	}
	if s := j.shorted(flaw.G9, rf.undoneAt, missing); s != nil {
		j.exampleOfRefund(s, is, fmt.Sprintf("%s of the reward comes back, for the %s did not stand", j.money(missing), j.rows[rf.row].Kind), "it did not come back")
	}
}

// grantSigns looks for purchases that were granted twice (G4).
func (j *Judge) grantSigns() {
	for k := range j.purchases {
		p := &j.purchases[k]
		if !p.granted || p.copies < 2 && p.again == 0 {
			continue
		}
		more := min(p.again, p.retained()-p.keeps(p.gone()))
		if more <= 1 {
			j.could(flaw.G4, p.grantAt)
			continue
		}
		at := j.rows[p.againRow].At
		if s := j.shown(flaw.G4, at, more); s != nil {
			j.exampleOfPurchase(s, int32(k), fmt.Sprintf("one grant of %s", j.money(p.original)),
				fmt.Sprintf("%s was granted once more", j.money(p.again)), p.againRow)
		}
	}
}
