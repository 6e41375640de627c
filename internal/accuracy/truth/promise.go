package truth

import (
	"math/big"
	"slices"
	"time"

	"recoup/reward"
)

// Promise is what a program's terms promise on what was truly kept of a history.
type Promise struct {
	// Exact is the sum over buckets of min(cap, Σ rate · kept), in minor units.
	Exact *big.Rat
	// Rounded is the same with the reward of each purchase rounded down: what a
	// cardholder finds who adds up a statement.
	Rounded int64
}

// bucket is what a cap is counted over: a rule in a cycle.
type bucket struct {
	rule  *reward.Rule
	month reward.Cycle
}

// PromiseOn works out the promise. It reads a program's terms by itself, with no help
// of the engine's, as far as the programs of this package use them: rules that match
// by category, or everything.
func PromiseOn(p *reward.Program, h *History) Promise {
	exact := make(map[bucket]*big.Int) // in minor units times MaxRate
	rounded := make(map[bucket]int64)
	var order []bucket
	for _, t := range h.Purchases {
		b := bucket{month: monthOf(t.At)}
		if b.rule = ruleOf(inForce(p, b.month), t.Kind); b.rule == nil {
			continue
		}
		if exact[b] == nil {
			exact[b] = new(big.Int)
			order = append(order, b)
		}
		earned := new(big.Int).Mul(big.NewInt(int64(b.rule.Rate)), big.NewInt(t.Amount-h.returned(t.Number)))
		exact[b].Add(exact[b], earned)
		rounded[b] += earned.Div(earned, scale).Int64()
	}
	sum := new(big.Int)
	var promise Promise
	for _, b := range order {
		e, r := exact[b], rounded[b]
		if b.rule.Cap != reward.NoCap {
			if limit := new(big.Int).Mul(big.NewInt(b.rule.Cap), scale); e.Cmp(limit) > 0 {
				e = limit
			}
			r = min(r, b.rule.Cap)
		}
		sum.Add(sum, e)
		promise.Rounded += r
	}
	promise.Exact = new(big.Rat).SetFrac(sum, scale)
	return promise
}

// scale is the rate of 100 %.
var scale = big.NewInt(int64(reward.MaxRate))

// monthOf is the billing cycle of a purchase: a calendar month in UTC.
func monthOf(t time.Time) reward.Cycle {
	t = t.UTC()
	return reward.Cycle(12*t.Year() + int(t.Month()) - 1)
}

// inForce is the version of the terms in a month.
func inForce(p *reward.Program, month reward.Cycle) *reward.Program {
	for p.Earlier != nil && month < p.From {
		p = p.Earlier
	}
	return p
}

// ruleOf is the first rule that a kind falls under, nil if there is none.
func ruleOf(p *reward.Program, k Kind) *reward.Rule {
	for i := range p.Rules {
		if of := p.Rules[i].Match.Categories; len(of) == 0 || slices.Contains(of, k.Category) {
			return &p.Rules[i]
		}
	}
	return nil
}
