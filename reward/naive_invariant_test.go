package reward_test

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// tracesEnd is past everything that a drawn trace may still wait for.
var tracesEnd = reward.At(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))

// TestNaiveModelKeepsTheInvariants holds the model, and so the rules it spells
// out, to what they promise.
func TestNaiveModelKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawTerms(t)
		model := newNaive(program)
		for _, e := range drawTrace(t, program, 50) {
			model.apply(&e)
			checkIntegrity(t, model, false)
		}
		model.advance(tracesEnd)
		checkIntegrity(t, model, true)
		checkFairness(t, model)
	})
}

// checkIntegrity holds where nothing is deferred: no reward without net spend,
// on an account, in a bucket, or on one purchase.
func checkIntegrity(t *rapid.T, model *naive, settled bool) {
	for _, b := range model.books {
		if !settled && b.terms().Timing.Clawback == reward.ClawbackAtStatement {
			continue
		}
		if s := b.state(); s.NetReward > s.Entitlement {
			t.Fatalf("account %s: net reward %d on an entitlement of %d", s.Account, s.NetReward, s.Entitlement)
		}
		a := b.allocate()
		for _, p := range b.posted {
			if !p.counts {
				if p.retained() != 0 {
					t.Fatalf("%s keeps %d and earns nothing", p.id, p.retained())
				}
				continue
			}
			for _, s := range p.shares {
				if s.retained < 0 {
					t.Fatalf("%s keeps %d", p.id, s.retained)
				}
				if most := naiveByItself(s.rule, s.counts(a.left(p))); len(s.rule.Steps) == 0 && big.NewRat(s.retained, 1).Cmp(most) > 0 {
					t.Fatalf("%s keeps %d of at most %s", p.id, s.retained, most.FloatString(2))
				}
				if b.room(s) < 0 {
					t.Fatalf("%s: the cap %d of rule %s is overrun by %d", p.id, s.rule.Cap, s.rule.ID, -b.room(s))
				}
			}
		}
	}
}

// checkFairness holds in rerate once everything is past its close: what counts
// together keeps what its terms promise, up to rounding down each purchase.
func checkFairness(t *rapid.T, model *naive) {
	for _, b := range model.books {
		a := b.allocate()
		for _, p := range b.pots() {
			entries := b.entries(p, a.left, everyPurchase)
			if entries[0].share.of.method() != reward.Rerate {
				continue
			}
			kept := b.paid[p]
			for _, x := range entries {
				kept += x.share.retained
			}
			promised := naivePromised(entries)
			if big.NewRat(kept+int64(len(entries)), 1).Cmp(promised) < 0 {
				t.Fatalf("%s of %s keeps %d of %s promised", p.name, p.span.name, kept, promised.FloatString(2))
			}
		}
	}
}
