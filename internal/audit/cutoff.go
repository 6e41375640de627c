package audit

import (
	"maps"
	"slices"

	"recoup/internal/audit/judge"
)

// lagCount counts the refunds that came so many days after their purchase by whether
// they took any of the reward back. They are those that leave no doubt: linked, no
// chargeback, and the balance covered the clawback.
type lagCount struct {
	Adjusted int64 `json:"adjusted"`
	Never    int64 `json:"never"`
}

// addLag counts one refund by its lag.
func (s *sums) addLag(c *judge.RefundCase) {
	if k := kindOf(c); !k.linked || !k.covered || k.chargeback || c.Place == judge.Early {
		return
	}
	count := lagCount{Adjusted: 1}
	switch c.Outcome {
	case judge.NothingAtStake, judge.TooEarly:
		return
	case judge.Never:
		count = lagCount{Never: 1}
	}
	s.addLags(daysBegun(c.PurchasedAt, c.RefundedAt), count)
}

func (s *sums) addLags(days int, c lagCount) {
	sum := s.Refunds.Lags[days]
	sum.Adjusted += c.Adjusted
	sum.Never += c.Never
	if s.Refunds.Lags == nil {
		s.Refunds.Lags = map[int]lagCount{}
	}
	s.Refunds.Lags[days] = sum
}

// cutOff is the lag up to which a program takes refunds in.
type cutOff struct {
	days        int
	late, never int64 // refunds after it, and those of them that took nothing
}

// leastClear is the share, in per mille, of the refunds before a cut-off that must take
// the reward back.
const leastClear = 950

// cutOff looks for a lag up to which nearly all refunds take the reward back and after
// which most do not: the one that most refunds agree with. It is false where there is
// none.
func (r *refundCounts) cutOff() (found cutOff, ok bool) {
	var all, before, best lagCount
	for _, c := range r.Lags {
		all.Adjusted += c.Adjusted
		all.Never += c.Never
	}
	bestRight := int64(-1)
	for _, days := range slices.Sorted(maps.Keys(r.Lags)) {
		before.Adjusted += r.Lags[days].Adjusted
		before.Never += r.Lags[days].Never
		if right := before.Adjusted + all.Never - before.Never; right >= bestRight {
			bestRight, best, found.days = right, before, days
		}
	}
	early := best.Adjusted + best.Never
	found.late, found.never = all.Adjusted+all.Never-early, all.Never-best.Never
	ok = early >= leastCould && found.late >= leastCould && 1000*found.late >= leastPart*(early+found.late) &&
		1000*best.Adjusted >= leastClear*early
	return found, ok
}
