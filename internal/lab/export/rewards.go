package export

import (
	"recoup/internal/lab/design"
	"recoup/reward"
)

// RewardTotal are the sums of reward rows, in minor units.
type RewardTotal struct {
	Granted   int64 `json:"granted"`    // of rows above zero
	TakenBack int64 `json:"taken_back"` // of rows below zero, without their sign
}

// rewards turns a design's postings into rows.
type rewards struct {
	rows        *rows
	links, sums bool
	noise       *noise
	total       RewardTotal
	statement   design.Posting // the sum under way, of one account and close
}

// add takes one posting in. What a close posts comes account by account.
func (r *rewards) add(p design.Posting) {
	switch {
	case p.Kind == design.StatementPay:
		r.rows.payout(p.Account, -p.Amount, p.At)
	case r.sums && p.Close:
		if s := &r.statement; s.Account != p.Account || s.At != p.At {
			r.flush()
			*s = design.Posting{Account: p.Account, At: p.At}
		}
		r.statement.Amount += p.Amount
	default:
		r.write(&p)
	}
}

// flush writes the sum that is under way.
func (r *rewards) flush() {
	if r.statement.Amount != 0 {
		r.write(&r.statement)
	}
	r.statement = design.Posting{}
}

// rewardKind is what the form calls a posting: it has no word for sums, nor for
// debts that are forgotten, which is a reward by the program's rules.
func rewardKind(k design.PostingKind) string {
	switch k {
	case "", design.WrittenOff:
		return "reward"
	}
	return string(k)
}

func (r *rewards) write(p *design.Posting) {
	if p.Amount > 0 {
		r.total.Granted += p.Amount
	} else {
		r.total.TakenBack -= p.Amount
	}
	transaction := p.Transaction
	if !r.links {
		transaction = ""
	}
	latest := r.rows.latest
	late := r.noise.lateness()
	r.rows.reward(p.Account, p.Amount, transaction, rewardKind(p.Kind), p.At+late)
	if late > 0 {
		r.rows.latest = max(latest, p.At) // noise aside
	}
}

// lateness is how much later a reward is posted, mostly zero.
func (n *noise) lateness() reward.Instant {
	if !n.chance(n.shares.LatePermille) {
		return 0
	}
	n.done.LateRewards++
	return n.within(1*reward.Day, 5*reward.Day)
}
