package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

var nectarStart = time.Date(2024, 1, 8, 10, 0, 0, 0, time.UTC)

// nectarPlay is a customer's random history and what of each purchase really came back.
type nectarPlay struct {
	engine  *nectarEngine
	back    map[string]int64
	bought  []issuer.Settlement // in order of delivery
	account string
}

func (h *nectarPlay) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// truth is the account as it would be had every refund named its purchase.
func (h *nectarPlay) truth() *nectarAccount {
	c := *h.engine.accounts[h.account]
	c.open, c.purchases = nil, nil
	for _, p := range h.engine.accounts[h.account].purchases {
		q := *p
		q.back = min(q.amount, h.back[p.id])
		c.purchases = append(c.purchases, &q)
	}
	return &c
}

// net is what the customer has, and had.
func nectarNet(e *nectarEngine, account string) int64 {
	a := e.accounts[account]
	return a.balance() + a.redeemed + a.paid
}

// nectarRandom plays a history; unnamed is how many refunds of a hundred name no purchase.
func nectarRandom(t *testing.T, d Design, seed int64, unnamed int) *nectarPlay {
	r := rand.New(rand.NewSource(seed))
	h := &nectarPlay{engine: d.New().(*nectarEngine), back: map[string]int64{}, account: fmt.Sprint("customer-", seed)}
	now := nectarStart
	e := h.engine
	h.must(t, e.SetClock(now))
	h.must(t, e.Open(h.account))
	scale := []int64{3000, 30000, 200000}[r.Intn(3)]
	var early []issuer.Settlement // returned before they clear
	for i := 0; i < 150; i++ {
		now = now.Add(time.Duration(r.Intn(150)) * time.Hour)
		h.must(t, e.SetClock(now))
		s := issuer.Settlement{Account: h.account, Transaction: fmt.Sprint("T", i), Amount: 1 + r.Int63n(scale),
			Category: []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}[r.Intn(6)]}
		if r.Intn(4) == 0 {
			s.At = now.Add(-time.Duration(r.Intn(1000)) * time.Hour)
		}
		if r.Intn(10) == 0 {
			early = append(early, s)
		} else {
			h.must(t, e.Settle(s))
			h.must(t, e.Settle(s))
			h.bought = append(h.bought, s)
		}
		if n := r.Intn(12); n < len(early) {
			h.must(t, e.Settle(early[n]))
			h.bought = append(h.bought, early[n])
			early = append(early[:n], early[n+1:]...)
		}
		of := s
		if len(h.bought) > 0 && r.Intn(4) > 0 {
			of = h.bought[r.Intn(len(h.bought))]
		}
		switch f := (issuer.Refund{Account: h.account, Refund: fmt.Sprint("R", i), Transaction: of.Transaction, Amount: 1 + r.Int63n(of.Amount)}); r.Intn(4) {
		case 0:
			if r.Intn(3) == 0 {
				f.Amount = of.Amount + int64(r.Intn(2))*777
			}
			if r.Intn(100) < unnamed {
				f.Transaction, f.Amount = "", min(f.Amount, of.Amount)
			}
			h.must(t, e.Refund(f))
			h.must(t, e.Refund(f))
			h.back[of.Transaction] += f.Amount
		case 1:
			if r.Intn(2) == 0 {
				c := issuer.Chargeback{Account: h.account, Chargeback: fmt.Sprint("C", i), Transaction: of.Transaction}
				h.must(t, e.Chargeback(c))
				h.must(t, e.Chargeback(c))
				h.back[of.Transaction] += of.Amount
			}
		}
		h.redeem(t, r, i)
	}
	for _, s := range early {
		h.must(t, e.Settle(s))
		h.bought = append(h.bought, s)
	}
	h.must(t, e.SetClock(now.AddDate(0, 9, 0)))
	return h
}

// redeem tries what it may and what it may not.
func (h *nectarPlay) redeem(t *testing.T, r *rand.Rand, i int) {
	b, err := h.engine.Balance(h.account)
	h.must(t, err)
	a := h.engine.accounts[h.account]
	if is, can := h.engine.scheme.sure(a, h.engine.now), h.engine.scheme.sure(h.truth(), h.engine.now); is > can {
		t.Fatalf("step %d: %d is called sure, truly %d", i, is, can)
	}
	for j, n := range []int64{b.Redeemable + 1, 0, -5} {
		if ok, err := h.engine.Redeem(issuer.Redemption{Account: h.account, Redemption: fmt.Sprint("no", i, j), Amount: n}); ok || err != nil {
			t.Fatal("paid", n, "of", b, err)
		}
	}
	if b.Redeemable > 0 && r.Intn(3) == 0 {
		if ok, err := h.engine.Redeem(issuer.Redemption{Account: h.account, Redemption: fmt.Sprint("X", i), Amount: 1 + r.Int63n(b.Redeemable)}); !ok || err != nil {
			t.Fatal("refused", b, err)
		}
	}
}

// twin has bought only what was kept, and used as much.
func (h *nectarPlay) twin(t *testing.T, d Design) *nectarEngine {
	e := d.New().(*nectarEngine)
	h.must(t, e.SetClock(nectarStart))
	h.must(t, e.Open(h.account))
	real := h.engine.accounts[h.account]
	for _, s := range h.bought {
		if p := real.byID[s.Transaction]; p.amount > h.back[p.id] {
			s.Amount -= h.back[p.id]
			a := e.accounts[h.account]
			q := &nectarPurchase{id: s.Transaction, category: s.Category, amount: s.Amount, at: p.at}
			a.purchases, a.byID[s.Transaction] = append(a.purchases, q), q
			e.scheme.moved(a, nectarStart, s.Transaction, "")
		}
	}
	e.accounts[h.account].uses = real.uses
	h.must(t, e.SetClock(h.engine.now))
	return e
}
