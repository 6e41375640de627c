package foreign

import (
	"math/rand"
	"reflect"
	"testing"
)

// Every design stands repeated delivery and redemptions, and plays the same way twice.
func TestOrchardConventions(t *testing.T) {
	for _, d := range orchardDesigns {
		facts, _ := orchardHistory(rand.New(rand.NewSource(1)), 150, 3000000)
		once, _ := orchardPlay(t, d, facts, 1, true)
		twice, _ := orchardPlay(t, d, facts, 2, true)
		if !reflect.DeepEqual(once.Postings("a"), twice.Postings("a")) {
			t.Errorf("%s: repeated delivery has an effect", d.Name)
		}
		if once.Open("a") == nil || once.CloseStatement("b") == nil {
			t.Errorf("%s: no error", d.Name)
		}
	}
}

// What is returned with its purchase's name leaves what would be there had it never been
// bought; without the name, no more than that.
func TestOrchardSound(t *testing.T) {
	for seed := range int64(60) {
		for _, d := range orchardDesigns {
			if d.Class != "robust" {
				continue
			}
			r := rand.New(rand.NewSource(seed))
			facts, left := orchardHistory(r, 5+r.Intn(80), []int64{3000, 60000, 2000000}[seed%3])
			var never, nameless []orchardFact
			for _, f := range facts {
				if kept := f; !f.ret && left[f.id] > 0 {
					kept.amount = left[f.id]
					never = append(never, kept)
				}
				if f.ret && !f.charge && r.Intn(3) == 0 {
					f.purchase = ""
				}
				nameless = append(nameless, f)
			}
			if len(never) == 0 {
				continue
			}
			_, want := orchardPlay(t, d, never, 1, false)
			if _, got := orchardPlay(t, d, facts, 1, true); got != want {
				t.Errorf("%s, seed %d: %d, never bought: %d", d.Name, seed, got, want)
			}
			if _, got := orchardPlay(t, d, nameless, 1, true); got > want {
				t.Errorf("%s, seed %d: %d without names, never bought: %d", d.Name, seed, got, want)
			}
		}
	}
}

// But for their flaw, these are sound too: the wallet while nothing is redeemed, the
// processor once the statement has closed, the procedure where no two returns are alike.
func TestOrchardNothingElse(t *testing.T) {
	for seed := range int64(40) {
		r := rand.New(rand.NewSource(seed))
		facts, left := orchardHistory(r, 5+r.Intn(60), 8000000)
		var never []orchardFact
		for _, f := range facts {
			if !f.ret && left[f.id] > 0 {
				f.amount = left[f.id]
				never = append(never, f)
			}
		}
		for _, d := range []Design{orchardWallet, orchardProcessor, orchardProcedure} {
			_, want := orchardPlay(t, d, never, 1, false)
			if _, got := orchardPlay(t, d, facts, 1, d.Name != orchardWallet.Name); got != want {
				t.Errorf("%s, seed %d: %d, never bought: %d", d.Name, seed, got, want)
			}
		}
	}
}

// An account of two busy years is played in no time.
func BenchmarkOrchard(b *testing.B) {
	for _, d := range orchardDesigns {
		b.Run(d.Name, func(b *testing.B) {
			facts, _ := orchardHistory(rand.New(rand.NewSource(1)), 300, 3000000)
			for b.Loop() {
				orchardPlay(&testing.T{}, d, facts, 1, true)
			}
		})
	}
}
