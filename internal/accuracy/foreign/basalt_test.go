package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

var basaltStart = time.Date(2025, 1, 7, 9, 0, 0, 0, time.UTC)

// basaltStep is something that happens on a day.
type basaltStep struct {
	day       int
	buy, back string // a purchase's name, a return's
	of        string // the purchase that the return names; empty: of none
	amount    int64
	category  string
	late      int // days between the purchase and its clearing
	dispute   bool
	really    string // the purchase that came back, for whoever knows
	redeem    bool
}

// basaltPlay plays steps, in order of days, up to an end; every fact is delivered
// twice. It returns the engine and what the customer has, paid out or not.
func basaltPlay(t *testing.T, d Design, steps []basaltStep, end int) (Engine, int64) {
	t.Helper()
	e, out := d.New(), int64(0)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(e.SetClock(basaltStart))
	check(e.Open("a"))
	for i, s := range steps {
		now := basaltStart.Add(time.Duration(s.day) * basaltDays)
		check(e.SetClock(now))
		for range 2 {
			switch {
			case s.redeem:
				b, _ := e.Balance("a")
				if ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: "over", Amount: b.Redeemable + 1}); ok {
					t.Fatalf("%s: paid more than redeemable", d.Name)
				}
				ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("r", i), Amount: b.Redeemable})
				check(err)
				if ok && b.Redeemable > 0 {
					out += b.Redeemable
				}
			case s.buy != "":
				check(e.Settle(issuer.Settlement{Account: "a", Transaction: s.buy, Amount: s.amount, Category: s.category,
					At: now.Add(-time.Duration(s.late) * basaltDays)}))
			case s.dispute:
				check(e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: s.back, Transaction: s.of, Amount: s.amount}))
			default:
				check(e.Refund(issuer.Refund{Account: "a", Refund: s.back, Transaction: s.of, Amount: s.amount}))
			}
			if s.redeem {
				break
			}
		}
	}
	check(e.SetClock(basaltStart.Add(time.Duration(end) * basaltDays)))
	b, err := e.Balance("a")
	check(err)
	sum := -out
	for _, p := range e.Postings("a") {
		sum += p.Amount
	}
	if sum != b.Balance || b.Redeemable < 0 {
		t.Fatalf("%s: balance %d, rows less redemptions %d, redeemable %d", d.Name, b.Balance, sum, b.Redeemable)
	}
	paid, err := issuer.PaidOut(e, "a")
	check(err)
	return e, b.Balance + out + paid
}

// basaltNever is the same life without what came back and without redemptions.
func basaltNever(steps []basaltStep) []basaltStep {
	back := map[string]int64{}
	for _, s := range steps {
		if s.back != "" {
			if s.amount == 0 {
				s.amount = 1 << 40
			}
			back[s.really] += s.amount
		}
	}
	var kept []basaltStep
	for _, s := range steps {
		if s.amount -= back[s.buy]; s.buy != "" && s.amount > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

// basaltLife is a random life of some two years. Returns name their purchase, or not.
func basaltLife(r *rand.Rand, unit int64, linked, redeem bool) []basaltStep {
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	byDay := make([][]basaltStep, 760)
	add := func(s basaltStep) { byDay[s.day] = append(byDay[s.day], s) }
	active := 0
	for i := range 20 + r.Intn(120) {
		if i%20 == 0 {
			active = r.Intn(600)
		}
		name, day := fmt.Sprint("p", i), active+r.Intn(60)
		amount := (1 + r.Int63n(60000)) * unit / 100
		late := r.Intn(12)
		add(basaltStep{day: day + late, buy: name, amount: amount + 1, category: categories[r.Intn(6)], late: late})
		for j := range max(0, r.Intn(5)-2) {
			s := basaltStep{day: day + r.Intn(90), back: fmt.Sprint(name, "-", j), of: name, really: name,
				amount: 1 + r.Int63n(amount+amount/3+1), dispute: r.Intn(5) == 0}
			if s.dispute && r.Intn(2) == 0 {
				s.amount = 0
			} else if !linked && r.Intn(2) == 0 {
				s.of = ""
			}
			add(s)
		}
	}
	var all []basaltStep
	for day, steps := range byDay {
		all = append(all, steps...)
		if redeem && r.Intn(6) == 0 {
			all = append(all, basaltStep{day: day, redeem: true})
		}
	}
	return all
}

func basaltUnit(d Design) int64 {
	if d.Currency == "JPY" {
		return 40
	}
	return 100
}
