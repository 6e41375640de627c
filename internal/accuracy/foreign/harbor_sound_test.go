package foreign

import (
	"math/rand"
	"testing"
)

func TestHarborSoundAsIfNeverBought(t *testing.T) {
	for _, d := range harborDesigns[:3] {
		for seed := range int64(60) {
			events, left := harborHistory(rand.New(rand.NewSource(seed)), true)
			got := harborPlay(t, d, events, nil, true)
			if want := harborPlay(t, d, events, left, false); got != want {
				t.Errorf("%s, seed %d: %d, as if never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestHarborSoundWithoutNames: who has refunds sent without a name has no more for it, but
// for the rounding of single yen.
func TestHarborSoundWithoutNames(t *testing.T) {
	for _, d := range harborDesigns[:3] {
		for seed := range int64(60) {
			events, left := harborHistory(rand.New(rand.NewSource(seed)), false)
			got := harborPlay(t, d, events, nil, true)
			want := harborPlay(t, d, events, left, false)
			if got > want+2 {
				t.Errorf("%s, seed %d: %d, as if never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

func TestHarborFlawedLeakAtRandom(t *testing.T) {
	for _, d := range harborDesigns[3:] {
		leaks := 0
		for seed := range int64(20) {
			events, left := harborHistory(rand.New(rand.NewSource(seed)), true)
			if harborPlay(t, d, events, nil, true) > harborPlay(t, d, events, left, false) {
				leaks++
			}
		}
		if debt := d.Class == "V3(b)"; debt != (leaks == 0) { // a debt that stands is no surplus
			t.Errorf("%s: %d of 20 histories leak", d.Name, leaks)
		}
	}
}
