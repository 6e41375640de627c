package audit

import (
	"fmt"
	"strings"

	"recoup/internal/audit/history"
	"recoup/internal/audit/judge"
)

// timelineRows is how long a timeline may be.
const timelineRows = 60

// timeline tells an account's history in at most so many steps. Where there are
// more rows, purchases that were kept and their rewards are left out first; then
// the latest rows are, and the last step says how many. The refunds are the
// account's.
func timeline(h *history.History, refunds []judge.RefundCase, most int) []judge.Step {
	rows := make([]*history.Row, len(h.Rows))
	for i := range rows {
		rows[i] = &h.Rows[i]
	}
	if len(rows) > most {
		rows = ofReturns(rows, refunds)
	}
	if len(h.Rows) > most {
		rows = rows[:min(len(rows), most-1)]
	}
	steps := make([]judge.Step, 0, len(rows)+1)
	for _, r := range rows {
		steps = append(steps, judge.Step{At: r.At, What: strings.Clone(judge.Words(r)), Amount: r.Amount})
	}
	if left := len(h.Rows) - len(rows); left > 0 {
		steps = append(steps, judge.Step{At: h.Rows[len(h.Rows)-1].At, What: fmt.Sprintf("and %d more rows that are not shown", left)})
	}
	return steps
}

// ofReturns are the rows that have to do with refunds: purchases that were
// refunded and their rewards, and all rows that name no purchase.
func ofReturns(rows []*history.Row, refunds []judge.RefundCase) []*history.Row {
	returned := map[string]bool{"": true}
	for i := range refunds {
		returned[refunds[i].Purchase] = true
	}
	var kept []*history.Row
	for _, r := range rows {
		if r.Kind == history.Purchase && !returned[r.ID] || r.Kind == history.Reward && !returned[r.Transaction] {
			continue
		}
		kept = append(kept, r)
	}
	return kept
}
