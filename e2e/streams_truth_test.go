package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// holder is somebody with a card, made up by who knows what is owed: one percent of what is
// spent and not sent back, in amounts of which that is exact, less what was paid out. So what
// comes of it is worked out here by adding, and by nothing of the program's own.
type holder struct {
	account string
	lines   []string // as they are sent, in order, some of them again
	first   []string // each once
	notices []string // that follow, in order: the type and the event
	owed    []int64  // the amount of each posting, in order
	balance int64
}

// onePercent is the program of holders.
const onePercent = "id: everyday\ncurrency: USD\nrules: [{id: base, rate: 1%}]\n"

// newHolder makes one up, of so many events. Where order is not kept, nothing depends on it:
// then rewards are not redeemed.
func newHolder(account string, events int, ordered bool, draw *rand.Rand) *holder {
	h := &holder{account: account}
	type purchase struct {
		name string
		left int64 // of it, in dollars
	}
	var purchases []purchase
	clock := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	for n := range events {
		id, data := fmt.Sprint("e", n), ""
		change := int64(0)
		kind := "transaction.settled"
		switch of := draw.IntN(10); {
		case of == 0:
			// More than anybody has.
			kind, data = "redemption.requested", fmt.Sprintf(`{"redemption":"d%d","amount":1000000000,"currency":"USD"}`, n)
			h.notices = append(h.notices, "redemption.denied "+id)
		case of < 3 && len(purchases) > 0:
			p := &purchases[draw.IntN(len(purchases))]
			if p.left == 0 {
				p = &purchases[len(purchases)-1]
			}
			if p.left > 0 {
				back := 1 + draw.Int64N(p.left)
				p.left -= back
				kind, change = "refund.posted", -back
				data = fmt.Sprintf(`{"refund":"r%d","amount":%d,"currency":"USD","transaction":%q}`, n, 100*back, p.name)
			}
		case of == 3 && ordered && h.balance > 0:
			kind, change = "redemption.requested", -1-draw.Int64N(h.balance)
			data = fmt.Sprintf(`{"redemption":"d%d","amount":%d,"currency":"USD"}`, n, -change)
		}
		if data == "" {
			p := purchase{fmt.Sprint("t", n), 1 + draw.Int64N(90)}
			purchases = append(purchases, p)
			change = p.left
			data = fmt.Sprintf(`{"transaction":%q,"amount":%d,"currency":"USD"}`, p.name, 100*p.left)
		}
		if change != 0 {
			h.notices = append(h.notices, "reward.posted "+id)
			h.owed = append(h.owed, change)
			h.balance += change
		}
		clock = clock.Add(time.Minute)
		line := fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"core","type":%q,"time":%q,"subject":%q,"data":%s}`, id, kind, clock.Format(time.RFC3339), account, data)
		h.first = append(h.first, line)
		h.lines = append(h.lines, line)
		if draw.IntN(20) == 0 {
			h.lines = append(h.lines, h.first[draw.IntN(len(h.first))])
		}
	}
	return h
}
