package truth_test

import (
	"os"
	"testing"

	"recoup/internal/accuracy/truth"
	"recoup/reward"
)

// What may leak of the promise where the refunds say what is true, in millionths. The
// engine cannot look through all placements of refunds without a link, which is beyond
// what one event may cost; it tries those that mostly matter, and now and then another
// would have taken more.
//
// Customers who do not look for these cases hardly meet them. Those who do, by trying
// histories out on the engine itself, find some. Under proportional they find more:
// the text values a granted purchase at its share whatever else its bucket granted,
// so the cap room that a guess frees is granted to the next purchase and kept
// (TestRoomOfAGuessIsKept). An engine that places one refund after another loses ten
// to forty per cent.
var leakageAllowed = map[truth.Customer]map[string]struct{ row, total int64 }{
	truth.IsHonest:    {"rerate": {1_000, 200}, "proportional": {2_000, 400}},        // 0.1 % and 0.02 %; 0.2 % and 0.04 %
	truth.IsDishonest: {"rerate": {10_000, 3_000}, "proportional": {40_000, 15_000}}, // 1 % and 0.3 %; 4 % and 1.5 %
}

// TestTruth holds Recoup to the promise wherever the refunds say what is true.
func TestTruth(t *testing.T) {
	o := truth.Options{Accounts: 60, Tries: 16, Seed: 1}
	if os.Getenv("RECOUP_LONG") != "" {
		o.Accounts, o.Tries = 480, 60
	}
	for _, d := range truth.Distortions() {
		if d.True {
			o.Distortions = append(o.Distortions, d)
		}
	}
	r, err := truth.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check := func(allowed int64, tally *truth.Tally, of ...any) {
		if !tally.LeaksAtMost(allowed) {
			t.Errorf("%v: leakage of %s, in %d of %d accounts", of, tally.LeakagePercent(), tally.Above, tally.Accounts)
		}
	}
	for _, row := range r.Totals {
		check(leakageAllowed[row.Customer][row.Method].total, &row.Tally, row.Customer, row.Method)
	}
	for _, row := range r.Rows {
		check(leakageAllowed[row.Customer][row.Method].row, &row.Tally, row.Customer, row.Distortion, row.Method)
	}
	for _, row := range r.Settings {
		check(leakageAllowed[row.Customer][row.Method].row, &row.Tally, row.Customer, row.Method, row.Program, row.Timing)
	}
}

// TestUnlinkedTakesTheDearest is the smallest history in which a guess can be led
// astray: of groceries and fuel for the same amount, the groceries come back with a
// refund that does not say so.
func TestUnlinkedTakesTheDearest(t *testing.T) {
	h := &truth.History{
		Purchases: []truth.Purchase{{1, on(1, 5), 100_000, "m1", grocery}, {2, on(1, 6), 100_000, "m2", fuel}},
		Returns:   []truth.Return{{1, 1, 100_000, on(1, 9)}},
	}
	for _, name := range []string{"nothing", "late", "other merchant"} {
		d := distortion(t, name)
		refunds := d.Deliver(h, 1)
		for i := range refunds {
			refunds[i].Category, refunds[i].MCC = "", ""
			if name != "other merchant" {
				refunds[i].Merchant = ""
			}
		}
		for _, m := range truth.Methods {
			v, err := truth.Judge(truth.Recoup, terms(t, "everyday", m), h, refunds)
			if err != nil {
				t.Fatal(err)
			}
			if v.Delivered.Net != 1000 {
				t.Errorf("%s: %d kept, 1000 deserved", name, v.Delivered.Net)
			}
		}
	}
}

// TestRoomOfAGuessIsKept is the smallest history that leaks under proportional, and
// the reason why its bounds are wider. The refund is truly of February's purchase;
// March's has the same amount and is later, so it lies there, and the room that this
// frees under March's cap is granted to the last purchase for good. In rerate the
// cap is counted anew, and nothing is kept.
func TestRoomOfAGuessIsKept(t *testing.T) {
	h := &truth.History{
		Purchases: []truth.Purchase{
			{1, on(2, 3), 80_000, "m1", grocery}, {2, on(3, 14), 80_000, "m1", grocery}, {3, on(3, 29), 100_000, "m1", grocery},
		},
		Returns: []truth.Return{{1, 1, 80_000, on(3, 6)}},
	}
	says := distortion(t, "merchant and category")
	for m, kept := range map[reward.ClawbackMethod]int64{reward.Proportional: 9_000, reward.Rerate: 5_000} {
		v, err := truth.Judge(truth.Recoup, terms(t, "everyday", m), h, says.Deliver(h, 1))
		if err != nil {
			t.Fatal(err)
		}
		if v.Delivered.Net != kept {
			t.Errorf("method %d: %d kept, want %d; 5000 are deserved", m, v.Delivered.Net, kept)
		}
	}
}
