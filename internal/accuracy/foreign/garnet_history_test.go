package foreign

import (
	"fmt"
	"math/rand"
	"testing"

	"recoup/internal/issuer"
)

// garnetMix says what a random history may have.
type garnetMix struct {
	days, gap      int // of the history; from a purchase to its refund at most
	after          int // days to the end of the books
	redeems, loose bool
	early          bool // refunds before their purchase clears
	categories     []string
	step           int64 // amounts are multiples of it
}

var garnetWild = garnetMix{days: 500, gap: 300, after: 100, redeems: true, early: true,
	categories: []string{"DINING", "OTHER", "GROCERY"}, step: 1}

// garnetHistory plays a random history, and the same without what was returned, and
// compares what is kept.
func garnetHistory(t *testing.T, d Design, m garnetMix, seed int64) (with, without int64) {
	r := rand.New(rand.NewSource(seed))
	days := make([][]func(*garnetPlay), m.days+m.gap+m.after+1)
	plain := make([][]func(*garnetPlay), len(days))
	for i := range 60 {
		at := r.Intn(m.days)
		id, category := fmt.Sprint("t", i), m.categories[r.Intn(len(m.categories))]
		amount := (1 + r.Int63n([]int64{3000, 60000, 30000000}[r.Intn(3)])/m.step) * m.step
		late := 0
		if m.early && r.Intn(5) == 0 {
			late = r.Intn(70)
		}
		settle := issuer.Settlement{Account: "c", Transaction: id, Amount: amount, Category: category,
			Merchant: "shop", At: garnetOn(1, 1+at)}
		left := amount
		for part := range r.Intn(4) {
			x := (1 + r.Int63n(amount)/m.step) * m.step
			day := at + r.Intn(m.gap)
			if m.loose && r.Intn(2) == 0 && left > 0 {
				x = min(x, left)
				left -= x
				days[day] = append(days[day], func(g *garnetPlay) { g.refund("", x) })
				continue
			}
			left = max(0, left-x)
			if part == 2 && !m.loose {
				left = 0
				days[day] = append(days[day], func(g *garnetPlay) {
					c := issuer.Chargeback{Account: "c", Chargeback: id, Transaction: id}
					g.check(g.e.Chargeback(c))
					g.check(g.e.Chargeback(c))
				})
				continue
			}
			days[day] = append(days[day], func(g *garnetPlay) { g.refund(id, x) })
		}
		days[at+late] = append(days[at+late], func(g *garnetPlay) {
			g.check(g.e.Settle(settle))
			g.check(g.e.Settle(settle))
		})
		if settle := settle; left > 0 {
			settle.Amount = left
			plain[at+late] = append(plain[at+late], func(g *garnetPlay) { g.check(g.e.Settle(settle)) })
		}
	}
	play := func(days [][]func(*garnetPlay)) int64 {
		g := garnetStart(t, d)
		for day, facts := range days {
			if len(facts) == 0 && day%40 != 0 && day != len(days)-1 {
				continue // the clock may jump
			}
			g.clock(garnetOn(1, 1+day))
			for _, fact := range facts {
				fact(g)
			}
			if b, _ := g.e.Balance("c"); m.redeems && day%3 == 0 && b.Redeemable > 0 {
				g.redeem(b.Redeemable+1, false)
				g.redeem(b.Redeemable, true)
			}
		}
		return g.net()
	}
	return play(days), play(plain)
}

// TestGarnetAsIfNeverBought plays sound designs as they come, and flawed ones where their
// flaw does not show: all end with what was kept.
func TestGarnetAsIfNeverBought(t *testing.T) {
	mixes := []garnetMix{garnetWild, garnetWild, garnetWild, garnetWild, garnetWild, garnetWild, garnetWild, garnetWild}
	mixes[3].gap, mixes[3].early = 20, false
	mixes[4].redeems = false
	mixes[6].categories, mixes[6].step = []string{"OTHER"}, 100
	mixes[7].days, mixes[7].gap, mixes[7].after = 90, 60, 20
	for i, d := range garnetDesigns {
		for seed := range int64(40) {
			if with, without := garnetHistory(t, d, mixes[i], seed); with != without {
				t.Fatalf("%s, seed %d: %d with returns, %d without", d.Name, seed, with, without)
			}
		}
	}
}

// TestGarnetWithoutReceipt: a sound design leaves no more than what was kept has earned,
// when returns do not say what they are of.
func TestGarnetWithoutReceipt(t *testing.T) {
	m := garnetWild
	m.loose = true
	for _, d := range garnetDesigns[:3] {
		for seed := range int64(60) {
			if with, without := garnetHistory(t, d, m, seed); with > without {
				t.Fatalf("%s, seed %d: %d with returns, %d without", d.Name, seed, with, without)
			}
		}
	}
}

// TestGarnetHistoriesLeak: on histories as they come, every flawed design leaks.
func TestGarnetHistoriesLeak(t *testing.T) {
	m := garnetWild
	m.categories = append(m.categories, "ONLINE")
	for _, d := range garnetDesigns[3:] {
		if d.Class == "V3(b)" {
			continue // its books come right in the end
		}
		if d.Name == garnetEvergreenDesign.Name { // it shows in what is neither used nor over
			m.redeems, m.gap, m.after = false, 90, 0
		}
		leaks := 0
		for seed := range int64(40) {
			if with, without := garnetHistory(t, d, m, seed); with > without {
				leaks++
			}
		}
		t.Logf("%s: %d of 40", d.Name, leaks)
		if leaks < 10 {
			t.Errorf("%s leaks in %d of 40 histories", d.Name, leaks)
		}
	}
}
