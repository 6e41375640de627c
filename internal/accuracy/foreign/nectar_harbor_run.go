package foreign

import (
	"fmt"
	"time"
)

// moved books the purchase that a fact names; the welcome offer only downwards.
func (s nectarHarbor) moved(a *nectarAccount, at time.Time, transaction, refund string) {
	c := s.cash(a.view(at))
	if a.byID[transaction] != nil {
		old := a.book["buy "+transaction]
		// What else the limit now allows this purchase may wait for the statement; what it
		// loses may not.
		if a.gap("buy "+transaction, c.purchases[transaction]) != 0 {
			a.post(at, Reversed, -old, transaction, refund, "Reward reversed")
			a.post(at, Earned, c.purchases[transaction], transaction, "", "Reward")
		}
	}
	if c.welcome < a.book["welcome"] {
		a.post(at, Adjusted, a.gap("welcome", c.welcome), "", "", "Welcome offer withdrawn")
	}
	s.unmatched(a, at, c, refund)
}

// unmatched keeps what returns of no known purchase cost, and gives it back when they are matched.
func (nectarHarbor) unmatched(a *nectarAccount, at time.Time, c nectarCash, refund string) {
	d := a.gap("unmatched", c.least-c.all())
	note := "Unmatched return"
	if d > 0 {
		note = "Return matched"
	}
	a.post(at, Adjusted, d, "", refund, note)
}

// batch grants freed room and the welcome offer, and closes with a summary.
func (s nectarHarbor) batch(a *nectarAccount, at time.Time) {
	c := s.cash(a.view(at))
	for _, p := range a.purchases {
		if d := a.gap("buy "+p.id, c.purchases[p.id]); d != 0 {
			a.post(at, Earned, d, p.id, "", "Limit recalculated")
		}
	}
	if d := a.gap("welcome", c.welcome); d != 0 {
		a.post(at, Earned, d, "", "", "Welcome offer")
	}
	s.unmatched(a, at, c, "")
	a.summary(at, fmt.Sprintf("Statement: rewards balance %d", a.balance()))
}
