package scenario

import (
	"cmp"
	"fmt"
	"time"

	"recoup/reward"
)

// facts are what truly happened, whether or not the issuer under test was told
// or understood. From them and the published terms the runner knows what the
// cardholder is entitled to.
type facts struct {
	life        *Life
	currency    string
	purchases   map[string]*Move
	refunds     map[string]*Move // by name and how many had the same name before
	chargebacks map[string]*Move
	// under is the key of the refund that last came under a name.
	under map[string]string
	// undone, also of what has not happened yet: an undo may overtake its fact.
	undoneRefunds, undoneChargebacks map[string]bool
	withdrawn                        map[string]bool
	redeemed                         int64 // so far, for what was paid out
}

// newFacts begins when the account is opened.
func newFacts(s *Scenario) *facts {
	f := &facts{
		life:              NewLife(s.Program),
		currency:          s.Program.Currency,
		purchases:         map[string]*Move{},
		refunds:           map[string]*Move{},
		under:             map[string]string{},
		chargebacks:       map[string]*Move{},
		undoneRefunds:     map[string]bool{},
		undoneChargebacks: map[string]bool{},
		withdrawn:         map[string]bool{},
	}
	f.life.Add(reward.Event{Type: reward.AccountOpened, Time: reward.At(s.Steps[0].At)})
	return f
}

// add takes a step into account, and what was paid out in it. A fact that is delivered
// again happened once. Announcements move no purchase money and so change nothing here.
func (f *facts) add(step *Step, line *Line) {
	f.life.Use(line.Redeemed-f.redeemed, reward.At(step.At))
	f.redeemed = line.Redeemed
	m := &step.Move
	if m.Again {
		return
	}
	at := m.Happened
	if at.IsZero() {
		at = step.At
	}
	e := reward.Event{Transaction: m.ID, Merchant: m.Merchant, Category: m.Category, Labels: m.Labels, Time: reward.At(at)}
	e.MCC, _ = reward.ParseMCC(m.MCC)
	e.Amount, e.HasAmount, e.Currency = m.Amount, true, f.currency
	if m.Items != nil {
		e.Items = reward.MakeItems(m.Items)
	}
	switch m.Kind {
	case Authorize:
		e.Type = reward.TransactionAuthorized
		f.life.Add(e)
	case Settle:
		e.Type = reward.TransactionSettled
		f.purchases[m.ID] = m
		f.life.Add(e)
	case Itemize:
		f.life.Add(reward.Event{Type: reward.TransactionItemized, Transaction: m.ID, Items: e.Items, Time: e.Time})
	case SetAttribute:
		set := m.attribute("")
		f.life.Add(reward.Event{Type: reward.AttributeSet, Fact: m.ID, Category: set.Name, Method: set.Value, Time: e.Time})
	case WithdrawAttribute:
		f.life.Add(reward.Event{Type: reward.AttributeWithdrawn, Fact: m.ID, Time: e.Time})
	case Refund:
		key := m.ID
		if m.Another {
			key = fmt.Sprint(m.ID, " ", len(f.refunds))
		}
		f.refunds[key], f.under[m.ID] = m, key
	case Chargeback:
		f.chargebacks[m.ID] = m
	case UndoRefund:
		f.undoneRefunds[cmp.Or(f.under[m.ID], m.ID)] = true
	case UndoChargeback:
		f.undoneChargebacks[m.ID] = true
	case Withdraw:
		f.withdrawn[m.ID] = true
	case CloseAccount:
		if line.Answer == Closed {
			f.life.Add(reward.Event{Type: reward.AccountClosed})
		}
	}
}

// back returns how much of each purchase and item truly came back, in minor units,
// which may be more than it cost.
func (f *facts) back() map[string]int64 {
	sums := map[string]int64{}
	add := func(parts []Part) {
		for _, part := range parts {
			sums[part.Purchase] += part.Amount
		}
	}
	all := func(id string) {
		if m := f.purchases[id]; m != nil {
			sums[id] += m.Amount
		}
	}
	for id, refund := range f.refunds {
		if !f.undoneRefunds[id] {
			add(refund.truth())
		}
	}
	for id, chargeback := range f.chargebacks {
		switch {
		case f.undoneChargebacks[id]:
		case chargeback.Amount == 0:
			all(chargeback.Of)
		default:
			add(chargeback.truth())
		}
	}
	for id := range f.withdrawn {
		all(id)
	}
	return sums
}

// entitlement returns what the published terms promise by then on what was bought and
// kept, rounded down to a minor unit.
func (f *facts) entitlement(now time.Time) int64 {
	return f.life.Due(f.back(), reward.At(now)).Exact
}
