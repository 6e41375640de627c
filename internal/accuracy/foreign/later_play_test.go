package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// laterPlay plays one account of one design.
type laterPlay struct {
	*testing.T
	e       Engine
	n       int
	paid    int64
	refunds int
}

func laterStart(t *testing.T, d Design, day string) *laterPlay {
	t.Helper()
	p := &laterPlay{T: t, e: d.New()}
	p.on(day)
	p.ok(p.e.Open("a"))
	return p
}

func (p *laterPlay) ok(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *laterPlay) on(day string) {
	p.Helper()
	at, err := time.Parse("2006-01-02", day)
	p.ok(err)
	p.ok(p.e.SetClock(at.Add(12 * time.Hour)))
}

var laterCodes = map[string]string{"GROCERY": "5411", "DINING": "5812", "FUEL": "5541", "TRAVEL": "4511", "ONLINE": "5969", "OTHER": "5999"}

func (p *laterPlay) buy(id string, amount int64, category string) {
	p.Helper()
	p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "m-" + category, Category: category, MCC: laterCodes[category]}))
}

func (p *laterPlay) back(id string, amount int64) {
	p.Helper()
	p.refunds++
	p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.refunds), Transaction: id, Amount: amount}))
}

func (p *laterPlay) redeem(amount int64) bool {
	p.Helper()
	p.n++
	ok, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", p.n), Amount: amount})
	p.ok(err)
	if ok {
		p.paid += amount
	}
	return ok
}

// has wants a balance, what can be redeemed, and what was paid so far in any way.
func (p *laterPlay) has(balance, redeemable, paid int64) {
	p.Helper()
	b, err := p.e.Balance("a")
	p.ok(err)
	swept, err := issuer.PaidOut(p.e, "a")
	p.ok(err)
	if b.Balance != balance || b.Redeemable != redeemable || p.paid+swept != paid {
		p.Fatalf("balance %d, redeemable %d, paid %d; want %d, %d, %d\n%+v", b.Balance, b.Redeemable, p.paid+swept, balance, redeemable, paid, p.e.Postings("a"))
	}
}
