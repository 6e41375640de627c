package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// opalTrack is a history on one account.
type opalTrack struct {
	t      *testing.T
	engine Engine
	n      int
}

func opalStart(t *testing.T, design Design, from string) *opalTrack {
	t.Helper()
	p := &opalTrack{t: t, engine: design.New()}
	p.to(from)
	p.must(p.engine.Open("a"))
	return p
}

func (p *opalTrack) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// to sets the clock to noon (UTC) of a day.
func (p *opalTrack) to(day string) {
	p.t.Helper()
	at, err := time.Parse("2006-01-02 15:04", day+" 12:00")
	p.must(err)
	p.must(p.engine.SetClock(at))
}

func (p *opalTrack) buy(id, category string, amount int64) {
	p.t.Helper()
	p.must(p.engine.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: category, Merchant: "m " + id}))
}

func (p *opalTrack) refund(id string, amount int64) {
	p.t.Helper()
	p.n++
	r := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.n), Transaction: id, Amount: amount}
	p.must(p.engine.Refund(r))
	p.must(p.engine.Refund(r)) // the same message twice
}

func (p *opalTrack) redeem(amount int64, want bool) {
	p.t.Helper()
	p.n++
	got, err := p.engine.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("p", p.n), Amount: amount})
	p.must(err)
	if got != want {
		p.t.Fatalf("redemption of %d: %v", amount, got)
	}
}

// shows checks the balance and what can be redeemed.
func (p *opalTrack) shows(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.engine.Balance("a")
	p.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("balance %d, redeemable %d; want %d, %d", b.Balance, b.Redeemable, balance, redeemable)
	}
}

func (p *opalTrack) paid(want int64) {
	p.t.Helper()
	got, err := issuer.PaidOut(p.engine, "a")
	p.must(err)
	if got != want {
		p.t.Fatalf("paid out %d, want %d", got, want)
	}
}

// net is all that the customer has had and has, checked against the rows.
func (p *opalTrack) net() int64 {
	p.t.Helper()
	b, err := p.engine.Balance("a")
	p.must(err)
	var sum, out int64
	last := time.Time{}
	for _, row := range p.engine.Postings("a") {
		if row.At.Before(last) {
			p.t.Fatal("a row is older than the one before it")
		}
		last = row.At
		sum += row.Amount
		if row.Kind == Paid {
			out -= row.Amount
		}
	}
	if b.Redeemable < 0 || b.Balance != sum-p.engine.(*opalDesk).accounts["a"].redeemed {
		p.t.Fatal("the books do not agree", b, sum)
	}
	return sum + out
}
