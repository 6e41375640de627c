package foreign

import (
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// millEarned plays one of the two worlds and says what all rows but payouts come to.
func millEarned(t *testing.T, d Design, all []millMessage, net bool) int64 {
	t.Helper()
	e := d.New()
	at := func(now time.Time) {
		if err := e.SetClock(now); err != nil {
			t.Fatal(err)
		}
	}
	at(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e.Open("a")
	for _, m := range all {
		at(m.clock)
		switch {
		case !net:
			m.send(e)
			millSound(t, d, e)
		case m.net != nil:
			m.net(e)
		}
	}
	at(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	millSound(t, d, e)
	var sum int64
	for _, row := range e.Postings("a") {
		if row.Kind != Paid {
			sum += row.Amount
		}
	}
	return sum
}

// millSound checks what holds of every design at any time.
func millSound(t *testing.T, d Design, e Engine) {
	t.Helper()
	b, err := e.Balance("a")
	over, _ := e.Redeem(issuer.Redemption{Account: "a", Amount: b.Redeemable + 1})
	none, _ := e.Redeem(issuer.Redemption{Account: "a", Amount: 0})
	if err != nil || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) || over || none {
		t.Fatalf("%s: %+v, drew too much: %v, nothing: %v (%v)", d.Name, b, over, none, err)
	}
	var last time.Time
	for _, row := range e.Postings("a") {
		if row.At.Before(last) || row.Amount == 0 {
			t.Fatalf("%s: row out of order or empty: %+v", d.Name, row)
		}
		last = row.At
	}
}

// TestMillNeverBought: the three sound designs, and the flawed ones where their flaw has
// nothing to bite on, end as if what came back had never been bought.
func TestMillNeverBought(t *testing.T) {
	for _, d := range millDesigns {
		grain, redeem := int64(1), d.Class != "V3(a)"
		if d.Name == "mill-ride" {
			grain = millRideUnit // floors of full units add up
		}
		if d.Name == "mill-diesel" || d.Name == "mill-skyshop" {
			continue // these leak in every history
		}
		for seed := range int64(20) {
			all := millWorld(rand.New(rand.NewSource(seed)), 60000, grain, 0, redeem)
			is, want := millEarned(t, d, all, false), millEarned(t, d, all, true)
			if is != want {
				t.Errorf("%s, seed %d: earned %d, want %d", d.Name, seed, is, want)
			}
		}
	}
}

// TestMillUnnamed: where returns name nothing, the sound designs leave no more than if
// the truth were known; and one that names what never comes is such a return after a while.
func TestMillUnnamed(t *testing.T) {
	for _, d := range millDesigns[:3] {
		for seed := range int64(40) {
			all := millWorld(rand.New(rand.NewSource(seed)), 60000, 1, 40, true)
			if is, want := millEarned(t, d, all, false), millEarned(t, d, all, true); is > want {
				t.Errorf("%s, seed %d: earned %d, truth is %d", d.Name, seed, is, want)
			}
		}
	}
	c := millOpen(t, millDepatoDesign)
	c.buy("vase", "HOME", 10000)
	c.back("misspelt", 10000)
	c.has(300, 300, 0)
	c.on(2026, 3, 1)
	c.has(0, 0, 0)
}

// TestMillDrawnAtOnce: what a sound design lets draw at any moment is covered by what it
// knows then. Nobody who draws all of it and puts the card away owes anything, unless a
// return waits for its purchase.
func TestMillDrawnAtOnce(t *testing.T) {
	for _, d := range millDesigns[:3] {
		for seed := range int64(often(40, 200)) {
			r := rand.New(rand.NewSource(seed))
			all := millWorld(r, 60000, 1, 40, false)
			e := d.New()
			e.SetClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			e.Open("a")
			for _, m := range all[:r.Intn(len(all))] {
				e.SetClock(m.clock)
				m.send(e)
			}
			if len(e.(*millDesk).accounts["a"].waiting) > 0 {
				continue
			}
			b, _ := e.Balance("a")
			e.Redeem(issuer.Redemption{Account: "a", Redemption: "all", Amount: b.Redeemable})
			e.SetClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
			if after, _ := e.Balance("a"); b.Balance >= 0 && after.Balance < 0 {
				t.Errorf("%s, seed %d: drew %d and owes %d", d.Name, seed, b.Redeemable, -after.Balance)
			}
		}
	}
}
