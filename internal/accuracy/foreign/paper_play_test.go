package foreign

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// paperPlay plays one account of one engine and checks its books at every step.
type paperPlay struct {
	t        *testing.T
	d        Design
	e        Engine
	now      time.Time
	redeemed int64
	n        int
	buys     []*paperFact
	byID     map[string]*paperFact
	early    map[string]int64
	net      int64
}

// paperFact is a purchase as the test knows it, without asking the engine.
type paperFact struct {
	id, merchant, category, mcc string
	amount, back                int64
	at                          time.Time
}

var paperMCC = map[string]string{"GROCERY": "5411", "DINING": "5812", "FUEL": "5541", "TRAVEL": "4511", "ONLINE": "5999", "OTHER": "5311"}

func paperStart(t *testing.T, d Design, start time.Time) *paperPlay {
	p := &paperPlay{t: t, d: d, e: d.New(), now: start, byID: map[string]*paperFact{}, early: map[string]int64{}}
	p.must(p.e.SetClock(start))
	p.must(p.e.Open("a"))
	return p
}

func (p *paperPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %v", p.d.Name, err)
	}
}

func (p *paperPlay) id(s string) string { p.n++; return fmt.Sprintf("%s%d", s, p.n) }

func (p *paperPlay) buy(amount int64, category string) string {
	p.t.Helper()
	id := p.id("t")
	p.settle(id, amount, category, "m-17")
	return id
}

func (p *paperPlay) settle(id string, amount int64, category, merchant string) {
	p.t.Helper()
	p.must(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: merchant, MCC: paperMCC[category], Category: category}))
	if p.byID[id] == nil {
		f := &paperFact{id: id, merchant: merchant, category: category, mcc: paperMCC[category], amount: amount, at: p.now}
		f.back = min(amount, p.early[id])
		p.net += amount
		p.buys, p.byID[id] = append(p.buys, f), f
	}
	p.check()
}

func (p *paperPlay) refund(txn string, amount int64) string {
	p.t.Helper()
	id := p.id("r")
	p.send(id, txn, amount)
	p.net -= amount
	if f := p.byID[txn]; f != nil {
		f.back = min(f.amount, f.back+amount)
	} else {
		p.early[txn] += amount
	}
	return id
}

func (p *paperPlay) send(id, txn string, amount int64) {
	p.t.Helper()
	p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: txn, Amount: amount}))
	p.check()
}

// pass lets days go by, one at a time so that no close is missed.
func (p *paperPlay) pass(days int) {
	p.t.Helper()
	for range days {
		p.now = p.now.AddDate(0, 0, 1)
		p.must(p.e.SetClock(p.now))
		p.must(p.e.CloseStatement("a"))
	}
	p.check()
}

func (p *paperPlay) bal() issuer.Balance {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.must(err)
	return b
}

func (p *paperPlay) paid() int64 {
	n, err := issuer.PaidOut(p.e, "a")
	p.must(err)
	return n
}

func (p *paperPlay) redeemAll() int64 {
	p.t.Helper()
	n := p.bal().Redeemable
	if n == 0 {
		return 0
	}
	r := issuer.Redemption{Account: "a", Redemption: p.id("x"), Amount: n}
	ok, err := p.e.Redeem(r)
	p.must(err)
	if !ok {
		p.t.Fatalf("%s: %d was shown as redeemable and refused", p.d.Name, n)
	}
	p.redeemed += n
	if ok, _ := p.e.Redeem(r); ok {
		p.t.Fatalf("%s: one redemption paid twice", p.d.Name)
	}
	p.check()
	return n
}

func (p *paperPlay) check() {
	p.t.Helper()
	var sum int64
	for _, x := range p.e.Postings("a") {
		sum += x.Amount
	}
	b := p.bal()
	if b.Balance != sum-p.redeemed || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
		p.t.Fatalf("%s: balance %+v, postings %d, redeemed %d", p.d.Name, b, sum, p.redeemed)
	}
}

func (p *paperPlay) total() int64 { return p.bal().Balance + p.redeemed + p.paid() }

func paperNamed(t *testing.T, name string) Design {
	t.Helper()
	for _, d := range paperDesigns {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no design %s", name)
	return Design{}
}

var paperDayOne = time.Date(2025, 1, 2, 12, 0, 0, 0, time.UTC)

// paperOwed is what a sound program owes by its published text for the facts of a play
// (returns that name their purchase), worked out in another way than the engines do.
func paperOwed(name string, p *paperPlay) int64 {
	simple := func(rate map[string]int64, other int64) (sum int64) {
		for _, f := range p.buys {
			r, ok := rate[f.category]
			if !ok {
				r = other
			}
			sum += (f.amount - f.back) * r / 10000
		}
		return sum
	}
	switch name {
	case "paper-journal-by-share":
		var sum int64
		for _, f := range p.buys {
			r := map[string]int64{"GROCERY": 3, "DINING": 2}[f.category]
			sum += f.amount * max(r, 1) / 100 * (f.amount - f.back) / f.amount
		}
		return sum
	case "paper-month-recompute":
		ny, _ := time.LoadLocation("America/New_York")
		net := map[string]map[string]int64{}
		for _, f := range p.buys {
			m := f.at.In(ny).Format("2006-01")
			if net[m] == nil {
				net[m] = map[string]int64{}
			}
			net[m][f.category] += f.amount - f.back
		}
		var sum int64
		for _, by := range net {
			var x int64
			for c, n := range by {
				switch c {
				case "GROCERY":
					x += n + 3*min(n, 80000)
				case "FUEL":
					x += n + 2*min(n, 30000)
				default:
					x += n
				}
			}
			sum += x / 100
		}
		return sum
	case "paper-ripe-after-window":
		return simple(map[string]int64{"ONLINE": 300, "DINING": 200}, 100)
	case "paper-net-tide":
		return max(p.net, 0) * 15 / 1000
	case "paper-reserve-share":
		return simple(map[string]int64{"DINING": 400, "FUEL": 300}, 100)
	case "paper-debt-outlives-account":
		var sum int64
		for _, f := range p.buys {
			d := (f.amount - f.back) / 100
			if f.category == "DINING" || f.category == "TRAVEL" {
				d *= 3
			}
			sum += d
		}
		return sum
	case "paper-cycle-replay":
		la, _ := time.LoadLocation("America/Los_Angeles")
		used := map[string]int64{}
		var sum int64
		for _, f := range p.buys {
			n := f.amount - f.back
			c := f.at.In(la).AddDate(0, 0, -4).Format("2006-01")
			if slices.Contains([]string{"GROCERY", "FUEL", "DINING"}, f.category) {
				h := min(n, 60000-used[c])
				used[c] += h
				sum += (n + 4*h) / 100
			} else {
				sum += n / 100
			}
		}
		return sum
	}
	panic(name)
}
