package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// paperDips are ways to come out ahead, by the design that each works with. Every play
// ends with nothing more to redeem.
var paperDips = []struct {
	name  string
	ahead int64 // what the customer has got above what the net purchases earn
	debt  int64 // what the program claims back and does not get
	play  func(p *paperPlay)
}{
	{"paper-debit-deaf", 5000, 0, func(p *paperPlay) {
		id := p.buy(100000, "GROCERY")
		p.redeemAll()
		p.pass(2)
		p.refund(id, 100000)
	}},
	{"paper-closed-books", 3000, 0, func(p *paperPlay) {
		id := p.buy(100000, "GROCERY")
		p.pass(12) // the close of the 12th
		p.redeemAll()
		p.refund(id, 100000)
	}},
	{"paper-ninety-day-table", 6000, 0, func(p *paperPlay) {
		id := p.buy(200000, "TRAVEL")
		p.redeemAll()
		p.pass(91)
		p.refund(id, 200000)
	}},
	{"paper-night-file-floor", 2000, 0, func(p *paperPlay) {
		id := p.buy(40000, "ONLINE")
		p.pass(1)
		p.redeemAll()
		p.refund(id, 40000)
		p.pass(1)
	}},
	{"paper-spent-lots", 2000, 0, func(p *paperPlay) {
		id := p.buy(100000, "GROCERY")
		p.redeemAll()
		p.buy(10000, "GROCERY")
		p.refund(id, 100000)
	}},
	{"paper-float-to-statement", 3000, 3000, func(p *paperPlay) {
		id := p.buy(100000, "TRAVEL")
		p.refund(id, 100000)
		p.redeemAll()
	}},
	{"paper-slow-takeback", 3000, 0, func(p *paperPlay) {
		id := p.buy(60000, "FUEL")
		p.refund(id, 60000)
		p.redeemAll()
		if c, ok := p.e.(issuer.Closer); ok {
			done, err := c.CloseAccount("a")
			p.must(err)
			if !done && p.bal().Balance >= 0 {
				p.t.Fatalf("%s: did not close", p.d.Name)
			}
			p.check()
		}
	}},
	{"paper-guard-rejects", 2495, 0, func(p *paperPlay) {
		id := p.buy(50000, "GROCERY")
		p.redeemAll()
		p.refund(id, 100)
		p.refund(id, 50000)
		p.buy(500, "OTHER") // earns the five cents that are owed
	}},
	{"paper-cap-refill", 3000, 0, func(p *paperPlay) {
		p.buy(50000, "ONLINE")
		id := p.buy(50000, "ONLINE")
		p.refund(id, 50000)
		p.buy(50000, "ONLINE")
		p.redeemAll()
	}},
}

func TestPaperDips(t *testing.T) {
	// What the designs' published texts grant for the purchases that are kept.
	due := map[string]int64{"paper-spent-lots": 200, "paper-guard-rejects": 5, "paper-cap-refill": 3000}
	for _, dip := range paperDips {
		p := paperStart(t, paperNamed(t, dip.name), paperDayOne)
		dip.play(p)
		p.pass(70)
		if dip.name == "paper-spent-lots" {
			p.redeemAll()
		}
		if got := p.redeemed + p.paid() - due[dip.name]; got != dip.ahead {
			t.Errorf("%s: ahead by %d, not %d", dip.name, got, dip.ahead)
		}
		if b := p.bal().Balance; b != -dip.debt {
			t.Errorf("%s: balance %d, not %d", dip.name, b, -dip.debt)
		}
		for _, d := range paperDesigns {
			if d.Class != "robust" {
				continue
			}
			q := paperStart(t, d, paperDayOne)
			dip.play(q)
			q.pass(130)
			got, owed := q.total(), paperOwed(d.Name, q)
			if dip.name == "paper-guard-rejects" && got >= 0 && got < owed {
				got = owed // what was refunded above the purchase counts against the next one
			}
			if got != owed {
				t.Errorf("%s on %s: has %d, is owed %d", dip.name, d.Name, got, owed)
			}
		}
	}
}

