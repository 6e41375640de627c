package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// amberFact is a message of a random history, by the day on which it is delivered.
type amberFact struct {
	day          int
	kind         byte // s, r, c or p
	id, tx       string
	amount, kept int64
	category     string
	late         int // days
}

// amberHistory has purchases with returns in parts, above the price, before clearing, disputes
// after refunds, and redemptions. nameless adds refunds without their purchase; owners are theirs.
func amberHistory(r *rand.Rand, nameless bool) (facts []amberFact, owners map[string]int64) {
	owners = map[string]int64{}
	left := map[string]int64{}
	index := map[string]int{}
	for i := range 60 {
		tx := fmt.Sprint("t", i)
		category := []string{"GROCERY", "FUEL", "AIRLINE", "OTHER"}[r.Intn(4)]
		amount := 1 + r.Int63n(1+[]int64{9_000, 90_000, 900_000}[r.Intn(3)])
		index[tx], left[tx] = len(facts), amount
		day := r.Intn(500)
		facts = append(facts, amberFact{day: day, kind: 's', id: tx, amount: amount, category: category, late: r.Intn(2) * r.Intn(70)})
		for n := range r.Intn(4) {
			back := 1 + r.Int63n(amount+amount/4+1) // now and then above the price
			id := fmt.Sprint("r", i, "-", n)
			kind := byte('r')
			if r.Intn(4) == 0 {
				kind = 'c'
				if r.Intn(2) == 0 {
					back = 0
				}
			}
			when := max(0, day-5+r.Intn(180))
			name := tx
			if nameless && kind == 'r' && r.Intn(2) == 0 {
				name, owners[id] = "", min(back, left[tx])
				back = owners[id]
			}
			if back == 0 && kind == 'r' {
				continue
			}
			facts = append(facts, amberFact{day: when, kind: kind, id: id, tx: name, amount: back})
			if kind == 'c' && back == 0 {
				left[tx] = 0
			}
			left[tx] = max(0, left[tx]-back)
		}
		facts = append(facts, amberFact{day: r.Intn(700), kind: 'p', id: fmt.Sprint("p", i), amount: 1 + r.Int63n(3_000)})
	}
	for tx, kept := range left {
		facts[index[tx]].kept = kept
	}
	return facts, owners
}

// amberRun delivers a history, each message up to twice, or only what of it was kept.
func amberRun(t *testing.T, d Design, facts []amberFact, keptOnly, twice, redeem bool) *amberPlay {
	p := &amberPlay{t: t, e: d.New()}
	start := amberNoon(t, "2026-01-03")
	p.ok(p.e.SetClock(start))
	p.ok(p.e.Open("a"))
	for day := range 760 {
		now := start.Add(time.Duration(day) * 24 * time.Hour)
		if day%7 == 0 || day < 700 && day%3 == 0 { // jumps, but facts come on their day
			p.ok(p.e.SetClock(now))
		}
		for _, f := range facts {
			if f.day != day {
				continue
			}
			p.ok(p.e.SetClock(now))
			for n := range 2 {
				if n == 1 && !twice {
					break
				}
				at := now.Add(-time.Duration(f.late) * 24 * time.Hour)
				switch {
				case f.kind == 's' && keptOnly:
					p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: f.id, Amount: f.kept, Category: f.category, At: at}))
				case f.kind == 's':
					p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: f.id, Amount: f.amount, Category: f.category, At: at}))
				case f.kind == 'r' && !keptOnly:
					p.refund(f.id, f.tx, f.amount)
				case f.kind == 'c' && !keptOnly:
					p.ok(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: f.id, Transaction: f.tx, Amount: f.amount}))
				case f.kind == 'p' && redeem && n == 0:
					free := p.check().Redeemable
					if paid := p.redeem(f.id, f.amount); paid != (f.amount <= free) {
						t.Fatalf("%s: %d of %d: %v", d.Name, f.amount, free, paid)
					}
				}
			}
			p.check()
		}
	}
	last := time.Time{}
	for _, row := range p.e.Postings("a") {
		if row.At.Before(last) {
			t.Fatalf("%s: rows go back in time", d.Name)
		}
		last = row.At
	}
	return p
}
