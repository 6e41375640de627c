package foreign

import (
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// TestSaffronAsIfNeverBought: in the end a member has exactly what there would be without
// the returned parts where returns name their purchases, and never more where some do not.
func TestSaffronAsIfNeverBought(t *testing.T) {
	end := time.Date(2028, 12, 20, 0, 0, 0, 0, time.UTC)
	for _, d := range saffronDesigns {
		for seed := range int64(40) {
			loose := seed%2 == 1
			moves := saffronHistory(rand.New(rand.NewSource(seed)), loose)
			got := saffronNet(saffronPlay(t, d, moves, end, seed%4 > 1, nil))
			want := saffronNet(saffronPlay(t, d, saffronNever(moves), end, false, nil))
			if got > want || (!loose && got != want) {
				t.Errorf("%s, seed %d: %d, never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestSaffronOnlyWhatIsSure: at no time can be redeemed more than the member would have
// then without what is known to be returned.
func TestSaffronOnlyWhatIsSure(t *testing.T) {
	for _, d := range saffronDesigns {
		for seed := range int64(8) {
			moves := saffronHistory(rand.New(rand.NewSource(seed)), seed%2 == 1)
			some := int64(0)
			saffronPlay(t, d, moves, moves[len(moves)-1].at, true, func(i int, e Engine, redeemed int64) {
				b, _ := e.Balance("a")
				if some += b.Redeemable; i%7 != 0 || b.Redeemable == 0 {
					return
				}
				paid, _ := issuer.PaidOut(e, "a")
				never := saffronNever(moves[:i+1])
				want := saffronNet(saffronPlay(t, d, never, moves[i].at, false, nil))
				if out := b.Redeemable + redeemed + paid; out > want {
					t.Errorf("%s, seed %d, move %d: %d can be out, never bought %d", d.Name, seed, i, out, want)
				}
			})
			if some == 0 && seed%2 == 0 {
				t.Errorf("%s, seed %d: nothing is ever redeemable", d.Name, seed)
			}
		}
	}
}

// TestSaffronBooksAddUp: the rows, less what was redeemed, are the balance, are in the
// order of time however the clock jumps, and are the same each time.
func TestSaffronBooksAddUp(t *testing.T) {
	end := time.Date(2028, 12, 20, 0, 0, 0, 0, time.UTC)
	for _, d := range saffronDesigns {
		moves := saffronHistory(rand.New(rand.NewSource(99)), true)
		e, redeemed := saffronPlay(t, d, moves, end, true, nil)
		again, _ := saffronPlay(t, d, moves, end, true, nil)
		rows, others := e.Postings("a"), again.Postings("a")
		sum, last := -redeemed, time.Time{}
		for i, p := range rows {
			if p.At.Before(last) || p.Amount == 0 || p != others[i] {
				t.Errorf("%s: row %d: %+v", d.Name, i, p)
			}
			if (p.Kind == Earned) != (p.Amount > 0) && p.Kind != Adjusted {
				t.Errorf("%s: row %d has the wrong sign: %+v", d.Name, i, p)
			}
			sum, last = sum+p.Amount, p.At
		}
		if b, _ := e.Balance("a"); b.Balance != sum {
			t.Errorf("%s: balance %d, rows %d", d.Name, b.Balance, sum)
		}
	}
}

// TestSaffronNamelessMessages: what has no name of its own still counts as a return.
func TestSaffronNamelessMessages(t *testing.T) {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for _, d := range saffronDesigns {
		e, _ := saffronPlay(t, d, []saffronMove{
			{at: start, settle: &issuer.Settlement{Account: "a", Transaction: "t", Amount: 90000, Category: "OTHER"}},
			{at: start, refund: &issuer.Refund{Account: "a", Transaction: "t", Amount: 30000}},
			{at: start, refund: &issuer.Refund{Account: "a", Amount: 30000}},
			{at: start, charge: &issuer.Chargeback{Account: "a"}},
		}, start.AddDate(2, 0, 0), false, nil)
		if net := saffronNet(e, 0); net != 0 {
			t.Errorf("%s: %d of nothing kept", d.Name, net)
		}
	}
}
