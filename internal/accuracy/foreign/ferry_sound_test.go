package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// ferryPiece is what a random history did to one purchase.
type ferryPiece struct {
	s    issuer.Settlement
	kept int64
}

// TestFerrySound plays random histories with returns, and the same purchases as if what
// came back had never been bought.
func TestFerrySound(t *testing.T) {
	for _, d := range []Design{ferryDhow, ferryHana, ferryTern} {
		for seed := range int64(often(8, 40)) {
			ferryCompare(t, d, rand.New(rand.NewSource(seed)), seed%4 == 3)
		}
	}
}

func ferryCompare(t *testing.T, d Design, r *rand.Rand, unnamed bool) {
	s := ferryPlay(t, d, "2026-01-02")
	now := ferryNoon("2026-01-02")
	var pieces []*ferryPiece
	var taken int64
	for i := range 300 {
		now = now.Add(time.Duration(r.Intn(60)) * time.Hour)
		s.check(s.e.SetClock(now))
		p := &ferryPiece{s: issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: 1 + r.Int63n(40000),
			Merchant: fmt.Sprint("m", i), Category: []string{"GROCERY", "HOME"}[r.Intn(2)], At: now.Add(-time.Duration(r.Intn(200)) * time.Hour)}}
		p.kept = p.s.Amount
		late := r.Intn(5) == 0 // the refund comes first
		if !late {
			s.check(s.e.Settle(p.s))
			s.check(s.e.Settle(p.s))
		}
		pieces = append(pieces, p)
		for range r.Intn(3) {
			q := pieces[r.Intn(len(pieces))]
			if late {
				q = p
			}
			x := 1 + r.Int63n(q.s.Amount)
			if unnamed {
				if x = min(x, q.kept); x == 0 {
					continue
				}
				s.n++
				s.check(s.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", s.n), Amount: x, Merchant: q.s.Merchant}))
			} else if r.Intn(6) == 0 {
				s.n++
				x = q.s.Amount
				s.check(s.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint("c", s.n), Transaction: q.s.Transaction}))
			} else {
				s.refund(q.s.Transaction, x) // may be above what is left
			}
			q.kept = max(0, q.kept-x)
		}
		if late {
			s.check(s.e.Settle(p.s))
		}
		b, _ := s.e.Balance("a")
		if b.Redeemable > max(0, b.Balance) {
			t.Fatalf("%s: %+v", d.Name, b)
		}
		if b.Redeemable > 0 && r.Intn(3) == 0 {
			s.redeem(b.Redeemable+1, false)
			s.redeem(b.Redeemable, true)
			taken += b.Redeemable
		}
	}
	end := now.Add(200 * 24 * time.Hour)
	s.check(s.e.SetClock(end))
	never := ferryPlay(t, d, "2026-01-02")
	never.check(never.e.SetClock(now))
	for _, p := range pieces {
		if p.s.Amount = p.kept; p.kept > 0 {
			never.check(never.e.Settle(p.s))
		}
	}
	never.check(never.e.SetClock(end))
	want, _ := never.e.Balance("a")
	got, _ := s.e.Balance("a")
	if got.Balance+taken != want.Balance {
		t.Errorf("%s: %d and %d redeemed, want %d", d.Name, got.Balance, taken, want.Balance)
	}
	var sum int64
	for _, p := range s.e.Postings("a") {
		sum += p.Amount
	}
	if sum-taken != got.Balance {
		t.Errorf("%s: rows come to %d, balance %d, redeemed %d", d.Name, sum, got.Balance, taken)
	}
}

// TestFerryTernGuesses: of two nameless returns the first alone would cost more outside
// the grocery maximum, and both together cost most within it.
func TestFerryTernGuesses(t *testing.T) {
	s := ferryPlay(t, ferryTern, "2026-03-02")
	for i := range 5 {
		s.buy(fmt.Sprint("g", i), 40000, "GROCERY", "") // $60, of which $45
		s.buy(fmt.Sprint("h", i), 40000, "HOME", "")    // $20
	}
	s.balance(6500)
	s.refund("", 40000)
	s.balance(6100) // a purchase outside
	s.refund("no such purchase", 40000)
	s.balance(5600) // 24 - 15 of the groceries
	s.refund("g0", 40000)
	s.balance(4400)
}
