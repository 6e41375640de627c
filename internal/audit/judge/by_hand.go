package judge

import (
	"slices"

	"recoup/internal/intake/history"
)

// ByHand counts adjustments, which are made by hand and no part of what a program rewards, or by
// that name its clawbacks.
type ByHand struct {
	Took       int64 `json:"took"`        // those below zero
	ForRefunds int64 `json:"for_refunds"` // that took just what was due of refunds, or came in the moment of one
	AsRewards  int64 `json:"as_rewards"`  // those of any sign that were read as rewards, by Options.AdjustmentsReward
}

// Claws reports whether so many of the adjustments that took something are for refunds that these
// are clawbacks. What is corrected by hand, or expires, comes to that by chance alone.
func (b *ByHand) Claws() bool { return b.ForRefunds >= 5 && 5*b.ForRefunds >= b.Took }

// adjusted looks whether an adjustment comes in the moment of a refund, or takes just what is due of
// one, of all since the last that did, or of all.
func (j *Judge) adjusted(row int32) {
	b, amount := &j.account.ByHand, -j.rows[row].Amount
	if amount <= 0 {
		return
	}
	b.Took++
	var open []*refund // the latest first
	since := 0
	for k := len(j.came) - 1; k >= 0 && j.came[k].RefundedAt >= j.rows[row].At-recently; k-- {
		switch rf := j.came[k]; {
		case rf.byHand:
		case rf.RefundedAt == j.rows[row].At, near(rf.open(), amount, 1) && rf.open() > 0:
			rf.byHand = true
			b.ForRefunds++
			return
		case rf.open() > 0:
			open = append(open, rf)
			if rf.row > j.byHand {
				since = len(open)
			}
		}
	}
	for _, list := range [][]*refund{open[:since], open} {
		if len(list) > 0 && near(due(list), amount, int64(len(list))) {
			for _, rf := range list {
				rf.byHand = true
			}
			b.ForRefunds++
			j.byHand = row
			return
		}
	}
}

// asRewards are the rows with rewards in the place of adjustments.
func (j *Judge) asRewards(rows []history.Row) []history.Row {
	isAdjustment := func(r history.Row) bool { return r.Kind == history.Adjustment }
	if !slices.ContainsFunc(rows, isAdjustment) {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		if isAdjustment(rows[i]) {
			rows[i].Kind = history.Reward
			j.account.ByHand.AsRewards++
		}
	}
	return rows
}
