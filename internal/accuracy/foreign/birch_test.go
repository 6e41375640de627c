package foreign

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// birchPlay plays the history by the hour of its messages, three years in all, and returns
// what the customer has at the end. If greedy, all that is redeemable is taken at once.
func birchPlay(t *testing.T, d Design, h birchHistory, greedy bool) int64 {
	t.Helper()
	e := d.New()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.SetClock(birchStart.AddDate(0, -1, 0)))
	must(e.Open("a"))
	moves := birchMoves(h)
	slices.SortStableFunc(moves, func(x, y birchMove) int { return x.at.Compare(y.at) })
	var got int64
	take := func(n int) {
		b, err := e.Balance("a")
		must(err)
		var sum int64
		for _, p := range e.Postings("a") {
			sum += p.Amount
		}
		if sum-got != b.Balance {
			t.Fatalf("%s: rows say %d, the balance is %d", d.Name, sum-got, b.Balance)
		}
		if ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprintf("x%d", n), Amount: b.Redeemable + 1}); ok {
			t.Fatalf("%s: paid more than is redeemable", d.Name)
		}
		if ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprintf("y%d", n), Amount: b.Redeemable}); ok {
			got += b.Redeemable
		} else if b.Redeemable != 0 {
			t.Fatalf("%s: refused %d", d.Name, b.Redeemable)
		}
	}
	for n, m := range moves {
		must(e.SetClock(m.at))
		must(m.do(e))
		if greedy {
			take(n)
		}
	}
	must(e.SetClock(birchStart.AddDate(3, 0, 0)))
	var last time.Time
	for _, p := range e.Postings("a") {
		if p.At.Before(last) || p.Amount == 0 {
			t.Fatalf("%s: row out of order or of nothing: %+v", d.Name, p)
		}
		last = p.At
	}
	b, err := e.Balance("a")
	must(err)
	paid, err := issuer.PaidOut(e, "a")
	must(err)
	return got + paid + b.Balance
}

// Where returns name their purchase, a customer ends up with what he would have had, be he
// greedy or not. (Prices may be exceeded here by several parts together, so programs to
// which an excess is a refund of something unknown may only leave him less.)
func TestBirchAsIfNeverBought(t *testing.T) {
	spills := map[string]bool{"birch-twoledgers": true, "birch-instalments": true}
	for _, d := range birchDesigns {
		for seed := range int64(often(6, 30)) {
			h := birchRandom(rand.New(rand.NewSource(seed)), false)
			within := birchRandom(rand.New(rand.NewSource(seed)), true)
			for i := range within.backs {
				within.backs[i].hidden = false
			}
			for _, greedy := range []bool{false, true} {
				if got, want := birchPlay(t, d, h, greedy), birchPlay(t, d, birchNet(h), false); got > want || got != want && !spills[d.Name] {
					t.Fatalf("%s, seed %d: %d, as if never bought %d", d.Name, seed, got, want)
				}
				if got, want := birchPlay(t, d, within, greedy), birchPlay(t, d, birchNet(within), false); got != want || want <= 0 {
					t.Fatalf("%s, seed %d: %d, as if never bought %d", d.Name, seed, got, want)
				}
			}
		}
	}
}

// Where they do not, he ends up with no more, whatever they were of.
func TestBirchNameless(t *testing.T) {
	for _, d := range birchDesigns {
		for seed := range int64(often(12, 100)) {
			h := birchRandom(rand.New(rand.NewSource(seed)), true)
			if seed%2 == 0 { // few of them: the charge is not bounded by all that was earned
				for i := range h.backs {
					h.backs[i].hidden = i%9 == 4
				}
			}
			got, want := birchPlay(t, d, h, true), birchPlay(t, d, birchNet(h), false)
			if got > want {
				t.Fatalf("%s, seed %d: %d, as if never bought %d", d.Name, seed, got, want)
			}
			if seed < 6 {
				t.Logf("%s, seed %d: %d of %d", d.Name, seed, got, want)
			}
		}
	}
}
