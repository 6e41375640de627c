package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// saffronMove is one thing that happens at an account; settle, refund or chargeback.
type saffronMove struct {
	at     time.Time
	settle *issuer.Settlement
	refund *issuer.Refund
	charge *issuer.Chargeback
	of     string // the purchase that a return is truly of
}

// saffronHistory is two years of purchases and returns; loose says whether some returns
// name no purchase.
func saffronHistory(r *rand.Rand, loose bool) []saffronMove {
	start := time.Date(2026, 1, 3, 10, 0, 0, 0, time.UTC)
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	var moves []saffronMove
	var ids []string
	bought := map[string]*issuer.Settlement{}
	at := start
	for i := 0; at.Before(start.AddDate(2, 0, 0)); i++ {
		at = at.Add(time.Duration(r.Intn(240)) * time.Hour)
		id := fmt.Sprintf("t%d", i)
		s := &issuer.Settlement{
			Account: "a", Transaction: id, Amount: 1 + r.Int63n(60000), Category: categories[r.Intn(6)],
			Merchant: []string{"m1", "m2", "m3", ""}[r.Intn(4)], At: at.Add(-time.Duration(r.Intn(200)*r.Intn(2)) * time.Hour),
		}
		bought[id] = s
		late := time.Duration(r.Intn(5)/4*r.Intn(900)) * time.Hour // clears long after, perhaps after its return
		ids = append(ids, id)
		moves = append(moves, saffronMove{at: at.Add(late), settle: s})
		for r.Intn(3) == 0 {
			of := ids[max(0, len(ids)-1-r.Intn(20))]
			amount := 1 + r.Int63n(bought[of].Amount+2000)
			back := saffronMove{at: at.Add(time.Hour), of: of}
			if r.Intn(4) == 0 {
				back.charge = &issuer.Chargeback{Account: "a", Chargeback: fmt.Sprintf("c%d", len(moves)), Transaction: of, Amount: amount * r.Int63n(2)}
			} else {
				back.refund = &issuer.Refund{Account: "a", Refund: fmt.Sprintf("r%d", len(moves)), Transaction: of, Amount: amount}
				if loose && r.Intn(2) == 0 {
					back.refund.Transaction = ""
					if r.Intn(2) == 0 {
						back.refund.Merchant = bought[of].Merchant
					}
				}
			}
			moves = append(moves, back, back) // every return is delivered twice
		}
	}
	for i := range moves { // by time, keeping the order of equals
		for j := i; j > 0 && moves[j].at.Before(moves[j-1].at); j-- {
			moves[j], moves[j-1] = moves[j-1], moves[j]
		}
	}
	return moves
}

// saffronNever is the history in which what the first n moves return was never bought.
func saffronNever(moves []saffronMove) []saffronMove {
	back, seen := map[string]int64{}, map[any]bool{}
	for _, m := range moves {
		switch {
		case m.refund != nil && !seen[m.refund]:
			seen[m.refund] = true
			back[m.of] += m.refund.Amount
		case m.charge != nil && !seen[m.charge]:
			seen[m.charge] = true
			if back[m.of] += m.charge.Amount; m.charge.Amount == 0 {
				back[m.of] += saffronMost / 1000
			}
		}
	}
	var kept []saffronMove
	for _, m := range moves {
		if m.settle == nil {
			continue
		}
		s := *m.settle
		if s.Amount -= back[s.Transaction]; s.Amount > 0 {
			kept = append(kept, saffronMove{at: m.at, settle: &s})
		}
	}
	return kept
}

// saffronPlay plays the moves, then lets time pass until end. It gives the engine and
// what was redeemed; greedy members redeem all they can after every few moves, and step
// sees every state.
func saffronPlay(t *testing.T, d Design, moves []saffronMove, end time.Time, greedy bool, step func(i int, e Engine, redeemed int64)) (Engine, int64) {
	t.Helper()
	e := d.New()
	must := func(err error) {
		if err != nil {
			t.Fatal(d.Name, err)
		}
	}
	must(e.SetClock(time.Date(2025, 12, 20, 0, 0, 0, 0, time.UTC)))
	must(e.Open("a"))
	redeemed := int64(0)
	for i, m := range moves {
		must(e.SetClock(m.at))
		switch {
		case m.settle != nil:
			must(e.Settle(*m.settle))
			must(e.Settle(*m.settle))
		case m.refund != nil:
			must(e.Refund(*m.refund))
		default:
			must(e.Chargeback(*m.charge))
		}
		if step != nil {
			step(i, e, redeemed)
		}
		if greedy && i%5 == 0 {
			b, _ := e.Balance("a")
			more, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprintf("x%d", i), Amount: b.Redeemable + 1})
			if more {
				t.Fatal(d.Name, "redeemed more than redeemable")
			}
			if ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprintf("y%d", i), Amount: b.Redeemable}); ok {
				redeemed += b.Redeemable
			}
		}
	}
	must(e.SetClock(end))
	return e, redeemed
}

// saffronNet is all that the member has got and has.
func saffronNet(e Engine, redeemed int64) int64 {
	b, _ := e.Balance("a")
	paid, _ := issuer.PaidOut(e, "a")
	return b.Balance + redeemed + paid
}
