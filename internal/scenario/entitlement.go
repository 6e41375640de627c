package scenario

import (
	"cmp"
	"fmt"
	"math/big"

	"recoup/reward"
)

// facts are what truly happened, whether or not the issuer under test was told
// or understood. From them and the published rules alone the runner knows what
// the cardholder is entitled to: the right-hand side of Reward Integrity
// (paper, section 4.1; docs/semantics.md, section 10), worked out here apart from any
// engine.
type facts struct {
	program     *reward.Program
	authorized  map[string]*Move
	purchases   map[string]purchase
	refunds     map[string]*Move // by name and how many had the same name before
	chargebacks map[string]*Move
	// under is the key of the refund that last came under a name.
	under map[string]string
	// undone, also of what has not happened yet: an undo may overtake its fact.
	undoneRefunds, undoneChargebacks map[string]bool
	withdrawn                        map[string]bool
	closed                           bool
}

// purchase is one that has cleared.
type purchase struct {
	amount int64
	rule   int // index in the month's program, or -1 if it earns nothing
	cycle  reward.Cycle
}

func newFacts(p *reward.Program) *facts {
	return &facts{
		program:           p,
		authorized:        map[string]*Move{},
		purchases:         map[string]purchase{},
		refunds:           map[string]*Move{},
		under:             map[string]string{},
		chargebacks:       map[string]*Move{},
		undoneRefunds:     map[string]bool{},
		undoneChargebacks: map[string]bool{},
		withdrawn:         map[string]bool{},
	}
}

// add takes a step into account. A fact that is delivered again happened once.
// Announcements and payouts move no purchase money and so change nothing here.
func (f *facts) add(step *Step) {
	m := &step.Move
	if m.Again {
		return
	}
	switch m.Kind {
	case Authorize:
		f.authorized[m.ID] = m
	case Settle:
		cycle := reward.CycleAt(reward.At(m.Happened))
		f.purchases[m.ID] = purchase{m.Amount, f.rule(m, cycle), cycle}
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
	}
}

// rule returns the index of the first rule that the purchase matches in the
// program of its month, or reward.NoRule. What a settlement leaves out its
// authorisation has said.
func (f *facts) rule(m *Move, cycle reward.Cycle) int {
	if f.closed {
		return reward.NoRule
	}
	merchant, mcc, category := m.Merchant, m.MCC, m.Category
	if before := f.authorized[m.ID]; before != nil {
		merchant = cmp.Or(merchant, before.Merchant)
		mcc = cmp.Or(mcc, before.MCC)
		category = cmp.Or(category, before.Category)
	}
	code, _ := reward.ParseMCC(mcc)
	return f.program.In(cycle).RuleFor(reward.Terms{Merchant: merchant, MCC: code, Category: category})
}

// reversed returns how much of each purchase truly came back, in minor units,
// which may be more than it cost.
func (f *facts) reversed() map[string]int64 {
	sums := map[string]int64{}
	for id, refund := range f.refunds {
		if f.undoneRefunds[id] {
			continue
		}
		for _, part := range refund.truth() {
			sums[part.Purchase] += part.Amount
		}
	}
	for id, chargeback := range f.chargebacks {
		if f.undoneChargebacks[id] {
			continue
		}
		if chargeback.Amount == 0 {
			sums[chargeback.Of] += f.purchases[chargeback.Of].amount
			continue
		}
		for _, part := range chargeback.truth() {
			sums[part.Purchase] += part.Amount
		}
	}
	for id := range f.withdrawn {
		sums[id] += f.purchases[id].amount
	}
	return sums
}

// entitlement returns what the published terms promise on what was bought and
// kept, rounded down to a minor unit: the sum over rules and calendar months of
// min(cap, Σ rate · (amount − reversed)).
func (f *facts) entitlement() int64 {
	type bucket struct {
		rule  int
		cycle reward.Cycle
	}
	kept := map[bucket]*big.Int{}
	reversed := f.reversed()
	for id, p := range f.purchases {
		if p.rule < 0 {
			continue
		}
		b := bucket{p.rule, p.cycle}
		if kept[b] == nil {
			kept[b] = new(big.Int)
		}
		kept[b].Add(kept[b], big.NewInt(p.amount-min(p.amount, reversed[id])))
	}
	total := new(big.Rat)
	for b, spend := range kept {
		rule := f.program.In(b.cycle).Rules[b.rule]
		earned := new(big.Rat).Mul(new(big.Rat).SetInt(spend), fraction(rule.Rate))
		if limit := new(big.Rat).SetInt64(rule.Cap); rule.Cap != reward.NoCap && earned.Cmp(limit) > 0 {
			earned = limit
		}
		total.Add(total, earned)
	}
	return new(big.Int).Quo(total.Num(), total.Denom()).Int64()
}

// fraction returns the rate as a fraction of the amount spent.
func fraction(r reward.Rate) *big.Rat {
	return big.NewRat(int64(r), int64(reward.MaxRate))
}
