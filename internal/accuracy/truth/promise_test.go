package truth_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"recoup/internal/accuracy/truth"
	"recoup/reward"
)

// The kinds of the examples.
var (
	grocery = truth.Kind{Category: "GROCERY", MCC: "5411"}
	fuel    = truth.Kind{Category: "GAS", MCC: "5541"}
	dining  = truth.Kind{Category: "DINING", MCC: "5812"}
	books   = truth.Kind{MCC: "5942"}
)

func on(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC)
}

// terms are a program's, granting and clawing back at once.
func terms(t *testing.T, name string, m reward.ClawbackMethod) *reward.Program {
	t.Helper()
	for _, s := range truth.Settings() {
		if s.Program == name && s.Timing == (reward.Timing{}) {
			return s.Under(m)
		}
	}
	t.Fatalf("no program %s", name)
	return nil
}

// TestPromise has histories with what a person finds who adds them up by hand.
func TestPromise(t *testing.T) {
	for _, c := range []struct {
		name, program string
		history       truth.History
		exact         string // minor units
		rounded       int64
	}{
		{"1 % of the fuel is left", "everyday", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 5), 100_000, "m1", grocery}, {2, on(1, 6), 100_000, "m1", fuel}},
			Returns:   []truth.Return{{1, 1, 100_000, on(1, 9)}},
		}, "1000", 1000},
		{"what is kept still reaches the cap", "everyday", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 5), 150_000, "m1", grocery}},
			Returns:   []truth.Return{{1, 1, 20_000, on(3, 9)}, {2, 1, 20_000, on(4, 9)}},
		}, "5000", 5000},
		{"what is kept no longer reaches the cap", "everyday", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 5), 80_000, "m1", grocery}, {2, on(1, 6), 80_000, "m2", grocery}},
			Returns:   []truth.Return{{1, 1, 80_000, on(3, 9)}},
		}, "4000", 4000},
		{"a cap is one month's", "everyday", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 31), 200_000, "m1", grocery}, {2, on(2, 1), 200_000, "m1", grocery}},
		}, "10000", 10_000},
		{"the month is the purchase's, not the return's", "rotating", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 5), 20_000, "m1", grocery}, {2, on(2, 5), 20_000, "m1", grocery}},
			Returns:   []truth.Return{{1, 1, 10_000, on(2, 9)}, {2, 2, 10_000, on(3, 9)}},
		}, "600", 600},
		{"the bonus is groceries', then fuel's, then groceries' again", "rotating", truth.History{
			Purchases: []truth.Purchase{
				{1, on(1, 5), 10_000, "m1", fuel}, {2, on(2, 5), 10_000, "m1", fuel}, {3, on(3, 5), 10_000, "m1", fuel},
				{4, on(4, 5), 10_000, "m1", grocery},
			},
		}, "1200", 1200},
		{"two categories under one cap", "several", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 5), 50_000, "m1", fuel}, {2, on(1, 6), 50_000, "m1", dining}},
		}, "2000", 2000},
		{"each purchase is rounded down", "several", truth.History{
			Purchases: []truth.Purchase{{1, on(1, 5), 999, "m1", books}, {2, on(1, 6), 999, "m1", books}, {3, on(1, 7), 1, "m1", books}},
			Returns:   []truth.Return{{1, 3, 1, on(1, 8)}},
		}, "24.975", 24},
	} {
		for _, m := range truth.Methods {
			want, _ := new(big.Rat).SetString(c.exact)
			got := truth.PromiseOn(terms(t, c.program, m), &c.history)
			if got.Exact.Cmp(want) != 0 || got.Rounded != c.rounded {
				t.Errorf("%s: the promise is %s, rounded %d; want %s and %d", c.name, got.Exact.FloatString(3), got.Rounded, c.exact, c.rounded)
			}
		}
	}
}

func ExampleJudge() {
	everyday := truth.Settings()[0]
	h := &truth.History{
		Purchases: []truth.Purchase{{1, on(1, 5), 10_000, "m1", grocery}, {2, on(1, 6), 10_000, "m2", fuel}},
		Returns:   []truth.Return{{1, 1, 10_000, on(1, 9)}},
	}
	control := truth.Distortions()[0]
	v, err := truth.Judge(truth.Recoup, everyday.Under(reward.Rerate), h, control.Deliver(h, 1))
	fmt.Println(v.Promise.Exact.FloatString(0), v.Delivered.Net, v.Leakage().FloatString(0), err)
	// Output: 100 100 0 <nil>
}
