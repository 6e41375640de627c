package reward_test

import (
	"slices"

	"recoup/reward"
)

// decide fills in an event by which somebody decides something by hand.
func (tr *traceDraw) decide(e *reward.Event) {
	switch e.Type {
	case reward.AccountOpened:
		e.Fact = pick(tr.t, "program", tr.program.ID, "another", "")
		return
	case reward.AttributeSet:
		e.Fact = tr.factOf(e.Account, "x", e.Type)
		e.Category, e.Method = pick(tr.t, "name", "plan", "spring"), pick(tr.t, "value", "on", "gold")
		if tr.roll("since") >= 70 {
			e.Purchased = e.Time + reward.Day/2*reward.Instant(pick(tr.t, "since", -1, 0, 1, -20))
		}
		return
	case reward.AttributeWithdrawn:
		e.Fact = tr.factOf(e.Account, "x", e.Type)
		if tr.roll("opening") >= 90 {
			e.Fact = "account.opened"
		}
		return
	case reward.RefundLinked:
		e.Fact, e.Transaction = tr.factOf(e.Account, "r", e.Type), tr.transactionOf(e.Account)
	case reward.RefundCounted:
		e.Fact = tr.toldTwice(e.Account)
		if e.As = "r" + e.ID; tr.roll("counted as") >= 85 {
			e.As = tr.factOf(e.Account, "r", e.Type)
		}
	case reward.RefundDismissed:
		e.Fact = tr.factOf(e.Account, "r", e.Type)
	case reward.ChargebackDismissed:
		e.Fact = tr.factOf(e.Account, "c", e.Type)
	case reward.RedemptionDismissed:
		e.Fact = tr.factOf(e.Account, "d", e.Type)
	case reward.AttributeDismissed:
		e.Fact = tr.factOf(e.Account, "x", e.Type)
	case reward.TransactionDismissed:
		e.Transaction = tr.transactionOf(e.Account)
	default:
		return
	}
	e.Reason, e.Actor = "looked into", "operator"
}

// toldTwice names a refund that was posted more than once, if there is one.
func (tr *traceDraw) toldTwice(account string) string {
	var once, twice []string
	for i := range tr.events {
		e := &tr.events[i]
		if e.Account != account || e.Type != reward.RefundPosted {
			continue
		}
		if slices.Contains(once, e.Fact) {
			twice = append(twice, e.Fact)
		}
		once = append(once, e.Fact)
	}
	if len(twice) == 0 || tr.roll("told once") >= 90 {
		return tr.factOf(account, "r", reward.RefundCounted)
	}
	return pick(tr.t, "told twice", twice...)
}

// justAnnounced says whether the account's last event may have left a refund
// that is known of and not placed: the moment to run off with its reward.
func (tr *traceDraw) justAnnounced(account string) bool {
	for i := range slices.Backward(tr.events) {
		if e := &tr.events[i]; e.Account == account {
			return e.Type == reward.RefundPending || e.Type == reward.RefundPosted
		}
	}
	return false
}

// desk is what a returned purchase's slip says: all of where it was bought, a
// part of it, another shop of the same sort, or anything.
func (tr *traceDraw) desk(e *reward.Event, of string) {
	tr.shop(e)
	for i := range slices.Backward(tr.events) {
		bought := &tr.events[i]
		if bought.Account != e.Account || bought.Transaction != of || bought.Type != reward.TransactionSettled {
			continue
		}
		switch how := tr.roll("slip"); {
		case how < 35:
			e.Merchant, e.MCC, e.Category = bought.Merchant, bought.MCC, bought.Category
		case how < 50:
			e.Merchant, e.MCC, e.Category = bought.Merchant, 0, ""
		case how < 65:
			e.Merchant, e.MCC, e.Category = "m1-returns", bought.MCC, bought.Category
		case how < 75:
			e.Merchant, e.MCC, e.Category = "", 0, ""
		}
		return
	}
}
