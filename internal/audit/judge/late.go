package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// early calls for each row that nothing explained and that came no longer before than
// rows may be late, the latest first, until one is used.
func (j *Judge) early(since reward.Instant, use func(l *loose, r *history.Row) bool) {
	for k := len(j.loose) - 1; k >= 0; k-- {
		l := &j.loose[k]
		r := &j.rows[l.row]
		if r.At < since-lateRows {
			return
		}
		if l.amount == 0 {
			continue
		}
		now := j.now
		j.now = r.At
		used := use(l, r)
		j.now = now
		if used {
			l.amount = 0
			j.odd -= r.Amount
			return
		}
	}
}

// grantedBefore looks for the reward of a purchase among rows that came before
// it: its own row was late.
func (j *Judge) grantedBefore(is int32) {
	p := &j.purchases[is]
	j.early(p.at, func(l *loose, r *history.Row) bool {
		if r.Amount <= 0 || r.Transaction != j.rows[p.row].ID && (r.Transaction != "" || !j.earns(p, l.amount)) {
			return false
		}
		j.grant(is, l.amount, l.row)
		return true
	})
}

// takenBefore looks for the clawback of a refund among rows that came before it.
func (j *Judge) takenBefore(is int32) {
	rf := &j.refunds[is]
	due := rf.due()
	if len(j.loose) == 0 || due == 0 {
		return
	}
	p := &j.purchases[rf.of]
	j.early(rf.at, func(l *loose, r *history.Row) bool {
		if r.Amount > 0 || !near(l.amount, due, 1) || r.Transaction != "" && r.Transaction != j.rows[p.row].ID {
			return false
		}
		if r.Transaction != "" {
			p.taken -= l.amount // it is noted already
		}
		j.take(is, l.amount, l.row)
		return true
	})
}
