package probe

import (
	"fmt"
	"slices"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/scenario"
)

// A balance is a promise and no money: a program may leave it standing after a return and
// pay nothing out of it until as much has been bought again. What an account has is then
// what it was paid and what it could be paid now, and that is compared, also after a
// purchase that is kept.

// had is what could have been taken out of an account.
func (s Shown) had() int64 { return s.PaidOut + s.Redeemable }

// acquitIdle finds out whether what stays on balances can be had, and counts it as no
// leak if in not one history it can.
func (r *run) acquitIdle() error {
	leaks := leaking(r.cases)
	if len(leaks) == 0 || !r.stage.canWait() || slices.ContainsFunc(leaks, func(c *sweepCase) bool { return c.canBeHad() }) {
		return nil
	}
	r.logf("Nothing of what stays after %d of the returns can be redeemed: buying again, to see whether it ever can.", len(leaks))
	longer := make([]*sweepCase, len(leaks))
	for i, c := range leaks {
		longer[i] = r.boughtAgain(c)
	}
	// One is asked before all: mostly what stays can be had once a minimum is reached.
	if err := r.judgeAll(longer[:1]); err != nil || !longer[0].stays() {
		return err
	}
	if err := r.judgeAll(longer); err != nil {
		return err
	}
	proven := false
	for _, c := range longer {
		if !c.stays() {
			return nil
		}
		proven = proven || c.payable()
	}
	if !proven {
		return nil
	}
	r.result.Sweep.Idle = len(leaks)
	for _, c := range leaks {
		c.leak = 0
	}
	return nil
}

// canBeHad reports whether more can be redeemed in the end than by who never bought what
// was returned.
func (c *sweepCase) canBeHad() bool {
	for n := range waits(c.h) {
		if c.h.last(n).Redeemable > c.twin.last(n).Redeemable+roundingLeaves {
			return true
		}
	}
	return false
}

// boughtAgain is a case whose amounts are as large as any minimum for redemptions may be,
// followed by a purchase that is kept, and by a year.
func (r *run) boughtAgain(c *sweepCase) *sweepCase {
	h := &history{name: c.h.name + "-idle"}
	most, times := scenario.Move{}, int64(1) // the largest purchase
	for _, s := range c.h.steps {
		if s.Move.Kind == scenario.Settle && s.Move.Amount > most.Amount {
			most = s.Move
		}
	}
	if most.Amount < large*r.sample.Amount {
		times = large
	}
	for _, s := range c.h.steps[:len(c.h.steps)-waits(c.h)] {
		s.Move.Amount *= times
		s.Move.Really = slices.Clone(s.Move.Really)
		for i := range s.Move.Really {
			s.Move.Really[i].Amount *= times
		}
		h.add(s.At, s.Move)
	}
	h.watch(readings[0])
	most.ID, most.Amount, most.Again, most.Happened = "kept-afterwards", most.Amount*times, false, time.Time{}
	h.add(h.steps[len(h.steps)-1].At.AddDate(0, 0, 1), most)
	h.watch(readings[:]...)
	return &sweepCase{axis: c.axis, h: h, twin: h.twin()}
}

// before is what an account of boughtAgain showed before the purchase that is kept.
func (h *history) before() Shown { return h.seen[len(h.steps)-len(readings)-2] }

// stays reports whether what is left of the return cannot be had, neither before nor after
// another purchase.
func (c *sweepCase) stays() bool {
	if c.h.failed != nil || c.twin.failed != nil || c.h.before().Redeemable > c.twin.before().Redeemable+roundingLeaves {
		return false
	}
	for n := range waits(c.h) {
		if c.h.last(n).had() > c.twin.last(n).had()+roundingLeaves {
			return false
		}
	}
	return true
}

// payable reports whether the program pays amounts as small as what stays: of the twin,
// which has but what was kept, as much could be had.
func (c *sweepCase) payable() bool {
	stays, could := c.h.before().NetReward()-c.twin.before().NetReward(), c.twin.last(0).had()-c.twin.before().had()
	return could > 0 && could <= stays+roundingLeaves
}

// examinedClass is the class that the examination tells. It goes by balances, so that where
// these are no money the sweep's word stands.
func (r *run) examinedClass() flaw.Class {
	b := r.result.Behaviour
	switch {
	case b == nil:
		return ""
	case r.result.Sweep.Idle > 0 && b.Class != flaw.V3b:
		return flaw.Robust
	case (b.Class == flaw.V1 || b.Class == flaw.V2 || b.Class == flaw.Other && b.Float <= r.forNothing()) && r.tookAll():
		return flaw.Robust
	}
	return b.Class
}

// tookAll reports whether plain returns of every age were played, and no return at all left more
// than the account beside it has, that never bought what was returned. What stays on a balance
// then is of something else: a welcome, or what came for nothing bought.
func (r *run) tookAll() bool {
	s := r.result.Sweep
	return s != nil && len(ofAxis(r.cases, ByAge)) > 1 && s.Played > s.Unplayed && len(leaking(r.cases)) == 0
}

// forNothing is what an account has in the end that has bought nothing, such as a welcome.
func (r *run) forNothing() int64 {
	list := ofAxis(r.cases, ByAge)
	if len(list) == 0 {
		return 0
	}
	return list[0].twin.last(0).had()
}

// idleInWords says what was acquitted; empty if nothing was.
func (s *Sweep) idleInWords() string {
	if s.Idle == 0 {
		return ""
	}
	return fmt.Sprintf("after %d a balance stays of which nothing can be paid out", s.Idle)
}
