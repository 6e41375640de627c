package judge

import "recoup/reward"

// soon is how soon after its grant a reward is redeemed in a round.
const soon = 14 * reward.Day

// rounds lists the courses of the four phases: a purchase, the redemption of its
// reward soon after it came, the return of half of the purchase at least, and reward
// that the program is without since.
func (j *Judge) rounds() {
	for k := range j.refunds {
		rf := &j.refunds[k]
		c := &j.account.Refunds[k]
		if rf.of == none || c.Unrecovered == 0 || j.queue.of[rf.of] == none {
			continue
		}
		p, e := &j.purchases[rf.of], &j.queue.earnings[j.queue.of[rf.of]]
		if e.redeemed == 0 || e.at > p.grantAt+soon || e.at > rf.at && rf.taken > 0 && e.at > rf.takenAt {
			continue
		}
		if n := len(j.account.Rounds); n > 0 && j.account.Rounds[n-1].Purchase == c.Purchase {
			last := &j.account.Rounds[n-1]
			last.Returned = min(p.amount, last.Returned+rf.amount)
			last.Kept += c.Unrecovered
			continue
		}
		if returned := max(rf.part, p.amount-p.left()); 2*returned < p.amount {
			continue
		}
		j.account.Rounds = append(j.account.Rounds, Round{
			Purchase: c.Purchase, BoughtAt: p.at, RedeemedAt: e.at, ReturnedAt: rf.at,
			Bought: p.amount, Reward: p.original, Redeemed: e.redeemed, Returned: rf.part, Kept: c.Unrecovered,
		})
	}
}