// TestPaperPlain plays one purchase on every design: kept, returned whole, and in parts.
func TestPaperPlain(t *testing.T) {
	earns := map[string]int64{ // $300.00 in DINING in February
		"paper-journal-by-share": 600, "paper-month-recompute": 300, "paper-ripe-after-window": 600, "paper-net-tide": 450,
		"paper-reserve-share": 1200, "paper-debt-outlives-account": 900, "paper-cycle-replay": 1500, "paper-debit-deaf": 1500,
		"paper-closed-books": 300, "paper-ninety-day-table": 1200, "paper-night-file-floor": 300, "paper-spent-lots": 300,
		"paper-float-to-statement": 600, "paper-slow-takeback": 300, "paper-guard-rejects": 900, "paper-cap-refill": 300,
	}
	feb := time.Date(2025, 2, 6, 9, 0, 0, 0, time.UTC)
	for _, d := range paperDesigns {
		want, ok := earns[d.Name]
		if !ok {
			t.Fatalf("%s: not here", d.Name)
		}
		deaf := d.Class == "V1"
		p := paperStart(t, d, feb)
		p.buy(30000, "DINING")
		p.pass(70)
		if got := p.total(); got != want {
			t.Errorf("%s: earned %d, not %d", d.Name, got, want)
		}
		for _, parts := range [][]int64{{30000}, {10000, 10000, 10000}, {1, 9999, 20000}} {
			p := paperStart(t, d, feb)
			id := p.buy(30000, "DINING")
			for _, n := range parts {
				p.refund(id, n)
			}
			p.send(p.id("r"), id, 0)
			p.send(p.id("r"), id, -500)
			p.settle(id, 30000, "DINING", "m-17") // once more
			p.pass(70)
			if got := p.total(); got != 0 && !deaf {
				t.Errorf("%s: %v returned, %d kept", d.Name, parts, got)
			}
		}
		// In parts, with a third kept; the second part is sent twice.
		p = paperStart(t, d, feb)
		id := p.buy(30000, "DINING")
		p.refund(id, 10000)
		r := p.refund(id, 10000)
		p.send(r, id, 10000)
		p.pass(70)
		if got := p.total(); got != want/3 && !deaf {
			t.Errorf("%s: a third kept, has %d, not %d", d.Name, got, want/3)
		}
		// Before its purchase, and without a name.
		p = paperStart(t, d, feb)
		p.refund("late", 30000)
		p.settle("late", 30000, "DINING", "m-17")
		if d.Class == "V3(b)" {
			p.pass(31)
		}
		p.buy(30000, "DINING")
		p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: "nameless", Amount: 30000, Merchant: "m-17"}))
		p.pass(70)
		if got := p.total(); got > 0 && !deaf {
			t.Errorf("%s: all returned, early and nameless, %d kept", d.Name, got)
		}
		// A dispute of all, and of all of a purchase to come.
		p = paperStart(t, d, feb)
		id = p.buy(30000, "DINING")
		p.refund(id, 10000)
		p.must(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c", Transaction: id}))
		p.must(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c2", Transaction: "to come"}))
		p.settle("to come", 5000, "OTHER", "m-2")
		p.pass(70)
		if got := p.total(); got != 0 && !deaf {
			t.Errorf("%s: disputed, %d kept", d.Name, got)
		}
	}
}

