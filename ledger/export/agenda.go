package export

import (
	"slices"

	"recoup/reward"
)

// agenda has the instants at which time alone may end what an account holds or
// reserves, in order. One too many does no harm: moving an account on within its cycle changes
// nothing but what is due.
type agenda []ending

// ending is the end of a purchase's maturity, of an announced refund's hold or of an
// authorised redemption.
type ending struct {
	at                           reward.Instant
	purchase, refund, redemption string // one of them
}

// note notes what an event at that time would start. Periods differ between the
// versions of a program, so all of them are tried.
func (g *agenda) note(e *reward.Event, at reward.Instant, p *reward.Program) {
	if e.Type == reward.RedemptionAuthorized {
		g.add(ending{at: e.ReservedUntil(), redemption: e.Fact})
	}
	for ; p != nil; p = p.Earlier {
		switch {
		case e.Type == reward.TransactionSettled && p.MaturityDays > 0:
			g.add(ending{at: at + reward.Instant(p.MaturityDays)*reward.Day, purchase: e.Transaction})
		case e.Type == reward.RefundPending && p.Refunds.PendingDays > 0:
			g.add(ending{at: at + reward.Instant(p.Refunds.PendingDays)*reward.Day, refund: e.Fact})
		}
	}
}

func (g *agenda) add(e ending) {
	list := *g
	i := len(list)
	for i > 0 && list[i-1].at > e.at {
		i--
	}
	if i > 0 && list[i-1] == e {
		return // of another version with the same period
	}
	*g = slices.Insert(list, i, e)
}

// take takes off the endings of the first instant, if that is at or before the
// given one. Several at one instant come back as one without names.
func (g *agenda) take(until reward.Instant) (e ending, ok bool) {
	list := *g
	if len(list) == 0 || list[0].at > until {
		return ending{}, false
	}
	e, list = list[0], list[1:]
	for len(list) > 0 && list[0].at == e.at {
		e, list = ending{at: e.at}, list[1:]
	}
	*g = list
	return e, true
}

// purchases are those that mature some time.
func (g *agenda) purchases() map[string]bool {
	set := make(map[string]bool, len(*g))
	for _, e := range *g {
		if e.purchase != "" {
			set[e.purchase] = true
		}
	}
	return set
}
