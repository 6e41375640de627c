package foreign

import (
	"fmt"
	"math/rand"
	"testing"
)

// No way of laying a refund to purchases loses more than the terms' loss says, not even one
// that takes from each purchase exactly what costs it a cent or a unit.
func TestBirchLoss(t *testing.T) {
	terms := []*birchTerms{&birchPaydayTerms, &birchForecastTerms, &birchReplayTerms, &birchTwoLedgersTerms, &birchInstalmentsTerms}
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	for i, tm := range terms {
		for seed := range int64(4000) {
			r := rand.New(rand.NewSource(seed))
			var ps []*birchPurchase
			for k := range 1 + r.Intn(14) {
				ps = append(ps, &birchPurchase{id: fmt.Sprint(k), category: categories[r.Intn(6)], left: 100 + r.Int63n(3000), at: birchStart.AddDate(0, r.Intn(2), 0)})
				if r.Intn(2) == 0 {
					ps[k].left -= ps[k].left % 100
				}
			}
			before := tm.level(ps)
			loose := 1 + r.Int63n([]int64{20, 300, 5000}[r.Intn(3)])
			loss, rest := tm.loss(ps, loose, before), loose
			for _, k := range r.Perm(len(ps)) {
				part := r.Int63n(rest + 1)
				if r.Intn(3) > 0 {
					part = 1 + ps[k].left%[]int64{20, 50, 100, 1000}[r.Intn(4)]
				}
				part = min(part, rest, ps[k].left)
				ps[k].left -= part
				rest -= part
			}
			if lost := before - tm.level(ps); lost > loss {
				t.Fatalf("terms %d, seed %d: lost %d, the terms say at most %d", i, seed, lost, loss)
			}
		}
	}
}
