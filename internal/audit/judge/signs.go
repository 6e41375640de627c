package judge

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/audit/history"
	"recoup/internal/flaw"
	"recoup/program"
	"recoup/reward"
)

// mostExamples is how many examples of a flaw an account gives.
const mostExamples = 5

// signs looks for the flaws that single refunds, redemptions and purchases show by an
// amount or a time. Those by which some kind of refund takes nothing are told from the
// refunds of all accounts, and have no signs.
func (j *Judge) signs() {
	j.account.Tell = j.tell
	for k := range j.refunds {
		j.amountSigns(int32(k))
		j.lostDispute(int32(k))
	}
	j.writeOffSigns()
	j.windowSigns()
	j.grantSigns()
	j.freedSigns()
	j.termSigns()
	j.redemptionSigns()
	j.walkAway()
}

// could notes an opportunity that a flaw did not take.
func (j *Judge) could(code flaw.Code, at reward.Instant) {
	j.account.Signs = append(j.account.Signs, Sign{Flaw: code, At: at})
}

// shown notes a flaw that showed, with an example unless the account gave enough.
func (j *Judge) shown(code flaw.Code, at reward.Instant, amount int64, example func() *Example) *Sign {
	n := 0
	for i := range j.account.Signs {
		if s := &j.account.Signs[i]; s.Flaw == code && s.Example != nil {
			n++
		}
	}
	s := Sign{Flaw: code, At: at, Shown: true, Amount: amount}
	if n < mostExamples {
		s.Example = example()
		s.Example.Account, s.Example.Amount = j.account.ID, amount
	}
	j.account.Signs = append(j.account.Signs, s)
	return &j.account.Signs[len(j.account.Signs)-1]
}

// money is an amount in the program's currency.
func (j *Judge) money(minor int64) string { return program.FormatAmount(minor, j.program.Currency) }

// tell spells out a refund by what it should have taken and what it did.
func (j *Judge) tell(k int) *Example {
	rf := &j.refunds[k]
	found := fmt.Sprintf("nothing was taken by %s", date(j.options.End))
	switch {
	case rf.outcome == Never && j.account.Refunds[k].Floored:
		found = "nothing was taken, for the balance was zero"
	case rf.taken > 0:
		found = fmt.Sprintf("%s was taken", j.money(rf.taken))
		if j.account.Refunds[k].Floored {
			found += ", which left a balance of just zero"
		}
	}
	e := j.ofRefund(int32(k), fmt.Sprintf("%s of the reward goes with the refund", j.money(rf.share())), found)
	e.Account, e.Amount = j.account.ID, max(0, rf.share()-rf.taken)
	return e
}

func date(at reward.Instant) string { return at.Time().Format("2006-01-02") }

// ofRefund spells a refund's story out: the purchase, its reward, its refunds and what
// was taken.
func (j *Judge) ofRefund(is int32, expected, found string) *Example {
	rf := &j.refunds[is]
	rows := []int32{rf.row, rf.undoneRow}
	e := &Example{Expected: expected, Found: found}
	if rf.of != none {
		p := &j.purchases[rf.of]
		e.Purchase = j.rows[p.row].ID
		rows = append(rows, p.row, p.grantRow)
		for r, n := p.first, 0; r != none && n < mostExamples; r, n = j.refunds[r].next, n+1 {
			rows = append(rows, j.refunds[r].row)
		}
	}
	if rf.taken > 0 {
		rows = append(rows, rf.takenFirst, rf.takenRow)
	}
	e.Steps = j.steps(rows)
	return e
}

// ofPurchase spells out a purchase and some rows besides.
func (j *Judge) ofPurchase(is int32, expected, found string, rows ...int32) *Example {
	p := &j.purchases[is]
	if p.first != none {
		rows = append(rows, j.refunds[p.first].row)
	}
	return &Example{Purchase: j.rows[p.row].ID, Expected: expected, Found: found, Steps: j.steps(append(rows, p.row, p.grantRow))}
}

// steps puts rows into words, in order of time.
func (j *Judge) steps(rows []int32) []Step {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	list := make([]Step, 0, len(rows))
	for _, row := range rows {
		if row != none {
			list = append(list, Step{At: j.rows[row].At, What: Words(&j.rows[row]), Amount: j.rows[row].Amount})
		}
	}
	slices.SortStableFunc(list, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return list
}

// Words are a row in words.
func Words(r *history.Row) string {
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
	case history.Redemption:
		text = "redeemed"
		if r.Amount < 0 {
			text = "redemption put back"
		}
	}
	if r.Transaction != "" {
		text += " of " + r.Transaction
	}
	return text
}
