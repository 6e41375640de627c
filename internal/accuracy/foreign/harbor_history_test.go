package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// harborEvent is a move of a random history.
type harborEvent struct {
	at             time.Time
	id, tx         string // tx empty: a purchase, "?": a refund without a name
	amount         int64
	clears         time.Time
	shop, category string
	chargeback     bool
}

// harborHistory is a random history, and what is left of each of its purchases.
func harborHistory(r *rand.Rand, named bool) (events []harborEvent, left map[string]int64) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	left = map[string]int64{}
	price := map[string]int64{}
	var ids []string
	shops := map[string]string{}
	for i := 0; i < 120; i++ {
		now = now.Add(time.Duration(r.Intn(120)) * time.Hour)
		id := fmt.Sprint("e", i)
		if len(ids) == 0 || r.Intn(5) > 1 {
			amount := int64(1 + r.Intn(90000))
			e := harborEvent{at: now, id: id, amount: amount, clears: now.Add(-time.Duration(r.Intn(3)*r.Intn(20)) * 24 * time.Hour),
				shop: string(rune('m' + r.Intn(3))), category: []string{"ROOM", "DINING"}[r.Intn(2)]}
			left[id], price[id], shops[id] = amount, amount, e.shop
			ids = append(ids, id)
			if named && r.Intn(6) == 0 { // its refund comes first
				x := 1 + r.Int63n(amount)
				left[id] -= x
				events = append(events, harborEvent{at: now, id: "early" + id, tx: id, amount: x})
			}
			events = append(events, e)
			continue
		}
		tx := ids[r.Intn(len(ids))]
		x := 1 + r.Int63n(price[tx])
		e := harborEvent{at: now, id: id, tx: tx, amount: x, chargeback: r.Intn(5) == 0}
		switch {
		case !named && left[tx] == 0:
			continue
		case !named:
			e.amount, e.tx, e.shop, e.chargeback = 1+r.Int63n(left[tx]), "?", shops[tx], false
			x = e.amount
		case r.Intn(4) == 0:
			e.amount, x = price[tx]+500, price[tx] // above the price
		case e.chargeback && r.Intn(2) == 0:
			e.amount, x = 0, price[tx]
		}
		left[tx] = max(0, left[tx]-x)
		events = append(events, e)
	}
	return events, left
}

// harborPlay plays a history; with kept, only what is left of its purchases.
func harborPlay(t *testing.T, d Design, events []harborEvent, kept map[string]int64, redeeming bool) (total int64) {
	h := harborOpenTill(t, d)
	var redeemed int64
	for _, e := range events {
		h.must(h.e.SetClock(e.at))
		for range 2 { // the network delivers at least once
			switch {
			case e.tx == "":
				amount := e.amount
				if kept != nil {
					amount = kept[e.id]
				}
				h.must(h.e.Settle(issuer.Settlement{Account: "a", Transaction: e.id, Amount: amount, Merchant: e.shop, Category: e.category, At: e.clears}))
			case kept != nil:
			case e.chargeback:
				h.must(h.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: e.id, Transaction: e.tx, Amount: e.amount}))
			case e.tx == "?":
				h.must(h.e.Refund(issuer.Refund{Account: "a", Refund: e.id, Amount: e.amount, Merchant: e.shop}))
			default:
				h.must(h.e.Refund(issuer.Refund{Account: "a", Refund: e.id, Transaction: e.tx, Amount: e.amount, Merchant: e.shop}))
			}
		}
		if b, _ := h.e.Balance("a"); redeeming && b.Redeemable > 0 {
			h.redeem(b.Redeemable+1, false)
			if ok, _ := h.e.Redeem(issuer.Redemption{Account: "a", Redemption: "x" + e.id, Amount: b.Redeemable}); ok {
				redeemed += b.Redeemable
			}
		}
	}
	h.must(h.e.SetClock(events[len(events)-1].at.AddDate(0, 3, 0)))
	paid, _ := issuer.PaidOut(h.e, "a")
	var sum, last int64
	for _, row := range h.e.Postings("a") {
		sum += row.Amount
		if row.At.Unix() < last {
			t.Errorf("%s: rows out of order at %v", d.Name, row.At)
		}
		last = row.At.Unix()
	}
	if sum-redeemed != h.balance() {
		t.Errorf("%s: rows come to %d, redeemed %d, balance %d", d.Name, sum, redeemed, h.balance())
	}
	return sum + paid
}
