package judge

import (
	"fmt"
	"slices"

	"recoup/internal/intake/history"
	"recoup/program"
	"recoup/reward"
)

// about is what a story is of.
type about struct {
	refund   *refund
	purchase *purchase // the refund's, if nil
	rows     []int32   // and others
}

// story spells out a purchase, its reward, its refunds and what was taken, in order of time.
func (j *Judge) story(of about, expected, found string, amount int64) *Example {
	e := &Example{Account: j.account.ID, Expected: expected, Found: found, Amount: amount}
	rows, p := of.rows, of.purchase
	if rf := of.refund; rf != nil {
		rows = append(rows, rf.row, rf.undoneRow, rf.takenFirst, rf.takenRow)
		if rf.of != nil {
			p = rf.of
		}
	}
	if p != nil {
		e.Purchase = p.ID
		rows = append(rows, p.row, p.grantRow)
		for _, r := range p.refunds[:min(len(p.refunds), mostExamples)] {
			rows = append(rows, r.row)
		}
	}
	slices.Sort(rows)
	for _, row := range slices.Compact(rows) {
		if row != none {
			e.Steps = append(e.Steps, StepOf(&j.rows[row]))
		}
	}
	return e
}

// tell spells out a refund by what it should have taken and what it did.
func (j *Judge) tell(k int) *Example {
	rf := j.came[k]
	found := "nothing was taken by " + date(j.options.End)
	switch {
	case rf.Outcome == Never && rf.Floored:
		found = "nothing was taken, for the balance was zero"
	case rf.Taken > 0 && rf.Floored:
		found = j.money(rf.Taken) + " was taken, which left a balance of just zero"
	case rf.Taken > 0:
		found = j.money(rf.Taken) + " was taken"
	}
	expected := fmt.Sprintf("%s of the reward goes with the refund", j.money(rf.share()))
	return j.story(about{refund: rf}, expected, found, max(0, rf.share()-rf.Taken))
}

// money is an amount of rewards.
func (j *Judge) money(minor int64) string { return program.Format(minor, j.program.Units().Reward) }

func date(at reward.Instant) string { return at.Time().Format("2006-01-02") }

// StepOf tells a row.
func StepOf(r *history.Row) Step {
	return Step{At: r.At, What: inWords(r), Amount: r.Amount, Spend: r.Kind < history.Reward}
}

// inWords are a row in words.
func inWords(r *history.Row) string {
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
