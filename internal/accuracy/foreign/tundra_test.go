package foreign

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"recoup/internal/issuer"
)

func TestTundraSoundAsIfNeverBought(t *testing.T) {
	for _, d := range tundraSound {
		for seed := range uint64(15) {
			facts, net := tundraHistory(rand.New(rand.NewPCG(seed, 1)), 10)
			got := newTundraPlay(t, d, tundraDay(2025, 1, 1)).run(facts, nil)
			want := newTundraPlay(t, d, tundraDay(2025, 1, 1)).run(facts, net)
			if got != want {
				t.Errorf("%s, seed %d: %d, never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

func TestTundraSoundStraysKeepNothing(t *testing.T) {
	for _, d := range tundraSound {
		for seed := range uint64(25) {
			facts, net := tundraHistory(rand.New(rand.NewPCG(seed, 2)), 8)
			got := newTundraPlay(t, d, tundraDay(2025, 1, 1)).run(facts, nil)
			want := newTundraPlay(t, d, tundraDay(2025, 1, 1)).run(facts, net)
			if got > want {
				t.Errorf("%s, seed %d: %d, never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// Returned within the hour nothing leaks anywhere, so the flaws are what they say.
func TestTundraReturnedAtOnce(t *testing.T) {
	for _, d := range tundraDesigns {
		a, b := newTundraPlay(t, d, tundraDay(2025, 1, 1)), newTundraPlay(t, d, tundraDay(2025, 1, 1))
		r := rand.New(rand.NewPCG(7, 7))
		for i := range 120 {
			at := tundraDay(2025, 1, 2).Add(time.Duration(i) * 61 * time.Hour)
			amount, x := 20_000+r.Int64N(40_000), r.Int64N(20)*1000
			cat, id := tundraCategories[r.IntN(6)], fmt.Sprint(i)
			a.to(at)
			b.to(at)
			a.buy(id, amount, cat, at)
			b.buy(id, amount-x, cat, at)
			if x > 0 {
				a.to(at.Add(time.Hour))
				a.back(id, x, at.Add(time.Hour))
			}
		}
		a.to(tundraDay(2026, 2, 1))
		b.to(tundraDay(2026, 2, 1))
		if diff := a.net() - b.net(); diff > 0 || diff < -200 && d.Name != tundraAlpina.Name { // its cap cuts for good
			t.Errorf("%s: %d more than if never bought", d.Name, diff)
		}
	}
}

func TestTundraRefusals(t *testing.T) {
	for _, d := range tundraDesigns {
		p := newTundraPlay(t, d, tundraDay(2026, 1, 1))
		if p.redeem(0) || p.redeem(-5) || p.redeem(1) {
			t.Error(d.Name, "redeemed what there is not")
		}
		if _, err := p.e.Balance("nobody"); err == nil {
			t.Error(d.Name, "knows nobody")
		}
		if err := p.e.Settle(issuer.Settlement{Account: "nobody", Transaction: "x", Amount: 1}); err == nil {
			t.Error(d.Name, "settles for nobody")
		}
	}
}

// What was due is booked at its own time, however far the clock jumps.
func TestTundraDueTimes(t *testing.T) {
	first := func(p *tundraPlay, d Design, zone *time.Location, day int) {
		p.buy("a", 5000_00, "GROCERY", time.Time{})
		p.to(tundraDay(2027, 6, 1))
		rows := p.e.Postings(tundraMe)
		if last := rows[0].At.In(zone); last.Day() != day || last.Hour() != 0 {
			t.Errorf("%s: booked %v", d.Name, last)
		}
	}
	first(newTundraPlay(t, tundraDagblad, tundraDay(2026, 1, 3)), tundraDagblad, tundraDagbladZone.zone, 4)
	first(newTundraPlay(t, tundraMikan, tundraDay(2026, 1, 3)), tundraMikan, tundraMikanZone.zone, 16)
	first(newTundraPlay(t, tundraMaple, tundraDay(2026, 1, 3)), tundraMaple, tundraMapleZone.zone, 7)
}
