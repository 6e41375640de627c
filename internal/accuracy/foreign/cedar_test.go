package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// TestCedarNeverBought: with named refunds all ends exactly as if what came back had never
// been bought; without names never with more. And at no time can more be redeemed.
func TestCedarNeverBought(t *testing.T) {
	for _, d := range cedarDesigns {
		exact := 0
		for seed := range int64(often(60, 400)) {
			loose := seed%2 == 1
			h := cedarRandom(rand.New(rand.NewSource(seed)), loose)
			n := len(h.facts)
			end := h.facts[n-1].deliver.AddDate(0, 8, int(seed))
			real, uses := cedarPlay(t, d, h, n, end)
			got, want := cedarNet(t, real), cedarNet(t, cedarNever(t, d, h, n, end, uses))
			if got > want || h.exact() && got != want {
				t.Fatalf("%s, %d: ends with %d, never bought %d", d.Name, seed, got, want)
			}
			if h.exact() {
				exact++
			}
			if seed >= int64(often(4, 24)) {
				continue
			}
			for n := 1; n < len(h.facts); n++ {
				at := h.facts[n].deliver
				real, uses := cedarPlay(t, d, h, n, at)
				never := cedarNever(t, d, h, n, at, uses)
				if got, most := cedarBalance(t, real).Redeemable, max(0, cedarBalance(t, never).Balance); got > most {
					t.Fatalf("%s, %d after %d: can redeem %d, never bought %d", d.Name, seed, n, got, most)
				}
			}
		}
		if exact < often(4, 40) {
			t.Errorf("%s: only %d histories name all that came back", d.Name, exact)
		}
	}
}

// TestCedarRows: rows add up to the balance, are in the order of time, and are the same
// whether the clock goes by days or by years.
func TestCedarRows(t *testing.T) {
	for _, d := range cedarDesigns {
		for seed := range int64(20) {
			h := cedarRandom(rand.New(rand.NewSource(seed)), true)
			n := len(h.facts)
			end := h.facts[n-1].deliver.AddDate(2, 0, 0)
			once, uses := cedarPlay(t, d, h, n, end)
			slow, _ := cedarPlay(t, d, h, n, h.facts[n-1].deliver)
			for at := h.facts[n-1].deliver; at.Before(end); at = at.Add(17 * time.Hour) {
				cedarDo(t, slow.SetClock(at))
			}
			cedarDo(t, slow.SetClock(end))
			a, b := once.Postings(cedarName), slow.Postings(cedarName)
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%s, %d: rows depend on the clock's steps", d.Name, seed)
			}
			var sum int64
			for i, p := range a {
				sum += p.Amount
				if p.Amount == 0 || i > 0 && p.At.Before(a[i-1].At) {
					t.Fatalf("%s, %d: row %v", d.Name, seed, p)
				}
			}
			for _, u := range uses {
				sum -= u.amount
			}
			if got := cedarBalance(t, once); got.Balance != sum || got.Redeemable < 0 {
				t.Fatalf("%s, %d: balance %v, rows %d", d.Name, seed, got, sum)
			}
		}
	}
}

// TestCedarCheques: a cheque never pays, by what is known on its day, what would not be
// there if what had come back by then had never been bought.
func TestCedarCheques(t *testing.T) {
	cheques := 0
	for seed := range int64(80) {
		h := cedarRandom(rand.New(rand.NewSource(seed)), seed%2 == 1)
		whole, _ := cedarPlay(t, cedarCheque, h, len(h.facts), h.facts[len(h.facts)-1].deliver.AddDate(1, 0, 0))
		for _, row := range whole.Postings(cedarName) {
			if row.Kind != Paid {
				continue
			}
			cheques++
			n := 0
			for n < len(h.facts) && h.facts[n].deliver.Before(row.At) {
				n++
			}
			real, _ := cedarPlay(t, cedarCheque, h, n, row.At)
			paid, _ := real.(issuer.Payer).PaidOut(cedarName)
			if net := cedarNet(t, cedarNever(t, cedarCheque, h, n, row.At, nil)); paid > net {
				t.Fatalf("%d at %v: paid %d, never bought %d", seed, row.At, paid, net)
			}
		}
	}
	if cheques < 50 {
		t.Fatalf("only %d cheques", cheques)
	}
}
