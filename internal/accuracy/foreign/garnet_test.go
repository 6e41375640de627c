package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// garnetPlay is an engine with one account, "c", opened on 1 January 2026.
type garnetPlay struct {
	t *testing.T
	e Engine
	n int // of refunds and redemptions

	redeemed int64
}

func garnetStart(t *testing.T, d Design) *garnetPlay {
	g := &garnetPlay{t: t, e: d.New()}
	g.clock(garnetOn(1, 1))
	g.check(g.e.Open("c"))
	return g
}

// garnetOn is noon UTC of a day of 2026 (months beyond 12 are of the years after).
func garnetOn(month, day int) time.Time {
	return time.Date(2026, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

func (g *garnetPlay) check(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *garnetPlay) clock(at time.Time) { g.t.Helper(); g.check(g.e.SetClock(at)) }

func (g *garnetPlay) buy(id string, amount int64, category string) {
	g.t.Helper()
	g.check(g.e.Settle(issuer.Settlement{
		Account: "c", Transaction: id, Amount: amount, Category: category, Merchant: "shop",
	}))
}

func (g *garnetPlay) refund(transaction string, amount int64) {
	g.t.Helper()
	g.n++
	r := issuer.Refund{
		Account: "c", Refund: fmt.Sprint("r", g.n), Transaction: transaction, Amount: amount, Merchant: "shop",
	}
	g.check(g.e.Refund(r))
	g.check(g.e.Refund(r)) // messages come twice
}

func (g *garnetPlay) redeem(amount int64, want bool) {
	g.t.Helper()
	g.n++
	ok, err := g.e.Redeem(issuer.Redemption{Account: "c", Redemption: fmt.Sprint("p", g.n), Amount: amount})
	g.check(err)
	if ok != want {
		g.t.Fatalf("redemption of %d: %v", amount, ok)
	}
	if ok {
		g.redeemed += amount
	}
}

// balance checks the balance.
func (g *garnetPlay) balance(want int64) {
	g.t.Helper()
	b, err := g.e.Balance("c")
	g.check(err)
	if b.Balance != want {
		g.t.Fatalf("balance %d, not %d: %v", b.Balance, want, g.e.Postings("c"))
	}
}

// net is all that the customer has and had, at the end of the books.
func (g *garnetPlay) net() int64 {
	g.t.Helper()
	var sum, paid int64
	book := g.e.Postings("c")
	for i, p := range book {
		sum += p.Amount
		if p.Kind == Paid {
			paid -= p.Amount
		}
		if p.Amount == 0 || i > 0 && p.At.Before(book[i-1].At) {
			g.t.Fatalf("row %d: %+v", i, p)
		}
	}
	b, err := g.e.Balance("c")
	g.check(err)
	byItself, err := issuer.PaidOut(g.e, "c")
	g.check(err)
	if b.Balance != sum-g.redeemed || byItself != paid {
		g.t.Fatalf("books say %d and %d paid, not %d, %d", sum-g.redeemed, paid, b.Balance, byItself)
	}
	return sum + paid
}
