package foreign

import (
	"fmt"
	"math/rand"
	"time"

	"recoup/internal/issuer"
)

const cedarName = "ann"

// cedarFact is something that is delivered at a time.
type cedarFact struct {
	deliver time.Time
	settle  *issuer.Settlement
	refund  *issuer.Refund
	charge  *issuer.Chargeback
	redeem  int64 // a share of what can be redeemed, in percent
}

// cedarHistory is a history, and what of each purchase came back by which fact, by the
// word of somebody who knows.
type cedarHistory struct {
	facts []cedarFact
	truth map[int]string // fact of a return: purchase
	early []string       // purchases that came back before they cleared, if they ever did
}

var cedarStart = time.Date(2025, 1, 3, 9, 0, 0, 0, time.UTC)

// exact says whether all that came back is of a purchase that cleared and is named.
func (h cedarHistory) exact() bool {
	known := map[string]bool{}
	for _, f := range h.facts {
		if f.settle != nil {
			known[f.settle.Transaction] = true
		}
		if f.refund != nil && f.refund.Transaction == "" {
			return false
		}
	}
	for _, id := range h.early {
		if !known[id] {
			return false
		}
	}
	return true
}

// cedarRandom makes a history of two years. Named refunds only, if loose is not.
func cedarRandom(r *rand.Rand, loose bool) cedarHistory {
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	h := cedarHistory{truth: map[int]string{}}
	var bought []issuer.Settlement
	now := cedarStart
	for i := range 30 + r.Intn(40) {
		now = now.Add(time.Duration(r.Intn(20*24)) * time.Hour)
		f := cedarFact{deliver: now}
		switch k := r.Intn(10); {
		case k < 5 || len(bought) == 0:
			s := issuer.Settlement{Account: cedarName, Transaction: fmt.Sprint("t", i), Amount: 1 + r.Int63n(60000),
				Category: categories[r.Intn(len(categories))], At: now.Add(-time.Duration(r.Intn(100)*r.Intn(30)) * time.Hour)}
			bought = append(bought, s)
			f.settle = &s
		case k < 9:
			s := bought[max(0, len(bought)-1-r.Intn(8))]
			if r.Intn(9) == 0 { // of what clears later
				s = issuer.Settlement{Transaction: fmt.Sprint("t", i+1+r.Intn(4)), Amount: 30000}
				h.early = append(h.early, s.Transaction)
			}
			amount := 1 + r.Int63n(s.Amount*5/4)
			if r.Intn(3) == 0 {
				amount = s.Amount
			}
			h.truth[len(h.facts)] = s.Transaction
			if r.Intn(5) == 0 {
				f.charge = &issuer.Chargeback{Account: cedarName, Chargeback: fmt.Sprint("c", i), Transaction: s.Transaction, Amount: amount}
				if r.Intn(2) == 0 {
					f.charge.Amount = 0
				}
				break
			}
			f.refund = &issuer.Refund{Account: cedarName, Refund: fmt.Sprint("r", i), Transaction: s.Transaction, Amount: amount, At: now}
			if loose && r.Intn(2) == 0 {
				f.refund.Transaction = ""
			}
		default:
			f.redeem = 1 + r.Int63n(100)
		}
		h.facts = append(h.facts, f)
	}
	return h
}
