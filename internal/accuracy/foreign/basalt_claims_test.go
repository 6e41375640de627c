package foreign

import (
	"fmt"
	"math/rand"
	"testing"
)

// Short lives in which nothing but the dearest comes back, and every return names nothing:
// where a claim that is held too low would show.
func TestBasaltClaims(t *testing.T) {
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	for _, d := range basaltDesigns {
		for seed := range int64(600) {
			r := rand.New(rand.NewSource(seed))
			scale := basaltUnit(d)
			dear := categories[r.Intn(6)]
			byDay := make([][]basaltStep, 500)
			for i := range 1 + r.Intn(4) {
				s := basaltStep{day: r.Intn(300), buy: fmt.Sprint("p", i), amount: (1 + r.Int63n(400000)) * scale / 100, category: categories[r.Intn(6)]}
				s.amount++
				back := basaltStep{day: max(0, s.day-5+r.Intn(120)), back: s.buy + "-", really: s.buy, amount: s.amount}
				if r.Intn(2) == 0 {
					s.category = dear
					if r.Intn(2) == 0 {
						back.amount = 1 + r.Int63n(s.amount)
					}
					byDay[back.day] = append(byDay[back.day], back)
				}
				byDay[s.day] = append(byDay[s.day], s)
			}
			var life []basaltStep
			for _, steps := range byDay {
				life = append(life, steps...)
			}
			for _, end := range []int{430, 700} { // before most of it expires, and when all is settled
				_, got := basaltPlay(t, d, life, end)
				if _, want := basaltPlay(t, d, basaltNever(life), end); got > want {
					t.Fatalf("%s, life %d: %d, had it never been bought %d", d.Name, seed, got, want)
				}
			}
		}
	}
}
