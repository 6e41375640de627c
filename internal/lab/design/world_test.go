package design_test

import (
	"fmt"
	"math/big"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/reward"

	"pgregory.net/rapid"
)

// world is one cardholder's true course of events at an issuer: what was bought
// and brought back, whatever the issuer makes of it.
type world struct {
	issuer   issuer.Issuer
	now      time.Time
	bought   []spend
	refunds  int
	redeemed int64
}

type spend struct {
	rule  int // of everyday
	cycle reward.Cycle
	kept  int64
}

func newWorld(rt *rapid.T, i issuer.Issuer) *world {
	w := &world{issuer: i, now: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)}
	must(rt, i.SetClock(w.now))
	must(rt, i.Open(acct))
	return w
}

func must(rt *rapid.T, err error) {
	if err != nil {
		rt.Fatal(err)
	}
}

func (w *world) move(rt *rapid.T) {
	switch kind := rapid.IntRange(0, 9).Draw(rt, "kind"); {
	case kind < 4 || len(w.bought) == 0:
		s := spend{rapid.IntRange(0, 1).Draw(rt, "rule"), reward.CycleAt(reward.At(w.now)), rapid.Int64Range(1, 1500_00).Draw(rt, "amount")}
		step := grocery
		if s.rule == 1 {
			step = other
		}
		must(rt, step(transactionID(len(w.bought)), s.kept)(w.issuer))
		w.bought = append(w.bought, s)
	case kind < 8:
		i := rapid.IntRange(0, len(w.bought)-1).Draw(rt, "purchase")
		w.bringBack(rt, i, rapid.Int64Range(1, max(1, w.bought[i].kept)).Draw(rt, "back"))
	case kind < 9:
		b, err := w.issuer.Balance(acct)
		must(rt, err)
		w.refunds++
		paid, err := w.issuer.Redeem(issuer.Redemption{Account: acct, Redemption: fmt.Sprint("d", w.refunds), Amount: b.Redeemable})
		must(rt, err)
		if paid {
			w.redeemed += b.Redeemable
		}
	default:
		w.nextMonth(rt)
	}
}

// bringBack refunds part of a purchase, or a little more than is left of it.
func (w *world) bringBack(rt *rapid.T, i int, amount int64) {
	w.refunds++
	must(rt, refund(fmt.Sprint("r", w.refunds), amount, transactionID(i))(w.issuer))
	w.bought[i].kept = max(0, w.bought[i].kept-amount)
}

func (w *world) returnEverything(rt *rapid.T) {
	for i, s := range w.bought {
		w.bringBack(rt, i, max(1, s.kept))
	}
}

func (w *world) nextMonth(rt *rapid.T) {
	w.now = w.now.AddDate(0, 1, 0)
	must(rt, w.issuer.SetClock(w.now))
}

func (w *world) netReward(rt *rapid.T) int64 {
	b, err := w.issuer.Balance(acct)
	must(rt, err)
	return b.Balance + w.redeemed
}

// mustNotExceedEntitlement is Reward Integrity, with exact fractions.
func (w *world) mustNotExceedEntitlement(rt *rapid.T) {
	type bucket struct {
		rule  int
		cycle reward.Cycle
	}
	kept := map[bucket]int64{}
	for _, s := range w.bought {
		kept[bucket{s.rule, s.cycle}] += s.kept
	}
	entitled := new(big.Rat)
	for b, amount := range kept {
		rule := labtest.Everyday().Rules[b.rule]
		r := big.NewRat(int64(rule.Rate), int64(reward.MaxRate))
		r.Mul(r, new(big.Rat).SetInt64(amount))
		if limit := new(big.Rat).SetInt64(rule.Cap); rule.Cap != reward.NoCap && r.Cmp(limit) > 0 {
			r = limit
		}
		entitled.Add(entitled, r)
	}
	if got := w.netReward(rt); new(big.Rat).SetInt64(got).Cmp(entitled) > 0 {
		rt.Fatalf("net reward %d, entitled to %s", got, entitled.FloatString(2))
	}
}

func transactionID(i int) string { return fmt.Sprint("t", i) }
