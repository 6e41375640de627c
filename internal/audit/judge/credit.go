package judge

import (
	"slices"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// bonus is what is owed for periods and no single purchase, and what came of it.
type bonus struct {
	owed, got int64
	fell      reward.Instant // when it last fell after it had come
}

// explainBonus takes a row for what is owed and did not come, or came and is no longer owed.
func (j *Judge) explainBonus(amount int64) bool {
	b := &j.bonus
	owed := b.owed - b.got
	if owed == 0 || owed > 0 != (amount > 0) || !near(amount, owed, 1) {
		return false
	}
	b.got += amount
	switch {
	case amount < 0:
		j.account.Bonuses.TakenBack++
	case len(j.came) > 0:
		j.account.Bonuses.AfterRefunds++
	}
	return true
}

// credit explains a reward row above zero that names no purchase.
func (j *Judge) credit(row int32) bool {
	r := &j.rows[row]
	p, how := j.likeliest(r)
	switch {
	case how == rest:
		p.more(r.Amount)
	case how > rest:
		j.grant(p, r.Amount, row)
	case j.giveBack(r) || j.explainBonus(r.Amount):
	case how == again:
		p.grantedAgain(r.Amount, row)
	case how == earlier || how == earlierLeft:
		j.grant(p, r.Amount, row)
	case j.explainSum(row):
	case how == odd:
		j.grant(p, r.Amount, row)
	default:
		return false
	}
	return true
}

// likeness is how a row looks like the reward of a purchase.
type likeness int

// The likenesses, the likeliest last.
const (
	unlike      likeness = iota
	odd                  // of the purchase of its moment, at whatever rate
	earlier              // all that a purchase of the cycle or the one before earns
	earlierLeft          // what is left of that after refunds
	again                // once more, of a purchase that was exported twice
	rest                 // of a grant of the same moment: a bonus on top of the base reward
	prompt               // about what a purchase of the last day earns
)

// likeliest is the purchase that a row looks most like the reward of, the latest of several.
func (j *Judge) likeliest(r *history.Row) (best *purchase, how likeness) {
	for _, p := range slices.Backward(j.arrived[max(0, len(j.arrived)-farGlance):]) {
		if p.cycle < j.promise.now.Cycle-1 || how == prompt {
			break
		}
		if like := p.like(r); like > how {
			best, how = p, like
		}
	}
	return best, how
}

func (p *purchase) like(r *history.Row) likeness {
	amount, promptly := r.Amount, p.At >= r.At-atOnceWithin
	switch {
	case p.granted && p.At >= r.At-together && p.original < p.full && near(p.original+amount, p.full, 1):
		return rest
	case p.granted && p.copies > 1 && p.again == 0 && r.At < p.grantAt+lateRows && near(amount, p.original, 1):
		return again
	case p.granted:
		return unlike
	case promptly && p.earns(amount):
		return prompt
	case amount == p.owed:
		return earlierLeft
	case amount == p.full:
		return earlier
	case p.At >= r.At-together && amount <= p.Amount/2:
		return odd
	}
	return unlike
}

// earns reports whether an amount is what the purchase earns: of what is left of it or of
// all of it.
func (p *purchase) earns(amount int64) bool {
	return near(amount, p.owed, 1) || near(amount, p.full, 1)
}

// creditNamed explains a row that names its purchase: its grant, a part of one, or a
// reward that is given back.
func (j *Judge) creditNamed(p *purchase, row int32) bool {
	amount := j.rows[row].Amount
	switch {
	case !p.granted:
		j.grant(p, amount, row)
	case p.retained()+amount > max(p.full, p.owed, p.original)+1:
		return false
	case p.taken == 0:
		p.more(amount)
	default:
		p.back += amount
	}
	return true
}

// more notes a grant that came in parts.
func (p *purchase) more(amount int64) {
	p.original += amount
	p.part = amount
	p.short = p.original < p.owed-1
}

// grantedAgain takes a row for the same grant once more.
func (p *purchase) grantedAgain(amount int64, row int32) bool {
	if !near(amount, p.original, 1) {
		return false
	}
	p.again += amount
	p.againRow = row
	return true
}

// giveBack takes a row for what was taken for a refund that did not stand.
func (j *Judge) giveBack(r *history.Row) bool {
	for k, rf := range slices.Backward(j.undone) {
		if rf.undoneAt <= r.At-forgotten {
			return false
		}
		if rf.of != nil && rf.Taken > 0 && near(r.Amount, rf.Taken, 1) {
			rf.of.back += r.Amount
			j.undone = slices.Delete(j.undone, k, k+1)
			return true
		}
	}
	return false
}

// grantedBefore looks for the reward of a purchase among rows that came before it, for its own
// row was late.
func (j *Judge) grantedBefore(p *purchase) {
	for k := len(j.loose) - 1; k >= 0; k-- {
		row := j.loose[k]
		switch r := &j.rows[row]; {
		case r.At < p.At-lateRows:
			return
		case r.Amount > 0 && (r.Transaction == p.ID || r.Transaction == "" && p.earns(r.Amount)):
			j.loose = slices.Delete(j.loose, k, k+1)
			j.grant(p, r.Amount, row)
			return
		}
	}
}
