package foreign

import (
	"math/rand"
	"testing"
)

// TestPebbleNamed: with named returns everybody ends up as if what came back was never bought.
func TestPebbleNamed(t *testing.T) {
	for _, d := range pebbleDesigns {
		for seed := range int64(often(40, 200)) {
			moves := pebbleHistory(rand.New(rand.NewSource(seed)), false, seed%2 == 0)
			if got, want := pebblePlay(t, d, moves), pebblePlay(t, d, pebbleNever(moves)); got != want {
				t.Fatalf("%s, history %d: %d, never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestPebbleUnnamed: without names nobody ends up with more.
func TestPebbleUnnamed(t *testing.T) {
	for _, d := range pebbleDesigns {
		less := 0
		for seed := range int64(often(60, 400)) {
			moves := pebbleHistory(rand.New(rand.NewSource(seed)), true, seed%2 == 0)
			got, want := pebblePlay(t, d, moves), pebblePlay(t, d, pebbleNever(moves))
			if got > want {
				t.Errorf("%s, history %d: %d, never bought %d", d.Name, seed, got, want)
			}
			if got < want {
				less++
			}
		}
		t.Logf("%s: less in %d", d.Name, less)
	}
}

// TestPebbleSure: at no moment can more go out than what would be there if all that came
// back until then had never been bought.
func TestPebbleSure(t *testing.T) {
	for _, d := range pebbleDesigns {
		for seed := range int64(often(60, 300)) {
			r := rand.New(rand.NewSource(seed))
			moves := pebbleHistory(r, seed%2 == 0, false)
			moves = moves[:1+r.Intn(len(moves))]
			end := moves[len(moves)-1].at
			got, want := pebblePlayUntil(t, d, moves, end), pebblePlayUntil(t, d, pebbleNever(moves), end)
			if got.redeemable > 0 && got.redeemable+got.redeemed > want.total {
				t.Errorf("%s, history %d: %+v, never bought %+v", d.Name, seed, got, want)
			}
		}
	}
}
