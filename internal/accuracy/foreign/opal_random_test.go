package foreign

import (
	"math/rand"
	"reflect"
	"testing"
)

// opalBig is the greatest purchase of a random history, by currency.
var opalBig = map[string]int64{"JPY": 40000, "CHF": 60000, "AUD": 40000, "GBP": 80000, "KWD": 150000, "BRL": 120000, "USD": 40000, "KRW": 300000}

// TestOpalAsIfNeverBought compares with a history without the returned parts: of sound
// designs always, of flawed ones while what they do wrong is not touched.
func TestOpalAsIfNeverBought(t *testing.T) {
	filters := map[string]func(*opalPlan, *opalReturn) bool{
		// V2: what is returned before the year is sealed.
		"opal-crown": func(p *opalPlan, b *opalReturn) bool {
			return p.buys[b.buy].At.Year() == opalZero.AddDate(0, 0, b.day).Year()
		},
		// Rebooking: what is returned in full, at once.
		"opal-hanbok": func(p *opalPlan, b *opalReturn) bool {
			b.amount = p.buys[b.buy].Amount
			return true
		},
		// Quarters: what is returned in the quarter of the purchase.
		"opal-harvest": func(p *opalPlan, b *opalReturn) bool {
			return opalQuarter(p.buys[b.buy].At, opalNewYork) == opalQuarter(opalZero.AddDate(0, 0, b.day), opalNewYork)
		},
	}
	for _, d := range opalDesigns {
		for seed := range int64(40) {
			p := opalRandom(rand.New(rand.NewSource(seed)), opalBig[d.Currency], true, d.Class != "V3(a)", filters[d.Name])
			left := p.left()
			got, want := p.play(t, d, p.gross(), true, false).net(), p.play(t, d, left, false, false).net()
			slack := int64(0)
			if d.Name == "opal-harvest" {
				slack = int64(len(p.buys) + 2*len(p.returns)) // roundings, which go by the order
			}
			if got > want+slack || got < want-slack {
				t.Errorf("%s, seed %d: %d, as if never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestOpalLooseNeverPays has refunds name no purchase, half of them in sound designs and
// all in flawed ones, whose flaws these do not touch (but for counters by the quarter):
// nobody may end up with more than what was kept earns.
func TestOpalLooseNeverPays(t *testing.T) {
	for _, d := range opalDesigns {
		if d.Name == "opal-harvest" {
			continue
		}
		unnamed := func(_ *opalPlan, b *opalReturn) bool {
			b.named = b.named && (d.Class == "robust" || d.Class == "V3(b)")
			return true
		}
		for seed := range int64(40) {
			p := opalRandom(rand.New(rand.NewSource(1000+seed)), opalBig[d.Currency], false, d.Class != "V3(a)", unnamed)
			left := p.left()
			got, want := p.play(t, d, p.gross(), true, false).net(), p.play(t, d, left, false, false).net()
			if got > want {
				t.Errorf("%s, seed %d: %d, kept purchases earn %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestOpalFlawsLeakAtRandom sees that flaws show in ordinary use, too.
func TestOpalFlawsLeakAtRandom(t *testing.T) {
	for _, d := range opalDesigns {
		if d.Class == "robust" || d.Class == "V3(b)" { // V3(b) is a matter of time
			continue
		}
		leaks := 0
		for seed := range int64(20) {
			p := opalRandom(rand.New(rand.NewSource(seed)), opalBig[d.Currency]*3, true, true, nil)
			left := p.left()
			got, want := p.play(t, d, p.gross(), true, false).net(), p.play(t, d, left, false, false).net()
			if got > want+want/100 {
				leaks++
			}
		}
		if leaks == 0 {
			t.Errorf("%s never leaks", d.Name)
		}
		t.Logf("%s leaks in %d of 20", d.Name, leaks)
	}
}

// TestOpalJumps sees that a clock which jumps changes no row, nor when it is booked.
func TestOpalJumps(t *testing.T) {
	for _, d := range opalDesigns {
		for seed := range int64(10) {
			p := opalRandom(rand.New(rand.NewSource(seed)), opalBig[d.Currency], false, seed%2 == 0, nil)
			left := p.left()
			daily, jumps := p.play(t, d, p.gross(), true, false), p.play(t, d, p.gross(), true, true)
			if a, b := daily.engine.Postings("a"), jumps.engine.Postings("a"); !reflect.DeepEqual(a, b) || daily.net() != jumps.net() {
				t.Errorf("%s, seed %d: %d rows, with jumps %d (%d purchases)", d.Name, seed, len(a), len(b), len(left))
			}
		}
	}
}
