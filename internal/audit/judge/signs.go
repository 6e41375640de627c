package judge

import (
	"slices"

	"recoup/internal/audit/history"
	"recoup/internal/flaw"
	"recoup/program"
	"recoup/reward"
)

// Undecided is the code of signs that are of V1 or of V2: refunds that took nothing
// back, in an account that has none in the other place to compare them with. The
// class of the program tells which. It is not in flaw.Catalogue.
const Undecided flaw.Code = "V1 or V2"

// mostExamples is how many examples of a flaw an account gives.
const mostExamples = 5

// signs looks for every flaw that exports can show. A refund shows one flaw at the
// most of those that explain why nothing, too little or too much was taken; of two
// explanations the more special one wins.
func (j *Judge) signs() {
	j.evidence = evidence{}
	j.weigh()
	for k := range j.refunds {
		is := int32(k)
		j.amountSigns(is, j.factSigns(is))
		j.lostDispute(is)
	}
	j.classSigns()
	j.debtSigns()
	j.windowSigns()
	j.grantSigns()
	j.capSigns()
	j.redemptionSigns()
	j.walkAway()
}

// evidence is what the account shows of how its program treats refunds, for the
// signs that need something to compare with.
type evidence struct {
	plain    [3]treated // by Place: linked refunds within their purchase
	whole    [3]treated // of them, those of whole purchases
	parts    [3]treated
	rows     int64    // refunds that a clawback took for
	owed     int64    // of them, those that left a debt
	zero     int64    // refunds that took nothing while the balance was zero
	waits    [3]int64 // by Place: refunds whose clawback came later than at once
	prompt   [3]int64 // and those whose came at once
	atOnce   int64
	atClose  int64
	examples [32]exampleCount
	counted  int
}

// treated counts refunds with something at stake by whether anything was taken.
type treated struct{ adjusted, never int64 }

func (t *treated) any() bool { return t.adjusted+t.never > 0 }

func (t *treated) add(o treated) {
	t.adjusted += o.adjusted
	t.never += o.never
}

// ignores and adjusts say which it is mostly; of a few odd rows neither is made.
func (t *treated) ignores() bool { return t.never > 0 && 4*t.adjusted <= t.never }
func (t *treated) adjusts() bool { return t.adjusted > 0 && 4*t.never <= t.adjusted }

type exampleCount struct {
	code flaw.Code
	n    int
}

// adjusted reports whether a refund took its share of the reward, or some of it.
func (o Outcome) adjusted() bool {
	switch o {
	case Netted, AtOnce, WithinCycle, AtClose, Late, Partly:
		return true
	}
	return false
}

// plainly reports whether a refund is one that no program has a reason to treat in
// a way of its own.
func (rf *refund) plainly() bool { return rf.linked && !rf.chargeback && !rf.over && rf.of != none }

// weigh collects the evidence. A refund that found nothing to take is none.
func (j *Judge) weigh() {
	e := &j.evidence
	for k := range j.refunds {
		rf := &j.refunds[k]
		switch rf.outcome {
		case AtOnce:
			e.atOnce++
			e.prompt[rf.place]++
		case WithinCycle:
			e.waits[rf.place]++
		case AtClose, Late:
			e.atClose++
			e.waits[rf.place]++
		}
		if rf.taken > 0 {
			e.rows++
		}
		if rf.owed {
			e.owed++
		}
	}
	for k := range j.refunds {
		if j.foundNothing(&j.refunds[k]) {
			e.zero++
		}
	}
	for k := range j.refunds {
		rf := &j.refunds[k]
		if !rf.plainly() || rf.floored && rf.taken == 0 || j.atZero(rf) {
			continue
		}
		of := &e.parts[rf.place]
		if rf.amount >= j.purchases[rf.of].amount {
			of = &e.whole[rf.place]
		}
		switch {
		case rf.outcome.adjusted():
			e.plain[rf.place].adjusted++
			of.adjusted++
		case rf.outcome == Never:
			e.plain[rf.place].never++
			of.never++
		}
	}
}

