package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// quarryDay is noon of a UTC day of 2025, the first year of all tests.
func quarryDay(month, day int) time.Time {
	return time.Date(2025, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

// quarryPlay drives an engine through a test. Who it belongs to is "a".
type quarryPlay struct {
	t    *testing.T
	e    Engine
	used int64
	n    int
}

func newQuarryPlay(t *testing.T, d Design, opened time.Time) *quarryPlay {
	p := &quarryPlay{t: t, e: d.New()}
	p.do(p.e.SetClock(opened))
	p.do(p.e.Open("a"))
	return p
}

func (p *quarryPlay) do(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *quarryPlay) clock(at time.Time) { p.t.Helper(); p.do(p.e.SetClock(at)) }

func (p *quarryPlay) buy(id string, amount int64, category string) {
	p.t.Helper()
	p.do(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: category}))
}

func (p *quarryPlay) refund(buy string, amount int64) {
	p.t.Helper()
	p.n++
	p.do(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.n), Transaction: buy, Amount: amount}))
}

// redeem asks for a payout and says whether there was one.
func (p *quarryPlay) redeem(amount int64) bool {
	p.t.Helper()
	p.n++
	ok, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("p", p.n), Amount: amount})
	p.do(err)
	if ok {
		p.used += amount
	}
	return ok
}

func (p *quarryPlay) balance() issuer.Balance {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.do(err)
	return b
}

// net is what the account has got out of the program, in the balance or paid.
func (p *quarryPlay) net() int64 {
	p.t.Helper()
	paid, err := issuer.PaidOut(p.e, "a")
	p.do(err)
	return p.balance().Balance + p.used + paid
}

// want compares the balance, the redeemable part of it and the net.
func (p *quarryPlay) want(balance, redeemable, net int64) {
	p.t.Helper()
	b := p.balance()
	if got := [3]int64{b.Balance, b.Redeemable, p.net()}; got != [3]int64{balance, redeemable, net} {
		p.t.Fatalf("balance, redeemable and net are %v, want %v", got, [3]int64{balance, redeemable, net})
	}
}

func (p *quarryPlay) check() {
	p.t.Helper()
	var sum int64
	var last time.Time
	for _, r := range p.e.Postings("a") {
		if sum += r.Amount; r.At.Before(last) || r.Amount == 0 || r.Kind == Earned && r.Amount < 0 || r.Kind == Reversed && r.Amount > 0 {
			p.t.Fatalf("row %+v after %v", r, last)
		}
		last = r.At
	}
	if b := p.balance(); b.Balance != sum-p.used || b.Redeemable < 0 {
		p.t.Fatalf("%+v with rows of %d and %d redeemed", b, sum, p.used)
	}
}
