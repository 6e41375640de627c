package judge

import (
	"fmt"

	"recoup/reward"
)

// holdBefore holds the published terms against what the account got before anything was
// returned, once: when its first refund comes or, without one, at the end. No refund has a
// part in it, so that what is above the terms there is theirs: they do not say what the
// program grants. What is below may still come.
func (j *Judge) holdBefore(at reward.Instant) {
	if len(j.came) > 0 {
		return
	}
	f := &j.account.Fit
	if f.Before = max(0, j.account.Figures.NetReward); f.Before > 0 {
		f.GrantedBefore = 1
	}
	for _, row := range j.loose {
		f.LooseBefore += max(0, j.rows[row].Amount)
	}
	entitled := j.promises()
	over := j.account.Figures.NetReward - entitled
	for _, p := range j.arrived {
		over -= p.again // a flaw of its own
	}
	rounded := j.unsaid(int64(len(j.arrived)))
	f.RoundedBefore = max(0, min(over, rounded))
	if over -= rounded; over <= 0 {
		return
	}
	f.OverBefore, f.AccountsOver = over, 1
	j.account.Misfit = &Example{
		Account: j.account.ID, Amount: over,
		Expected: fmt.Sprintf("%s by %s, before anything was returned", j.money(entitled), date(at)),
		Found:    fmt.Sprintf("%s was granted", j.money(j.account.Figures.NetReward)),
	}
}
