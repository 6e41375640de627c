package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// millMessage is one delivery of a random history.
type millMessage struct {
	clock time.Time
	send  func(Engine)
	net   func(Engine) // the same in a world where nothing that came back was bought
}

// millWorld draws a history of two years. Part of what is bought comes back, in one to
// three parts, before or long after it clears, sometimes above the price or as a
// chargeback; loose is how many returns in a hundred name no purchase, and grain what
// all amounts of parts are multiples of. Every third message comes twice.
func millWorld(r *rand.Rand, most, grain int64, loose int, redeem bool) []millMessage {
	var all []millMessage
	add := func(m millMessage) { all = append(all, m) }
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	hours := func(n int) time.Duration { return time.Duration(r.Intn(n)) * time.Hour }
	for i := range 120 {
		s := issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: 1 + r.Int63n(most),
			Category: []string{"GROCERY", "FASHION", "TRAVEL", "LOTTERY", "HOME"}[r.Intn(5)],
			At:       start.Add(hours(17000))}
		clears := s.At.Add(hours(100))
		kept, anonymous := s.Amount, r.Intn(100) < loose
		for part := range r.Intn(4) {
			back := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", i, ".", part), Transaction: s.Transaction,
				At: s.At.Add(hours(5000)), Amount: millDown(1+r.Int63n(s.Amount), grain)}
			if r.Intn(9) == 0 {
				back.Amount = s.Amount + 7
			}
			if anonymous {
				back.Transaction, back.Amount = "", min(back.Amount, kept)
			}
			if back.Amount == 0 { // an anonymous one of nothing left, or a part below the grain
				continue
			}
			kept = max(0, kept-back.Amount)
			claim := issuer.Chargeback{Account: "a", Chargeback: back.Refund, Transaction: s.Transaction, Amount: back.Amount, At: back.At}
			send := func(e Engine) { e.Refund(back) }
			if !anonymous && r.Intn(5) == 0 {
				send = func(e Engine) { e.Chargeback(claim) }
			}
			add(millMessage{clock: back.At.Add(hours(50)), send: send})
		}
		net := s
		net.Amount = kept
		add(millMessage{clears, func(e Engine) { e.Settle(s) }, func(e Engine) { e.Settle(net) }})
		if redeem {
			id := fmt.Sprint("d", i)
			add(millMessage{clock: start.Add(hours(17000)), send: func(e Engine) {
				b, _ := e.Balance("a")
				e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: b.Redeemable})
			}})
		}
	}
	for i := range all {
		if i%3 == 0 {
			again := all[i]
			again.clock, again.net = again.clock.Add(hours(2000)), nil
			add(again)
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	millSort(all)
	return all
}

func millSort(all []millMessage) {
	sort.SliceStable(all, func(i, j int) bool { return all[i].clock.Before(all[j].clock) })
}
