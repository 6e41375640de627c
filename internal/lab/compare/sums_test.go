package compare_test

import (
	"iter"
	"math/big"
	"testing"

	"recoup/internal/kit/labtest"
	"recoup/reward"
)

// With every reversal linked there is nothing to choose: the entitlement is a sum
// over the facts, and so is issuer A's leakage.
func TestCompareOfLinkedFactsBySums(t *testing.T) {
	linked := func(yield func(reward.Event) bool) {
		for e := range labtest.Busy(3) {
			switch {
			case e.Type == reward.RefundPosted && e.Transaction == "":
			case e.Type == reward.TransactionSettled, e.Type == reward.RefundPosted, e.Type == reward.ChargebackPosted:
				if !yield(e) {
					return
				}
			}
		}
	}
	p := labtest.Everyday()
	entitlement, leakage := byHand(p, linked)
	c := labtest.Compared(t, p, labtest.InBatches(linked), labtest.Design(t, "A"))
	if c.Entitlement != entitlement {
		t.Errorf("entitlement %d, the facts add up to %d", c.Entitlement, entitlement)
	}
	if f := labtest.Figures(t, c, "A"); f.Leakage != leakage || leakage == 0 {
		t.Errorf("A leaks %d, by hand %d", f.Leakage, leakage)
	}
}

// byHand computes what accounts are entitled to, by the months in which purchases
// were made, and what issuer A leaks, which grants on everything by the months in
// which it is told.
func byHand(p *reward.Program, events iter.Seq[reward.Event]) (entitlement, leakage int64) {
	type bought struct {
		account string
		rule    int
		cycle   reward.Cycle
		amount  int64
	}
	type bucket struct {
		account string
		rule    int
		cycle   reward.Cycle
	}
	var clock reward.Instant
	purchases := make(map[string]*bought)
	back := make(map[string]int64) // by purchase, which may not be there yet
	seen := make(map[[2]string]bool)
	granted := make(map[bucket]int64)
	for e := range events {
		clock = max(clock, e.Time)
		if id := [2]string{e.Type.String(), e.Transaction + " " + e.Fact}; seen[id] {
			continue
		} else {
			seen[id] = true
		}
		switch {
		case e.Type == reward.TransactionSettled:
			b := bought{account: e.Account, rule: p.RuleFor(reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}), cycle: reward.CycleAt(e.Time), amount: e.Amount}
			purchases[e.Transaction] = &b
			rule, in := p.Rules[b.rule], bucket{b.account, b.rule, reward.CycleAt(clock)}
			granted[in] += rule.Rate.Of(e.Amount)
			if rule.Cap != reward.NoCap {
				granted[in] = min(granted[in], rule.Cap)
			}
		case !e.HasAmount:
			back[e.Transaction] += reward.MaxAmount
		default:
			back[e.Transaction] += e.Amount
		}
	}
	kept := make(map[bucket]int64)
	for id, b := range purchases {
		kept[bucket{b.account, b.rule, b.cycle}] += max(0, b.amount-back[id])
	}
	due := make(map[string]*big.Rat)
	has := make(map[string]int64)
	for in, amount := range granted {
		has[in.account] += amount
	}
	for in, amount := range kept {
		rule := p.Rules[in.rule]
		r := big.NewRat(int64(rule.Rate), int64(reward.MaxRate))
		r.Mul(r, new(big.Rat).SetInt64(amount))
		if most := new(big.Rat).SetInt64(rule.Cap); rule.Cap != reward.NoCap && r.Cmp(most) > 0 {
			r = most
		}
		if due[in.account] == nil {
			due[in.account] = new(big.Rat)
		}
		due[in.account].Add(due[in.account], r)
	}
	for account, r := range due {
		whole := new(big.Int).Div(r.Num(), r.Denom()).Int64()
		entitlement += whole
		leakage += max(0, has[account]-whole)
	}
	return entitlement, leakage
}
