package foreign

import (
	"fmt"
	"math/rand"
	"slices"
	"time"

	"recoup/internal/issuer"
)

// quarryMove is one move of a random history.
type quarryMove struct {
	at      time.Time
	settle  *issuer.Settlement
	refund  *issuer.Refund
	dispute *issuer.Chargeback
	redeem  int64 // percent of what is redeemable
}

func (m quarryMove) play(p *quarryPlay) {
	p.t.Helper()
	p.clock(m.at)
	switch {
	case m.settle != nil:
		p.do(p.e.Settle(*m.settle))
	case m.refund != nil:
		p.do(p.e.Refund(*m.refund))
	case m.dispute != nil:
		p.do(p.e.Chargeback(*m.dispute))
	default:
		if p.redeem(p.balance().Redeemable*m.redeem/100) && p.redeem(p.balance().Redeemable+1) {
			p.t.Fatal("paid more than was redeemable")
		}
	}
}

// quarryEnd is so late that all that is due for a history has run.
var quarryEnd = quarryDay(1, 1).AddDate(3, 0, 0)

// quarryHistory is two years of purchases with returns by name, some of which overlap,
// exceed the price or come before their purchase; net is what is left of each purchase.
func quarryHistory(r *rand.Rand, categories []string, scale int64) (moves []quarryMove, net []quarryMove) {
	start := quarryDay(1, 1)
	for i := range 120 {
		start := start.Add(time.Duration(i*6*24+r.Intn(100)) * time.Hour)
		s := issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: (1 + r.Int63n(40000)) * scale / 10,
			Merchant: fmt.Sprint("m", r.Intn(12)), Category: categories[r.Intn(len(categories))], At: start}
		late := start.Add(time.Duration(r.Intn(3)*r.Intn(400)) * time.Hour)
		moves = append(moves, quarryMove{at: late, settle: &s}, quarryMove{at: late.Add(time.Hour), redeem: r.Int63n(101)})
		left := s.Amount
		for j := range r.Intn(4) {
			x := 1 + r.Int63n(s.Amount)
			at := start.Add(time.Duration(r.Intn(3000)) * time.Hour)
			if r.Intn(5) == 0 {
				c := issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint("c", i, ".", j), Transaction: s.Transaction, Amount: x * r.Int63n(2)}
				if c.Amount == 0 {
					x = s.Amount
				}
				moves = append(moves, quarryMove{at: at, dispute: &c})
			} else {
				f := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", i, ".", j), Transaction: s.Transaction, Amount: x, At: at}
				moves = append(moves, quarryMove{at: at.Add(time.Duration(r.Intn(48)) * time.Hour), refund: &f})
			}
			left -= x
		}
		if left > 0 {
			kept := s
			kept.Amount = left
			net = append(net, quarryMove{at: late, settle: &kept})
		}
	}
	quarrySort(moves)
	quarrySort(net)
	return moves, net
}

func quarrySort(moves []quarryMove) {
	slices.SortStableFunc(moves, func(a, b quarryMove) int { return a.at.Compare(b.at) })
}
