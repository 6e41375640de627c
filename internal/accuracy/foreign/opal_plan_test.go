package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// opalReturn is one fact about a return, opalPlan a random history of one account.
type opalReturn struct {
	day, buy int
	amount   int64
	charge   bool
	named    bool
}

type opalPlan struct {
	buys    []issuer.Settlement
	days    []int // on which each is delivered
	returns []opalReturn
	redeems bool
}

var opalZero = time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)

// opalRandom makes a history of 14 months. filter may refuse or change a return.
func opalRandom(r *rand.Rand, big int64, named, redeems bool, filter func(*opalPlan, *opalReturn) bool) *opalPlan {
	p := &opalPlan{redeems: redeems}
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	favourite, busy := categories[r.Intn(6)], r.Intn(380)
	for i := range 60 {
		day, category := r.Intn(420), categories[r.Intn(6)]
		if r.Intn(2) == 0 { // half of them crowd, so that limits bind
			day, category = busy+r.Intn(40), favourite
		}
		p.days = append(p.days, day+r.Intn(2)*r.Intn(20)) // some clear late
		p.buys = append(p.buys, issuer.Settlement{
			Account: "a", Transaction: fmt.Sprint("t", i), Amount: 1 + r.Int63n(big),
			Merchant: fmt.Sprint("m", r.Intn(6)), Category: category, At: opalZero.AddDate(0, 0, day),
		})
	}
	for range 40 {
		i := r.Intn(len(p.buys))
		b := opalReturn{day: p.days[i] + r.Intn(90) - 3, buy: i, amount: 1 + r.Int63n(p.buys[i].Amount), charge: named && r.Intn(5) == 0, named: named || r.Intn(2) == 0}
		switch r.Intn(6) {
		case 0:
			b.amount = p.buys[i].Amount
		case 1:
			if named {
				b.amount = p.buys[i].Amount * 3 // above the price
			}
		}
		b.day = max(b.day, 0)
		if filter == nil || filter(p, &b) {
			p.returns = append(p.returns, b)
		}
	}
	return p
}

// left is what is left of each purchase; without names it also cuts returns to what there is.
func (p *opalPlan) left() []int64 {
	out := make([]int64, len(p.buys))
	for i, b := range p.buys {
		out[i] = b.Amount
	}
	for i, b := range p.returns {
		part := min(b.amount, out[b.buy])
		if !b.named {
			p.returns[i].amount = part
		}
		out[b.buy] -= part
	}
	return out
}

// take delivers a return, twice.
func (p *opalPlan) take(tr *opalTrack, id string, b opalReturn) {
	tr.t.Helper()
	s := p.buys[b.buy]
	for range 2 {
		if b.charge {
			amount := b.amount
			if amount == s.Amount {
				amount = 0
			}
			tr.must(tr.engine.Chargeback(issuer.Chargeback{Account: "a", Chargeback: id, Transaction: s.Transaction, Amount: amount}))
			continue
		}
		f := issuer.Refund{Account: "a", Refund: id, Transaction: s.Transaction, Amount: b.amount, Merchant: s.Merchant, Category: s.Category}
		if !b.named {
			f.Transaction = ""
		}
		tr.must(tr.engine.Refund(f))
	}
}

// play plays a history, or what it would have been without its returns. The clock is set
// on every day, or only on those on which something happens.
func (p *opalPlan) play(t *testing.T, d Design, left []int64, returns, jumps bool) *opalTrack {
	t.Helper()
	tr := &opalTrack{t: t, engine: d.New()}
	tr.must(tr.engine.SetClock(opalZero))
	tr.must(tr.engine.Open("a"))
	for day := range 620 {
		now := opalZero.AddDate(0, 0, day)
		redeems := returns && p.redeems && day%9 == 0
		if !jumps || redeems || day == 619 {
			tr.must(tr.engine.SetClock(now))
		}
		for i, b := range p.returns {
			if returns && b.day == day && b.amount > 0 {
				tr.must(tr.engine.SetClock(now))
				p.take(tr, fmt.Sprint("r", i), b)
			}
		}
		for i, s := range p.buys {
			if s.Amount = left[i]; p.days[i] == day && s.Amount > 0 {
				tr.must(tr.engine.SetClock(now))
				tr.must(tr.engine.Settle(s))
				tr.must(tr.engine.Settle(s))
			}
		}
		if b, err := tr.engine.Balance("a"); err != nil || redeems && b.Redeemable > 0 {
			tr.must(err)
			tr.redeem(b.Redeemable+1, false)
			tr.redeem(b.Redeemable, true)
		}
		tr.must(tr.engine.CloseStatement("a"))
	}
	return tr
}

func (p *opalPlan) gross() []int64 {
	out := make([]int64, len(p.buys))
	for i, b := range p.buys {
		out[i] = b.Amount
	}
	return out
}
