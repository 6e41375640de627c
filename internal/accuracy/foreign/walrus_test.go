package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// walrusPlay drives one account of a design.
type walrusPlay struct {
	t     *testing.T
	e     Engine
	asked *int // redemptions so far
}

func walrusNewPlay(t *testing.T, d Design) walrusPlay {
	p := walrusPlay{t, d.New(), new(int)}
	p.clock("2026-01-01")
	p.ok(p.e.Open("a"))
	return p
}

func (p walrusPlay) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// clock moves to noon, UTC, of a day.
func (p walrusPlay) clock(day string) {
	p.t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	p.ok(err)
	p.ok(p.e.SetClock(at.Add(12 * time.Hour)))
}

func (p walrusPlay) buy(id string, amount int64, category string) {
	p.t.Helper()
	p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "m", Category: category}))
}

func (p walrusPlay) back(id, of string, amount int64) {
	p.t.Helper()
	p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: of, Amount: amount, Merchant: "m"}))
}

func (p walrusPlay) redeem(amount int64, want bool) {
	p.t.Helper()
	*p.asked++
	id := fmt.Sprint(*p.asked)
	if got, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: amount}); err != nil || got != want {
		p.t.Fatalf("redeem %d: %v, %v", amount, got, err)
	}
}

func (p walrusPlay) shows(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.ok(err)
	if b != (issuer.Balance{Balance: balance, Redeemable: redeemable}) {
		p.t.Fatalf("balance %+v, want %d and %d", b, balance, redeemable)
	}
}

// TestWalrusRules: what holds for all of them, with a history of full length.
func TestWalrusRules(t *testing.T) {
	for _, d := range walrusDesigns {
		p := walrusNewPlay(t, d)
		r := rand.New(rand.NewSource(1))
		var redeemed int64
		for i := range 300 {
			p.ok(p.e.SetClock(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 58 * time.Hour)))
			p.buy(fmt.Sprint(i), 1+r.Int63n(200000), "")
			if i%3 > 0 {
				p.back(fmt.Sprint(i), "", 1+r.Int63n(100000))
			}
			p.redeem(0, false)
			b, _ := p.e.Balance("a")
			if x := b.Redeemable / 2; x > 0 {
				p.redeem(x, true)
				redeemed += x
			}
		}
		var sum int64
		var last time.Time
		for _, x := range p.e.Postings("a") {
			if sum += x.Amount; x.At.Before(last) || x.Amount == 0 {
				t.Fatalf("%s: %+v", d.Name, x)
			}
			last = x.At
		}
		if b, _ := p.e.Balance("a"); b.Balance != sum-redeemed || b.Redeemable < 0 {
			t.Fatalf("%s: %+v of %d", d.Name, b, sum-redeemed)
		}
		if p.e.CloseStatement("nobody") == nil {
			t.Fatal(d.Name)
		}
	}
}
