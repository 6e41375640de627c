package foreign

import (
	"testing"

	"recoup/internal/issuer"
)

// TestKiteAsIfNeverBought: where refunds name their purchase, the customer ends up with
// exactly what the kept parts alone would have brought, the same being redeemed: what is
// used does not expire.
func TestKiteAsIfNeverBought(t *testing.T) {
	for _, d := range kiteDesigns {
		for seed := range int64(12) {
			steps, kept := kiteHistory(seed, false)
			got, draws := kitePlay(t, d, steps)
			want, _ := kitePlay(t, d, append(kept, draws...))
			if got != want || want <= 0 {
				t.Errorf("%s, seed %d: ends with %d, never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestKiteLoose: a refund that names no purchase never leaves more than that.
func TestKiteLoose(t *testing.T) {
	for _, d := range kiteDesigns {
		for seed := range int64(12) {
			steps, kept := kiteHistory(seed, true)
			got, draws := kitePlay(t, d, steps)
			want, _ := kitePlay(t, d, append(kept, draws...))
			if got > want {
				t.Errorf("%s, seed %d: ends with %d, never bought %d", d.Name, seed, got, want)
			}
			t.Logf("%s: %d of %d", d.Name, got, want)
		}
	}
}

// TestKiteMatched: a refund that is recognised later costs what it should and no more, and
// nothing that it may have cost can be redeemed before.
func TestKiteMatched(t *testing.T) {
	for _, d := range kiteDesigns {
		e := d.New()
		day := func(n int) {
			if err := e.SetClock(kiteStart.AddDate(0, 0, n)); err != nil {
				t.Fatal(err)
			}
		}
		day(0)
		_ = e.Open("a")
		for id, category := range map[string]string{"f": "FUEL", "g": "GROCERY", "o": "ONLINE"} {
			_ = e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: 40000, Category: category})
		}
		day(120)
		before, _ := e.Balance("a")
		_ = e.Refund(issuer.Refund{Account: "a", Refund: "r", Amount: 40000})
		held, _ := e.Balance("a")
		day(150)
		later, _ := e.Balance("a")
		_ = e.Refund(issuer.Refund{Account: "a", Refund: "r", Amount: 40000, Transaction: "f"})
		day(240)
		after, _ := e.Balance("a")
		if d.Name != "kite-larder" && held.Redeemable >= before.Redeemable {
			t.Errorf("%s: %d redeemable, %d with an unknown refund", d.Name, before.Redeemable, held.Redeemable)
		}
		if later.Balance > after.Balance || after.Balance > before.Balance {
			t.Errorf("%s: %d, unknown refund %d, matched %d", d.Name, before.Balance, later.Balance, after.Balance)
		}
		t.Logf("%s: %d, %d, %d", d.Name, before.Balance, later.Balance, after.Balance)
	}
}
