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
	most := judge.AtOnce
	for _, o := range [...]judge.Outcome{judge.WithinCycle, judge.AtClose, judge.Late} {
		if *later.of(o) > *later.of(most) {
			most = o
		}
	}
	switch most {
	case judge.WithinCycle:
		total := int64(0)
		for _, n := range j.Refunds.Waited {
			total += n
		}
		// A tenth may be late postings.
		return fmt.Sprintf("Within %d days", quantile(j.Refunds.Waited, total, 900))
	case judge.AtClose:
		return "Stmt. close"
	case judge.Late:
		return "Late"
	}
	return "Immediate"
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
	case j.class == flaw.V3b:
		return "Indefinite*"
	}
	return "Indefinite"
}
