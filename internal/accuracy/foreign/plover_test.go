package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// ploverPlay drives one account and checks the books after every step.
type ploverPlay struct {
	t  *testing.T
	e  Engine
	at time.Time
	n  int
}

func ploverStart(t *testing.T, d Design, at string) *ploverPlay {
	t.Helper()
	p := &ploverPlay{t: t, e: d.New()}
	p.clock(ploverDate(at))
	p.must(p.e.Open("c"))
	return p
}

func ploverDate(s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04", s+" 12:00")
	if err != nil {
		panic(err)
	}
	return at
}

func (p *ploverPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	p.check()
}

func (p *ploverPlay) clock(at time.Time) {
	p.at = at
	if err := p.e.SetClock(at); err != nil {
		p.t.Fatal(err)
	}
}

func (p *ploverPlay) on(day string) *ploverPlay { p.clock(ploverDate(day)); return p }

// check holds the ledger against the balance and its rows against the clock.
func (p *ploverPlay) check() issuer.Balance {
	p.t.Helper()
	b, err := p.e.Balance("c")
	if err != nil || b.Redeemable < 0 {
		p.t.Fatal(b, err)
	}
	var sum int64
	last := time.Time{}
	for _, row := range p.e.Postings("c") {
		sum += row.Amount
		if row.At.Before(last) || row.At.After(p.at) || row.Amount == 0 {
			p.t.Fatal("row out of order", row)
		}
		last = row.At
	}
	if a := p.e.(*ploverDesk).accounts["c"]; sum-a.redeemed != b.Balance {
		p.t.Fatal("books", sum, a.redeemed, b)
	}
	return b
}

func (p *ploverPlay) buy(id, category string, amount int64) {
	p.t.Helper()
	p.must(p.e.Settle(issuer.Settlement{Account: "c", Transaction: id, Category: category, Amount: amount, At: p.at}))
}

func (p *ploverPlay) refund(transaction string, amount int64) {
	p.t.Helper()
	p.n++
	r := issuer.Refund{Account: "c", Refund: fmt.Sprint("r", p.n), Transaction: transaction, Amount: amount}
	p.must(p.e.Refund(r))
	p.must(p.e.Refund(r))
}

func (p *ploverPlay) redeem(amount int64, want bool) {
	p.t.Helper()
	p.n++
	got, err := p.e.Redeem(issuer.Redemption{Account: "c", Redemption: fmt.Sprint("x", p.n), Amount: amount})
	if p.must(err); got != want {
		p.t.Fatalf("redeem %d: %v", amount, got)
	}
}

// balance, net is what was redeemed and paid out, too.
func (p *ploverPlay) want(balance, net int64) {
	p.t.Helper()
	if b := p.check(); b.Balance != balance || p.net() != net {
		p.t.Fatalf("balance %d, net %d; want %d, %d", b.Balance, p.net(), balance, net)
	}
}

func (p *ploverPlay) net() int64 {
	a := p.e.(*ploverDesk).accounts["c"]
	paid, _ := issuer.PaidOut(p.e, "c")
	return p.check().Balance + a.redeemed + paid
}
