package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// amberPlay drives one account of a design.
type amberPlay struct {
	t   *testing.T
	e   Engine
	out int64 // redemptions accepted
}

func amberStart(t *testing.T, d Design, day string) *amberPlay {
	p := &amberPlay{t: t, e: d.New()}
	p.on(day)
	p.ok(p.e.Open("a"))
	return p
}

func (p *amberPlay) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// on moves the clock to noon UTC of a day.
func (p *amberPlay) on(day string) { p.t.Helper(); p.ok(p.e.SetClock(amberNoon(p.t, day))) }

func amberNoon(t *testing.T, day string) time.Time {
	at, err := time.Parse("2006-01-02", day)
	if err != nil {
		t.Fatal(err)
	}
	return at.Add(12 * time.Hour)
}

func (p *amberPlay) buy(tx string, amount int64, category string) {
	p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: tx, Amount: amount, Category: category}))
}

func (p *amberPlay) refund(id, tx string, amount int64) {
	p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: tx, Amount: amount}))
}

func (p *amberPlay) redeem(id string, amount int64) bool {
	paid, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: amount})
	p.ok(err)
	if paid {
		p.out += amount
	}
	return paid
}

// want checks the balance, and that the books bear it out.
func (p *amberPlay) want(balance int64) {
	p.t.Helper()
	if got := p.check().Balance; got != balance {
		p.t.Fatalf("balance %d, want %d\n%v", got, balance, p.e.Postings("a"))
	}
}

func (p *amberPlay) check() issuer.Balance {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.ok(err)
	sum := -p.out
	for _, row := range p.e.Postings("a") {
		sum += row.Amount
	}
	if sum != b.Balance || b.Redeemable < 0 {
		p.t.Fatalf("rows less redemptions %d, %+v", sum, b)
	}
	return b
}

// net is all that the customer has had or still has.
func (p *amberPlay) net() int64 {
	p.t.Helper()
	paid, err := issuer.PaidOut(p.e, "a")
	p.ok(err)
	return p.check().Balance + p.out + paid
}

// amberByName finds a design.
func amberByName(t *testing.T, name string) Design {
	for _, d := range amberDesigns {
		if d.Name == name {
			return d
		}
	}
	t.Fatal("no design " + name)
	return Design{}
}

func TestAmberDesigns(t *testing.T) {
	classes := map[string]int{}
	for _, d := range amberDesigns {
		classes[d.Class]++
		if (d.Class == "robust") != (d.Leak == "") || d.Published == "" || d.How == "" || d.Source == "" {
			t.Error(d.Name)
		}
	}
	if fmt.Sprint(classes) != "map[V2:1 V3(a):1 V3(b):1 other:2 robust:3]" {
		t.Error(classes)
	}
}

// TestAmberSound: returns that name their purchase leave what the kept parts alone earn. The
// flawed designs do so as well where their flaw is not touched.
func TestAmberSound(t *testing.T) {
	for seed := range int64(25) {
		facts, _ := amberHistory(rand.New(rand.NewSource(seed)), false)
		for _, d := range amberDesigns {
			if d.Class == "V2" || d.Class == "other" {
				continue
			}
			redeem := d.Class != "V3(a)" // its floor is touched by nothing else
			got := amberRun(t, d, facts, false, true, redeem).net()
			want := amberRun(t, d, facts, true, false, redeem).net()
			if got != want {
				t.Errorf("%s, seed %d: %d, want %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestAmberNameless: refunds without their purchase leave no more than their true owners would.
func TestAmberNameless(t *testing.T) {
	for seed := range int64(25) {
		facts, _ := amberHistory(rand.New(rand.NewSource(seed)), true)
		for _, d := range amberDesigns {
			if d.Class == "V2" || d.Class == "other" {
				continue
			}
			redeem := d.Class != "V3(a)"
			got := amberRun(t, d, facts, false, true, redeem).net()
			if want := amberRun(t, d, facts, true, false, redeem).net(); got > want {
				t.Errorf("%s, seed %d: %d, at most %d", d.Name, seed, got, want)
			}
		}
	}
}
