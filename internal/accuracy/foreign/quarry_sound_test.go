package foreign

import (
	"math/rand"
	"testing"

	"recoup/internal/issuer"
)

var quarryCategories = []string{"GROCERY", "DINING", "TRAVEL", "TRANSIT", "GAS", "CASH", ""}

// quarrySound has the robust designs, with a scale at which their goals are near.
func quarrySound() map[string]int64 {
	return map[string]int64{"quarry-nightly": 30, "quarry-stream": 10, "quarry-quarter": 15}
}

func quarryByName(name string) Design {
	for _, d := range quarryDesigns {
		if d.Name == name {
			return d
		}
	}
	panic(name)
}

func quarryRun(t *testing.T, d Design, moves []quarryMove) *quarryPlay {
	t.Helper()
	p := newQuarryPlay(t, d, quarryDay(1, 1))
	for _, m := range moves {
		m.play(p)
		p.check()
	}
	p.clock(quarryEnd)
	p.check()
	return p
}

// What came back by name must count as never bought, however it came back.
func TestQuarryAsIfNeverBought(t *testing.T) {
	for name, scale := range quarrySound() {
		for seed := range int64(25) {
			moves, net := quarryHistory(rand.New(rand.NewSource(seed)), quarryCategories, scale)
			got := quarryRun(t, quarryByName(name), moves).net()
			if want := quarryRun(t, quarryByName(name), net).net(); got != want {
				t.Fatalf("%s, seed %d: %d, never bought %d", name, seed, got, want)
			}
		}
	}
}

// A return without a name must not leave more than the same return with its name.
func TestQuarryNamelessIsPrudent(t *testing.T) {
	for name, scale := range quarrySound() {
		for seed := range int64(often(11, 51)) {
			r := rand.New(rand.NewSource(seed))
			moves, _ := quarryHistory(r, quarryCategories, scale)
			named, nameless := quarryNameless(r, moves)
			got := quarryRun(t, quarryByName(name), nameless).net()
			if most := quarryRun(t, quarryByName(name), named).net(); got > most {
				t.Fatalf("%s, seed %d: %d, by name %d", name, seed, got, most)
			}
		}
	}
}

// quarryNameless leaves one refund of each purchase, of no more than its price and not
// long before it, and takes the names off some; a wrong name counts as none.
func quarryNameless(r *rand.Rand, moves []quarryMove) (named, nameless []quarryMove) {
	bought, seen := map[string]*issuer.Settlement{}, map[string]bool{}
	for _, m := range moves {
		if m.settle != nil {
			bought[m.settle.Transaction] = m.settle
		}
	}
	for _, m := range moves {
		if m.dispute != nil || m.refund != nil && seen[m.refund.Transaction] {
			continue
		}
		named = append(named, m)
		if m.refund == nil {
			nameless = append(nameless, m)
			continue
		}
		seen[m.refund.Transaction] = true
		off := *m.refund
		switch b := bought[off.Transaction]; r.Intn(5) {
		case 0:
			off.Merchant = b.Merchant
			off.Transaction = ""
		case 1:
			off.Category = b.Category
			off.Transaction = ""
		case 2:
			off.Transaction = ""
		case 3:
			off.Transaction = "unknown" + off.Refund
		}
		nameless = append(nameless, quarryMove{at: m.at, refund: &off})
	}
	return named, nameless
}
