package foreign

import (
	"math/rand"
	"sort"
	"testing"
)

// basaltCharged is what handling charges that no goodwill returned have cost.
func basaltCharged(e Engine) (all int64) {
	for _, p := range e.Postings("a") {
		if p.Note == "handling of a return" || p.Note == "goodwill, your complaint about a return" && p.Amount == basaltStornoHandling {
			all -= p.Amount
		}
	}
	return all
}

// Linked returns leave exactly what had been if the returned part had never been bought.
func TestBasaltAsIfNeverBought(t *testing.T) {
	for _, d := range basaltDesigns {
		for seed := range int64(40) {
			redeem := seed%2 == 1 && d.Name != "basalt-lapis" // its expiry goes by what was used
			life := basaltLife(rand.New(rand.NewSource(seed)), basaltUnit(d), true, redeem)
			e, got := basaltPlay(t, d, life, 900)
			_, want := basaltPlay(t, d, basaltNever(life), 900)
			if d.Name == "basalt-storno" {
				if basaltCharged(e) < 0 {
					t.Fatal("more goodwill than charges")
				}
				want -= basaltCharged(e)
			}
			if got != want {
				t.Fatalf("%s, life %d: %d, had it never been bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// Returns that name nothing leave no more; nor does anything that was redeemed between.
func TestBasaltPrudent(t *testing.T) {
	for _, d := range basaltDesigns {
		for seed := range int64(40) {
			redeem := seed%2 == 1 && d.Name != "basalt-lapis"
			life := basaltLife(rand.New(rand.NewSource(seed)), basaltUnit(d), false, redeem)
			e, got := basaltPlay(t, d, life, 900)
			if _, want := basaltPlay(t, d, basaltNever(life), 900); got > want {
				t.Fatalf("%s, life %d: %d, had it never been bought %d", d.Name, seed, got, want)
			}
			if b, _ := e.Balance("a"); b.Redeemable > max(0, b.Balance) {
				t.Fatalf("%s: %d of %d redeemable", d.Name, b.Redeemable, b.Balance)
			}
		}
	}
}

// At no time can more be redeemed than the terms grant, had what is back never been bought.
func TestBasaltRedeemableIsSure(t *testing.T) {
	for _, d := range basaltDesigns {
		for seed := range int64(60) {
			life := basaltLife(rand.New(rand.NewSource(seed)), basaltUnit(d), false, seed%2 == 1)
			day := 100 + int(seed)*10
			var known []basaltStep
			for _, s := range life {
				if s.day <= day {
					known = append(known, s)
				}
			}
			e, _ := basaltPlay(t, d, known, day)
			twin, _ := basaltPlay(t, d, basaltNever(known), day)
			if b, _ := e.Balance("a"); b.Redeemable > max(0, basaltWorth(twin)) {
				t.Fatalf("%s, life %d: redeemable %d, twin's worth %d", d.Name, seed, b.Redeemable, basaltWorth(twin))
			}
		}
	}
}

func basaltWorth(e Engine) int64 {
	d, ok := e.(*basaltDesk)
	if !ok {
		d = e.(basaltPayer).basaltDesk
	}
	return d.accounts["a"].plan.worth(d.accounts["a"], d.now)
}

// Whoever redeems whenever possible has no more of lapis than had the part never been
// bought, and used as eagerly. Without that its expiry differs for good reason.
func TestBasaltLapisUsed(t *testing.T) {
	for seed := range int64(100) {
		life := basaltLife(rand.New(rand.NewSource(seed)), 40, seed%2 == 0, true)
		twin := basaltNever(life)
		for _, s := range life {
			if s.redeem {
				twin = append(twin, s)
			}
		}
		sort.SliceStable(twin, func(i, j int) bool { return twin[i].day < twin[j].day })
		_, got := basaltPlay(t, basaltLapisDesign, life, 900)
		if _, want := basaltPlay(t, basaltLapisDesign, twin, 900); got > want {
			t.Fatalf("life %d: %d, had it never been bought %d", seed, got, want)
		}
	}
}

// The ledgers of a small life, for whoever wants to look (go test -v), and some figures.
func TestBasaltExamples(t *testing.T) {
	for _, d := range basaltDesigns {
		scale := basaltUnit(d) // ¥40 to the euro
		if scale == 100 {
			scale = 1
		}
		e, _ := basaltPlay(t, d, []basaltStep{
			{day: 0, buy: "p", amount: 20000 * scale, category: "GROCERY"},
			{day: 2, buy: "q", amount: 30000 * scale, category: "TRAVEL"},
			{day: 40, redeem: true},
			{day: 50, back: "r", of: "p", amount: 15000 * scale},
			{day: 70, back: "u", amount: 1000 * scale},
		}, 460)
		for _, p := range e.Postings("a") {
			t.Logf("%-18s %s %-9s %7d %s/%s %s", d.Name, p.At.Format("06-01-02"), p.Kind, p.Amount, p.Transaction, p.Refund, p.Note)
		}
	}
}
