package foreign

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// orchardFact is a purchase or a return, delivered at when.
type orchardFact struct {
	when, at     time.Time
	id, purchase string // no purchase: this is one, unless ret
	category     string
	amount       int64
	ret, charge  bool
}

var orchardStart = time.Date(2025, 1, 3, 8, 0, 0, 0, time.UTC)

// orchardHistory has purchases and returns that name them: late, early, whole, partial,
// too much, disputes after refunds.
func orchardHistory(r *rand.Rand, n int, scale int64) (facts []orchardFact, left map[string]int64) {
	left = map[string]int64{}
	categories := []string{"DINING", "CONVENIENCE", "TRAVEL", "OTHER"}
	for i := range n {
		p := orchardFact{id: fmt.Sprint("p", i), category: categories[r.Intn(4)], amount: 1 + r.Int63n(scale)}
		p.at = orchardStart.Add(time.Duration(r.Intn(700*24*60)) * time.Minute)
		p.when = p.at.Add(time.Duration(r.Intn(10*24)) * time.Hour)
		facts = append(facts, p)
		left[p.id] = p.amount
		for j := range max(0, r.Intn(5)-2) {
			f := orchardFact{id: fmt.Sprintf("r%d-%d", i, j), purchase: p.id, ret: true, charge: r.Intn(4) == 0, amount: 1 + r.Int63n(p.amount)}
			switch r.Intn(6) {
			case 0:
				f.amount = p.amount
			case 1:
				f.amount = p.amount * 2
			}
			took := f.amount
			if f.charge && r.Intn(2) == 0 {
				f.amount, took = 0, p.amount
			}
			f.at = p.at.Add(time.Duration(r.Intn(120*24)) * time.Hour)
			f.when = f.at.Add(time.Duration(r.Intn(48)) * time.Hour)
			facts = append(facts, f)
			left[p.id] = max(0, left[p.id]-took)
		}
	}
	slices.SortStableFunc(facts, func(a, b orchardFact) int { return a.when.Compare(b.when) })
	return facts, left
}

// orchardGive delivers one fact.
func orchardGive(t *testing.T, e Engine, f orchardFact) {
	t.Helper()
	var err error
	switch {
	case !f.ret:
		err = e.Settle(issuer.Settlement{Account: "a", Transaction: f.id, Amount: f.amount, Category: f.category, At: f.at})
	case f.charge:
		err = e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: f.id, Transaction: f.purchase, Amount: f.amount, At: f.at})
	default:
		err = e.Refund(issuer.Refund{Account: "a", Refund: f.id, Transaction: f.purchase, Amount: f.amount, At: f.at})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// orchardPlay plays facts, each so many times and with redemptions, to well after the last.
func orchardPlay(t *testing.T, d Design, facts []orchardFact, times int, redeem bool) (Engine, int64) {
	t.Helper()
	e := d.New()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.SetClock(orchardStart))
	must(e.Open("a"))
	var redeemed int64
	for i, f := range facts {
		must(e.SetClock(f.when))
		for range times {
			orchardGive(t, e, f)
		}
		if b, err := e.Balance("a"); redeem && err == nil && i%3 == 0 {
			over, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("over", i), Amount: b.Redeemable + 1})
			ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("all", i), Amount: b.Redeemable})
			if over || ok != (b.Redeemable > 0) || b.Redeemable < 0 {
				t.Fatalf("%s: redemption at %+v: %v, %v", d.Name, b, over, ok)
			}
			redeemed += b.Redeemable
		}
	}
	must(e.SetClock(facts[len(facts)-1].when.AddDate(0, 6, 0)))
	sum, last := int64(0), time.Time{}
	for _, row := range e.Postings("a") {
		if row.Amount == 0 || row.At.Before(last) {
			t.Fatalf("%s: row %+v", d.Name, row)
		}
		sum, last = sum+row.Amount, row.At
	}
	if b, err := e.Balance("a"); err != nil || b.Balance != sum-redeemed || b.Redeemable < 0 {
		t.Fatalf("%s: balance %+v of rows %d and redemptions %d", d.Name, b, sum, redeemed)
	}
	return e, sum
}
