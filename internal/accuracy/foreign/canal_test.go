package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// canalPlay drives one account of a design and fails the test at the first error.
type canalPlay struct {
	t *testing.T
	e Engine
	n int
}

func canalStart(t *testing.T, d Design, day string) *canalPlay {
	p := &canalPlay{t: t, e: d.New()}
	p.on(day)
	p.ok(p.e.Open("a"))
	return p
}

func (p *canalPlay) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func canalNoon(day string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", day+" 12:00")
	if err != nil {
		panic(err)
	}
	return t
}

func (p *canalPlay) on(day string) { p.t.Helper(); p.ok(p.e.SetClock(canalNoon(day))) }

func (p *canalPlay) buy(id, category string, amount int64) {
	p.t.Helper()
	p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "shop of " + category, Category: category}))
}

func (p *canalPlay) back(id string, amount int64) {
	p.t.Helper()
	p.n++
	p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.n), Transaction: id, Amount: amount}))
}

func (p *canalPlay) redeem(amount int64, want bool) {
	p.t.Helper()
	p.n++
	got, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("out", p.n), Amount: amount})
	p.ok(err)
	if got != want {
		p.t.Fatalf("redemption of %d: %v", amount, got)
	}
}

// net is all the customer has had: rows but payouts.
func canalNet(e Engine) int64 {
	sum := int64(0)
	for _, r := range e.Postings("a") {
		if r.Kind != Paid {
			sum += r.Amount
		}
	}
	return sum
}

func (p *canalPlay) has(balance, net int64) {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.ok(err)
	if n := canalNet(p.e); b.Balance != balance || n != net {
		p.t.Fatalf("balance %d, net %d; want %d, %d", b.Balance, n, balance, net)
	}
	paid, err := issuer.PaidOut(p.e, "a")
	p.ok(err)
	out := int64(0)
	for _, r := range p.e.Postings("a") {
		if r.Kind == Paid {
			out -= r.Amount
		}
	}
	if paid != out || b.Redeemable < 0 {
		p.t.Fatalf("paid out %d of %d, redeemable %d", paid, out, b.Redeemable)
	}
}

func TestCanalTerms(t *testing.T) { // what the sound ones promise, without returns and with
	p := canalStart(t, canalFjordDesign, "2025-12-20")
	p.buy("x", "GROCERY", 1_600_000)
	p.has(0, 0)
	p.on("2026-01-02")
	p.has(47_000, 47_000) // 2 % and the bonus
	p.redeem(47_000, true)
	p.back("x", 200_000)
	p.has(28_000-47_000, 28_000)
	q := canalStart(t, canalAlpDesign, "2026-01-03") // a Saturday
	q.buy("x", "", 30_099)
	q.has(900, 900)
	q.on("2026-02-01")
	q.has(400, 900) // one voucher of CHF 5
	q.back("x", 100)
	q.has(397, 897)
	r := canalStart(t, canalTaimatsuDesign, "2025-05-01")
	r.buy("x", "", 500_000)
	r.on("2026-05-01")
	r.buy("y", "", 100_050)
	r.has(16_000, 16_000)
	r.back("x", 1)
	r.has(9998+4000, 9998+4000)
}