// could notes an opportunity that a flaw did not take.
func (j *Judge) could(code flaw.Code, at reward.Instant) {
	j.account.Signs = append(j.account.Signs, Sign{Flaw: code, At: at})
}

// couldShort is could for a sign that would cost the cardholder.
func (j *Judge) couldShort(code flaw.Code, at reward.Instant) {
	j.account.Signs = append(j.account.Signs, Sign{Flaw: code, At: at, Shorts: true})
}

// shown notes a flaw that showed. The sign is returned if it should have an example.
func (j *Judge) shown(code flaw.Code, at reward.Instant, amount int64) *Sign {
	j.account.Signs = append(j.account.Signs, Sign{Flaw: code, At: at, Shown: true, Amount: amount})
	e := &j.evidence
	for i := range e.examples[:e.counted] {
		if c := &e.examples[i]; c.code == code {
			if c.n++; c.n > mostExamples {
				return nil
			}
			return &j.account.Signs[len(j.account.Signs)-1]
		}
	}
	e.examples[e.counted] = exampleCount{code, 1}
	e.counted++
	return &j.account.Signs[len(j.account.Signs)-1]
}

// shorted is shown for a sign that costs the cardholder.
func (j *Judge) shorted(code flaw.Code, at reward.Instant, amount int64) *Sign {
	s := j.shown(code, at, amount)
	j.account.Signs[len(j.account.Signs)-1].Shorts = true
	return s
}

// money is an amount in the program's currency.
func (j *Judge) money(minor int64) string { return program.FormatAmount(minor, j.program.Currency) }

// exampleOfRefund spells a refund's story out: the purchase, its reward, its refunds
// and what was taken.
func (j *Judge) exampleOfRefund(s *Sign, is int32, expected, found string) {
	rf := &j.refunds[is]
	rows := []int32{rf.row}
	s.Example = &Example{Account: j.account.ID, Expected: expected, Found: found, Amount: s.Amount}
	if rf.of != none {
		p := &j.purchases[rf.of]
		s.Example.Purchase = j.rows[p.row].ID
		rows = append(rows, p.row)
		if p.granted {
			rows = append(rows, p.grantRow)
		}
		for r, n := p.first, 0; r != none && n < mostExamples; r, n = j.refunds[r].next, n+1 {
			rows = append(rows, j.refunds[r].row)
		}
	}
	if rf.taken > 0 {
		rows = append(rows, rf.takenFirst, rf.takenRow)
	}
	if rf.undoneRow != none {
		rows = append(rows, rf.undoneRow)
	}
	s.Example.Steps = j.steps(rows)
}

// exampleOfPurchase spells out a purchase and some rows besides.
func (j *Judge) exampleOfPurchase(s *Sign, is int32, expected, found string, rows ...int32) {
	p := &j.purchases[is]
	rows = append(rows, p.row)
	if p.granted {
		rows = append(rows, p.grantRow)
	}
	s.Example = &Example{Account: j.account.ID, Purchase: j.rows[p.row].ID, Expected: expected, Found: found, Amount: s.Amount, Steps: j.steps(rows)}
}

// steps puts rows into words, in order of time.
func (j *Judge) steps(rows []int32) []Step {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	list := make([]Step, 0, len(rows))
	for _, row := range rows {
		if row != none {
			list = append(list, Step{At: j.rows[row].At, What: what(&j.rows[row]), Amount: j.rows[row].Amount})
		}
	}
	byTime(list)
	return list
}

// what is a row in words.
func what(r *history.Row) string {
	text := r.Kind.String()
	switch r.Kind {
	case history.Purchase, history.Refund, history.Chargeback:
		text += " " + r.ID
	case history.RefundReversed:
		text = "refund " + r.ID + " reversed"
	case history.ChargebackReversed:
		text = "chargeback " + r.ID + " reversed"
	case history.Reward:
		text = "reward granted"
		if r.Amount < 0 {
			text = "reward taken back"
		}
	}
	if r.Transaction != "" {
		text += " of " + r.Transaction
	}
	return text
}