// TestPaperLate returns after redeeming, in a later cycle: what stays is a debt where the
// design is sound, and it is paid by what is earned next.
func TestPaperLate(t *testing.T) {
	for _, d := range paperDesigns {
		if d.Class != "robust" {
			continue
		}
		p := paperStart(t, d, paperDayOne)
		id := p.buy(100000, "GROCERY")
		p.pass(75)
		got := p.redeemAll()
		if got != paperOwed(d.Name, p) || got == 0 {
			t.Errorf("%s: redeemed %d of %d", d.Name, got, paperOwed(d.Name, p))
		}
		p.refund(id, 40000)
		if r := p.bal().Redeemable; r != 0 {
			t.Errorf("%s: %d redeemable after the return", d.Name, r)
		}
		p.pass(40)
		p.refund(id, 60000)
		p.pass(40)
		if b := p.bal(); b.Balance != -got || b.Redeemable != 0 {
			t.Errorf("%s: %+v, not a debt of %d", d.Name, b, got)
		}
		p.buy(100000, "GROCERY")
		p.pass(75)
		if b := p.bal(); b.Balance != 0 {
			t.Errorf("%s: %+v after the debt was earned", d.Name, b)
		}
	}
	// The age of the return, on both sides of the ninety days.
	p := paperStart(t, paperNamed(t, "paper-ninety-day-table"), paperDayOne)
	id := p.buy(200000, "TRAVEL")
	p.redeemAll()
	p.pass(89)
	p.refund(id, 200000)
	if b := p.bal().Balance; b != -6000 {
		t.Errorf("day 89: %d", b)
	}
	// Both halves of the refilled cap: by a purchase of an earlier month, too.
	p = paperStart(t, paperNamed(t, "paper-cap-refill"), paperDayOne)
	id = p.buy(50000, "ONLINE")
	p.pass(35)
	p.buy(50000, "ONLINE")
	p.refund(id, 50000)
	p.buy(50000, "ONLINE")
	if b := p.total(); b != 6000 {
		t.Errorf("refill by an earlier month: %d", b)
	}
}

// TestPaperRobust plays long mixed sequences on the sound designs: at every redemption
// and at the end nobody has more than the published text owes, and at the end not less.
func TestPaperRobust(t *testing.T) {
	cats := []string{"GROCERY", "DINING", "FUEL", "TRAVEL", "ONLINE", "OTHER"}
	for _, d := range paperDesigns {
		if d.Class != "robust" {
			continue
		}
		for seed := uint64(1); seed <= 40; seed++ {
			x := seed * 7919
			rnd := func(n int) int { x = x*6364136223846793005 + 1442695040888963407; return int(x>>33) % n }
			honest := seed%4 == 0
			p := paperStart(t, d, paperDayOne)
			var refunds [][2]any
			for range 250 {
				switch k := rnd(10); {
				case k < 4:
					p.settle(p.id("t"), int64(1+rnd(1<<(3+rnd(16)))), cats[rnd(6)], fmt.Sprintf("m-%d", rnd(4)))
				case k < 7 && !honest && len(p.buys) > 0:
					f := p.buys[rnd(len(p.buys))]
					left := f.amount - f.back
					if left == 0 {
						continue
					}
					n := left
					if rnd(2) == 0 {
						n = int64(1 + rnd(int(left)))
					}
					refunds = append(refunds, [2]any{p.refund(f.id, n), f.id})
				case k == 7 && len(refunds) > 0:
					r := refunds[rnd(len(refunds))]
					p.send(r[0].(string), r[1].(string), 77777) // again, and with another amount
				case k == 8:
					if p.redeemAll() > 0 && p.redeemed > paperOwed(d.Name, p) {
						t.Fatalf("%s seed %d: redeemed %d of %d", d.Name, seed, p.redeemed, paperOwed(d.Name, p))
					}
				case k == 9:
					p.pass(rnd(25))
				}
			}
			p.pass(100)
			if got, owed := p.total(), paperOwed(d.Name, p); got != owed {
				t.Fatalf("%s seed %d: has %d, is owed %d", d.Name, seed, got, owed)
			}
			// Everything goes back: half of it without a name, and some twice over.
			for i, f := range p.buys {
				left := f.amount - f.back
				switch {
				case left == 0:
				case i%2 == 0:
					p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: p.id("n"), Amount: left, Merchant: f.merchant, Category: []string{f.category, "", "OTHER"}[i%3]}))
				default:
					p.refund(f.id, left+int64(i%5))
				}
			}
			p.pass(100)
			if got := p.total(); got > 0 {
				t.Fatalf("%s seed %d: all returned and %d kept", d.Name, seed, got)
			}
		}
	}
}
