package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"time"
)

// A pebbleMove is a step of a history: what is said to the engine, and which purchase a
// return is really of, named or not.
type pebbleMove struct {
	at       time.Time
	what     string // buy, refund, chargeback, redeem
	id, of   string
	amount   int64
	category string
	unnamed  bool
	happened time.Time
}

var pebbleStart = time.Date(2026, 1, 3, 9, 0, 0, 0, time.UTC)

// pebbleHistory is random; unlinked says whether returns may keep their purchase to themselves.
func pebbleHistory(r *rand.Rand, unlinked, redeems bool) []pebbleMove {
	var moves []pebbleMove
	cats := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	if r.Intn(2) == 0 { // one category alone: less room for prudence to hide a leak
		cats = cats[r.Intn(len(cats)):][:1]
	}
	scale, rare := []int64{3000, 30000, 300000}[r.Intn(3)], []int{2, 6, 60}[r.Intn(3)]
	for i := range 10 + r.Intn(50) {
		id := fmt.Sprintf("t%d", i)
		day := r.Intn(600)
		at := pebbleStart.Add(time.Duration(day*24*60+r.Intn(1440)) * time.Minute)
		buy := pebbleMove{at: at, what: "buy", id: id, amount: 1 + r.Int63n(scale), category: cats[r.Intn(len(cats))], happened: at}
		if r.Intn(6) == 0 { // delivered late
			buy.at = at.Add(time.Duration(r.Intn(50*24)) * time.Hour)
		}
		moves = append(moves, buy)
		for j := 0; r.Intn(3) == 0 && j < 4; j++ {
			back := pebbleMove{what: "refund", id: fmt.Sprintf("r%d.%d", i, j), of: id, unnamed: unlinked && r.Intn(rare) == 0,
				at: at.Add(time.Duration(r.Intn(90*24)-48) * time.Hour), amount: 1 + r.Int63n(buy.amount)}
			if r.Intn(3) == 0 {
				back.amount = buy.amount + r.Int63n(2)*r.Int63n(500)
			}
			if r.Intn(4) == 0 && !back.unnamed {
				back.what = "chargeback"
				back.amount *= r.Int63n(2)
			}
			moves = append(moves, back)
			if r.Intn(3) == 0 { // the same message again
				again := back
				again.at = again.at.Add(time.Hour)
				moves = append(moves, again)
			}
		}
	}
	for i := 0; redeems && i < 25; i++ {
		moves = append(moves, pebbleMove{what: "redeem", id: fmt.Sprintf("x%d", i), amount: r.Int63n(scale/20) - 3,
			at: pebbleStart.Add(time.Duration(r.Intn(620*24)) * time.Hour)})
	}
	sort.SliceStable(moves, func(i, j int) bool { return moves[i].at.Before(moves[j].at) })
	return moves
}

// pebbleNever is the history in which what came back was never bought.
func pebbleNever(moves []pebbleMove) []pebbleMove {
	back, seen := map[string]int64{}, map[string]bool{}
	for _, m := range moves {
		if m.of == "" || seen[m.id] {
			continue
		}
		seen[m.id] = true
		if m.amount == 0 {
			back[m.of] += 1 << 40
		}
		back[m.of] += m.amount
	}
	var out []pebbleMove
	for _, m := range moves {
		if m.what == "buy" {
			m.amount -= back[m.id]
		}
		if m.of == "" && (m.what == "redeem" || m.amount > 0) {
			out = append(out, m)
		}
	}
	return out
}
