package foreign

import (
	"fmt"
	"testing"

	"recoup/internal/issuer"
)

// juniperPlayer plays a history and keeps what it was paid.
type juniperPlayer struct {
	t     *testing.T
	e     Engine
	facts []juniperFact
	got   int64
	n     int
}

func (p *juniperPlayer) upTo(day int) issuer.Balance {
	p.t.Helper()
	for len(p.facts) > 0 && p.facts[0].day <= day {
		f := p.facts[0]
		juniperOK(p.t, p.e.SetClock(juniperDay(f.day)))
		p.facts = p.facts[1:]
		switch {
		case f.buy != nil:
			juniperOK(p.t, p.e.Settle(*f.buy))
		case f.refund != nil:
			juniperOK(p.t, p.e.Refund(*f.refund))
		case f.charge != nil:
			juniperOK(p.t, p.e.Chargeback(*f.charge))
		default:
			p.n++
			b, _ := p.e.Balance("a")
			amount := b.Redeemable * f.redeem / 100
			ok, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(p.n), Amount: amount})
			if juniperOK(p.t, err); ok != (amount > 0) {
				p.t.Fatalf("redeeming %d: %v", amount, ok)
			}
			if ok {
				p.got += amount
			}
			if ok, _ := p.e.Redeem(issuer.Redemption{Account: "a", Amount: b.Redeemable + 1}); ok {
				p.t.Fatal("paid more than can be redeemed")
			}
		}
	}
	juniperOK(p.t, p.e.SetClock(juniperDay(day)))
	b, err := p.e.Balance("a")
	juniperOK(p.t, err)
	var sum int64
	rows := p.e.Postings("a")
	for i, r := range rows {
		sum += r.Amount
		if i > 0 && r.At.Before(rows[i-1].At) || r.At.After(juniperDay(day)) {
			p.t.Fatal("rows out of order", r)
		}
	}
	if sum-p.got != b.Balance || b.Redeemable < 0 {
		p.t.Fatalf("rows %d, redeemed %d, balance %+v", sum, p.got, b)
	}
	return b
}

func (p *juniperPlayer) total(day int) int64 {
	b := p.upTo(day)
	out, _ := issuer.PaidOut(p.e, "a")
	return b.Balance + p.got + out
}

func juniperPlay(t *testing.T, d Design, facts []juniperFact) *juniperPlayer {
	e := d.New()
	juniperOK(t, e.SetClock(juniperStart))
	juniperOK(t, e.Open("a"))
	return &juniperPlayer{t: t, e: e, facts: facts}
}

func juniperOK(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
