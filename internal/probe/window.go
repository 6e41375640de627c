package probe

import (
	"fmt"

	"recoup/internal/flaw"
)

// Window is what was paid out of a reward after all of its purchase had been returned, in
// the same month. Amounts are in minor units.
type Window struct {
	What string `json:"what"`
	// Paid beyond what the account that bought nothing was paid: zero, but for a welcome and the like.
	Paid  int64       `json:"paid"`
	Trace []TraceStep `json:"trace"`
}

// windows looks for money that goes out for what is known to be returned, where nothing
// else is wrong. The examination returns after ten days; programs that pay sooner show it
// only if the return is sooner still.
func (r *run) windows() error {
	if !r.stage.canWait() || r.class() != flaw.Robust {
		return nil
	}
	g := &grid{can: &r.target.Can, sample: r.sample, times: r.scout.times}
	var list []*sweepCase
	for _, days := range []int{0, 3} {
		for _, times := range []int64{1, large} { // a program may ask for a minimum to be redeemed
			d := g.draft()
			d.watched = true
			s := sampled(g.sample).of(times * g.sample.Amount)
			d.buyAll(s)
			d.returnAll(days, s)
			for _, later := range []int{0, 1, 2, 7, 14} {
				d.redeem(g.times - 1 + days + later)
			}
			list = append(list, g.put(ByDebt, days, "", d, "%d times the price, returned after %d days, and then redeemed", times, days))
		}
	}
	if err := r.judgeAll(list); err != nil {
		return err
	}
	for _, c := range list {
		if w := r.window(g, c); w != nil && (r.result.Window == nil || w.Paid > r.result.Window.Paid) {
			r.result.Window = w
		}
	}
	if w := r.result.Window; w != nil {
		r.result.Evidence = w.Trace
	}
	return nil
}

// window is what was paid between the last return and the last redemption of a case; nil
// if nothing was.
func (r *run) window(g *grid, c *sweepCase) *Window {
	if c.h.failed != nil || c.twin.failed != nil {
		return nil
	}
	returned, redeemed := 2*g.times-1, len(c.h.steps)-waits(c.h)-1
	paid := c.h.seen[redeemed].PaidOut - c.h.seen[returned].PaidOut - c.twin.last(0).PaidOut
	if paid <= roundingLeaves {
		return nil
	}
	return &Window{fmt.Sprintf("%s in the same month", c.level), paid, r.traceBeside(c)}
}
