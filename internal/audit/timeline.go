package audit

import (
	"fmt"
	"strings"

	"recoup/internal/audit/history"
	"recoup/internal/audit/judge"
)

// timelineRows is how long a timeline may be.
const timelineRows = 60

// timeline tells an account's history. Where there are too many rows, purchases that were
// kept and their rewards are left out, then the latest rows, and the last step says how
// many. The refunds are the account's.
func timeline(h *history.History, refunds []judge.RefundCase) (steps []judge.Step) {
	returned := map[string]bool{"": true}
	for i := range refunds {
		returned[refunds[i].Purchase] = true
	}
	all := len(h.Rows) <= timelineRows
	for i := range h.Rows {
		r := &h.Rows[i]
		kept := r.Kind == history.Purchase && !returned[r.ID] || r.Kind == history.Reward && !returned[r.Transaction]
		if all || !kept && len(steps) < timelineRows-1 {
			steps = append(steps, judge.Step{At: r.At, What: strings.Clone(judge.Words(r)), Amount: r.Amount})
		}
	}
	if left := len(h.Rows) - len(steps); left > 0 {
		steps = append(steps, judge.Step{At: h.Rows[len(h.Rows)-1].At, What: fmt.Sprintf("and %d more rows that are not shown", left)})
	}
	return steps
}
