package foreign

import (
	"fmt"
	"math/rand"
	"time"

	"recoup/internal/issuer"
)

var birchStart = time.Date(2024, 1, 3, 9, 0, 0, 0, time.UTC)

// birchBack is a return in a history; hidden: its message does not name the purchase.
type birchBack struct {
	of             int
	amount         int64
	after          time.Duration // after the purchase clears; below zero: before
	dispute, whole bool
	hidden, twice  bool
}

// birchHistory is what a customer bought and gave back.
type birchHistory struct {
	buys  []issuer.Settlement
	backs []birchBack
}

// birchRandom makes a history of a year. Linked ones have all that a message may do; hidden
// ones give no more back than was bought.
func birchRandom(r *rand.Rand, hidden bool) (h birchHistory) {
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	big := []int64{20, 400}[r.Intn(2)] // small ones stay below the limits
	for i := range 60 + r.Intn(60) {
		amount := 1 + r.Int63n(9000)
		if r.Intn(4) == 0 {
			amount = 1000 * (1 + r.Int63n(big))
		}
		at := birchStart.Add(time.Duration(r.Intn(360*24)) * time.Hour)
		h.buys = append(h.buys, issuer.Settlement{Account: "a", Transaction: fmt.Sprintf("t%d", i), Amount: amount, Category: categories[r.Intn(6)], At: at})
		left := amount
		for range r.Intn(4) * r.Intn(2) {
			b := birchBack{of: i, amount: 1 + r.Int63n(amount), after: time.Duration(r.Intn(150*24)-10*24) * time.Hour, twice: r.Intn(4) == 0}
			b.dispute = r.Intn(5) == 0
			b.whole = b.dispute && r.Intn(2) == 0 && !hidden
			if hidden {
				if b.amount = min(b.amount, left); b.amount == 0 {
					continue
				}
				b.hidden, b.dispute = r.Intn(2) == 0, false
			}
			left -= min(left, b.amount)
			h.backs = append(h.backs, b)
		}
	}
	return h
}

// birchNet is the history in which the returned parts were never bought.
func birchNet(h birchHistory) (n birchHistory) {
	for i, s := range h.buys {
		for _, b := range h.backs {
			if b.of == i && b.whole {
				s.Amount = 0
			} else if b.of == i {
				s.Amount = max(0, s.Amount-b.amount)
			}
		}
		if s.Amount > 0 {
			n.buys = append(n.buys, s)
		}
	}
	return n
}

type birchMove struct {
	at time.Time
	do func(Engine) error
}

// birchMoves are the history's messages; some purchases are delivered weeks late.
func birchMoves(h birchHistory) (moves []birchMove) {
	for i, s := range h.buys {
		late := s.At
		if len(s.Transaction)%2 == 0 && s.Amount%5 == 0 {
			late = late.AddDate(0, 0, 23)
		}
		moves = append(moves, birchMove{late, func(e Engine) error { return e.Settle(s) }}, birchMove{late.Add(time.Hour), func(e Engine) error { return e.Settle(s) }})
		for k, b := range h.backs {
			if b.of != i {
				continue
			}
			id, name := fmt.Sprintf("r%d", k), s.Transaction
			if b.hidden {
				name = ""
			}
			do := func(e Engine) error {
				return e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: name, Amount: b.amount})
			}
			if b.dispute {
				amount := b.amount
				if b.whole {
					amount = 0
				}
				do = func(e Engine) error {
					return e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: id, Transaction: name, Amount: amount})
				}
			}
			at := s.At.Add(b.after)
			moves = append(moves, birchMove{at, do})
			if b.twice {
				moves = append(moves, birchMove{at.AddDate(0, 0, 3), do})
			}
		}
	}
	return moves
}
