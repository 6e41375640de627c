package truth_test

import (
	"testing"

	"recoup/accuracy/truth"
)

// What may leak of the promise where the refunds say what is true, in millionths. The
// engine cannot look through all placements of refunds without a link, which is beyond
// what one event may cost; it tries those that mostly matter, and now and then another
// would have taken more.
//
// Customers who do not look for these cases hardly meet them. Those who do, by trying
// histories out on the engine itself, find some: a reading of the engine's normative
// text (docs/semantics.md, section 5) that was written for the purpose lost to them 0.1 %
// under rerate, and up to 0.5 % in one row, where an engine that places one refund
// after another loses ten to forty per cent. Under proportional it must not be more.
var leakageAllowed = map[truth.Customer]struct{ row, total int64 }{
	truth.IsHonest:    {1_000, 200},    // 0.1 % and 0.02 %
	truth.IsDishonest: {10_000, 3_000}, // 1 % and 0.3 %
}

// TestTruth holds Recoup to the promise wherever the refunds say what is true.
func TestTruth(t *testing.T) {
	o := truth.Options{Accounts: 240, Tries: 24, Seed: 1}
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
		check(leakageAllowed[row.Customer].total, &row.Tally, row.Customer, row.Method)
	}
	for _, row := range r.Rows {
		check(leakageAllowed[row.Customer].row, &row.Tally, row.Customer, row.Distortion, row.Method)
	}
	for _, row := range r.Settings {
		check(leakageAllowed[row.Customer].row, &row.Tally, row.Customer, row.Method, row.Program, row.Timing)
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
