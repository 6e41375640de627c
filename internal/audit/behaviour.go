package audit

import (
	"fmt"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// rewardTiming is when most rewards came.
func (s *sums) rewardTiming() string {
	g := s.Grants
	switch all := g.AtOnce + g.AtClose + g.Other; {
	case all == 0:
		return ""
	case 2*g.AtOnce > all:
		return "Instant"
	case 2*g.AtClose > all:
		return "Stmt. close"
	}
	return "Other"
}

// adjustment is when most refunds in a later cycle than their purchase's took
// the reward back; where these cannot be told, it is empty.
func (j *judgement) adjustment() string {
	switch j.later {
	case untold:
		return ""
	case ignores:
		return "None"
	}
	later := j.Refunds.of(in(judge.LaterCycle))
	switch max(later.AtOnce, later.WithinCycle, later.AtClose, later.Late) {
	case later.AtOnce:
		return "Immediate"
	case later.WithinCycle:
		// A tenth may be late postings.
		return fmt.Sprintf("Within %d days", quantile(j.Refunds.Waited, later.WithinCycle, 900))
	case later.AtClose:
		return "Stmt. close"
	}
	return "Late"
}

// negativeBalance is what became of debts.
func (j *judgement) negativeBalance() string {
	switch {
	case j.later == untold:
		return ""
	case j.later == ignores:
		return "N/A"
	case j.floored:
		return "Floored"
	case j.debts < leastCould:
		return "Not reached"
	case j.Class == flaw.V3b:
		return "Indefinite*"
	}
	return "Indefinite"
}
