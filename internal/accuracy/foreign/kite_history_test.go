package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

var kiteStart = time.Date(2024, 1, 3, 12, 0, 0, 0, time.UTC)

// kiteStep is something that happens in a history of a customer's.
type kiteStep struct {
	after  time.Duration
	settle *issuer.Settlement
	refund *issuer.Refund
	back   *issuer.Chargeback
	redeem int64 // a redemption of a share, in hundredths of what is redeemable
	force  int64 // one of an amount, whatever is redeemable
}

// kiteHistory makes up two years: purchases, some of which clear late and after their
// refund, returns in parts, above the price and by chargeback, and messages twice. With
// loose, every second refund forgets its purchase. What nobody would buy is in kept.
func kiteHistory(seed int64, loose bool) (steps []kiteStep, kept []kiteStep) {
	r := rand.New(rand.NewSource(seed))
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	at := map[string]time.Duration{}
	for i := range 150 {
		t := time.Duration(r.Intn(700*24)) * time.Hour
		s := &issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: 1 + r.Int63n(60000),
			Category: categories[r.Intn(6)], At: kiteStart.Add(t)}
		late := time.Duration(r.Intn(3)*r.Intn(20*24)) * time.Hour
		steps = append(steps, kiteStep{after: t + late, settle: s})
		left := s.Amount
		for j := r.Intn(4); j > 0 && left > 0; j-- {
			x := 1 + r.Int63n(s.Amount)
			when := t + time.Duration(1+r.Intn(90*24))*time.Hour
			id := fmt.Sprint("r", i, ".", j)
			if r.Intn(5) == 0 {
				steps = append(steps, kiteStep{after: when, back: &issuer.Chargeback{Account: "a", Chargeback: id, Transaction: s.Transaction, Amount: x}})
			} else {
				f := &issuer.Refund{Account: "a", Refund: id, Transaction: s.Transaction, Amount: x}
				if loose && r.Intn(2) == 0 {
					f.Transaction = ""
				}
				steps = append(steps, kiteStep{after: when, refund: f}, kiteStep{after: when + time.Duration(r.Intn(2))*time.Hour, refund: f})
			}
			left -= x
		}
		at[s.Transaction] = t + late
		if left > 0 {
			k := *s
			k.Amount = left
			kept = append(kept, kiteStep{after: t + late, settle: &k})
		}
	}
	for range 40 {
		steps = append(steps, kiteStep{after: time.Duration(r.Intn(800*24)) * time.Hour, redeem: 1 + r.Int63n(100)})
	}
	return steps, kept
}

// kitePlay plays a history to its end and half a year on, and returns what the customer has
// in all, and the redemptions.
func kitePlay(t *testing.T, d Design, steps []kiteStep) (int64, []kiteStep) {
	t.Helper()
	e := d.New()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(e.SetClock(kiteStart))
	check(e.Open("a"))
	byHour := map[time.Duration][]kiteStep{}
	var last time.Duration
	for _, s := range steps {
		byHour[s.after] = append(byHour[s.after], s)
		last = max(last, s.after)
	}
	var redeemed int64
	var draws []kiteStep
	for h := time.Duration(0); h <= last; h += time.Hour {
		for i, s := range byHour[h] {
			check(e.SetClock(kiteStart.Add(h)))
			switch b, err := e.Balance("a"); {
			case s.settle != nil:
				check(e.Settle(*s.settle))
				check(e.Settle(*s.settle))
			case s.refund != nil:
				check(e.Refund(*s.refund))
			case s.back != nil:
				check(e.Chargeback(*s.back))
				check(e.Chargeback(*s.back))
			case s.force > 0:
				a := e.(*kiteEngine).accounts["a"]
				a.drawn = append(a.drawn, kiteDraw{amount: s.force, at: kiteStart.Add(h)})
				redeemed += s.force
			default:
				check(err)
				x := b.Redeemable * s.redeem / 100
				ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(h, i), Amount: x})
				check(err)
				if ok != (x > 0) {
					t.Fatalf("%s: %d of %d redeemable: %v", d.Name, x, b.Redeemable, ok)
				}
				redeemed += x
				if ok {
					draws = append(draws, kiteStep{after: h, force: x})
				}
				if ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: "more", Amount: b.Redeemable + 1}); ok {
					t.Fatalf("%s: redeemed more than was redeemable", d.Name)
				}
			}
		}
	}
	check(e.SetClock(kiteStart.AddDate(2, 8, 0)))
	b, err := e.Balance("a")
	check(err)
	paid, err := issuer.PaidOut(e, "a")
	check(err)
	var sum int64
	var before time.Time
	for _, p := range e.Postings("a") {
		if p.At.Before(before) {
			t.Fatalf("%s: row of %v after one of %v", d.Name, p.At, before)
		}
		before, sum = p.At, sum+p.Amount
	}
	if sum-redeemed != b.Balance {
		t.Fatalf("%s: rows make %d, the balance is %d", d.Name, sum-redeemed, b.Balance)
	}
	return b.Balance + redeemed + paid, draws
}
