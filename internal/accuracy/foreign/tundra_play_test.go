package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// tundraPlay drives one account of one engine and checks its books at every step.
type tundraPlay struct {
	t        *testing.T
	e        Engine
	redeemed int64
	n        int
}

const tundraMe = "me"

func newTundraPlay(t *testing.T, d Design, open time.Time) *tundraPlay {
	p := &tundraPlay{t: t, e: d.New()}
	p.to(open)
	p.must(p.e.Open(tundraMe))
	return p
}

func (p *tundraPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *tundraPlay) to(at time.Time) { p.t.Helper(); p.must(p.e.SetClock(at)) }

func (p *tundraPlay) buy(id string, amount int64, category string, at time.Time) {
	p.t.Helper()
	p.must(p.e.Settle(issuer.Settlement{Account: tundraMe, Transaction: id, Amount: amount, Merchant: "m-" + category, Category: category, At: at}))
	p.check()
}

func (p *tundraPlay) back(id string, amount int64, at time.Time) {
	p.t.Helper()
	p.n++
	p.must(p.e.Refund(issuer.Refund{Account: tundraMe, Refund: fmt.Sprint("r", p.n), Transaction: id, Amount: amount, At: at}))
	p.check()
}

func (p *tundraPlay) redeem(amount int64) bool {
	p.t.Helper()
	p.n++
	ok, err := p.e.Redeem(issuer.Redemption{Account: tundraMe, Redemption: fmt.Sprint("p", p.n), Amount: amount})
	p.must(err)
	if ok {
		p.redeemed += amount
	}
	p.check()
	return ok
}

func (p *tundraPlay) balance() issuer.Balance {
	p.t.Helper()
	b, err := p.e.Balance(tundraMe)
	p.must(err)
	return b
}

// net is all that the customer has had.
func (p *tundraPlay) net() int64 {
	p.t.Helper()
	paid, err := issuer.PaidOut(p.e, tundraMe)
	p.must(err)
	return p.balance().Balance + p.redeemed + paid
}

// check adds the ledger up.
func (p *tundraPlay) check() {
	p.t.Helper()
	var sum, paid int64
	var last time.Time
	for _, row := range p.e.Postings(tundraMe) {
		sum += row.Amount
		if row.Kind == Paid {
			paid -= row.Amount
		}
		if row.At.Before(last) || row.Amount == 0 {
			p.t.Fatalf("row %+v after %v", row, last)
		}
		last = row.At
	}
	b := p.balance()
	if auto, _ := issuer.PaidOut(p.e, tundraMe); sum-p.redeemed != b.Balance || paid != auto || b.Redeemable < 0 {
		p.t.Fatalf("rows %d, redeemed %d, paid %d of %d, balance %+v", sum, p.redeemed, paid, auto, b)
	}
}

func tundraDay(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 10, 0, 0, 0, time.UTC)
}

func (p *tundraPlay) wants(what string, got, want int64) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("%s: %d, want %d", what, got, want)
	}
}
