package judge_test

import (
	"testing"

	"recoup/internal/audit/judge"
)

const bought = "2026-01-05 purchase t1 100.00 m1 GROCERY\n"

func TestOutcomes(t *testing.T) {
	const (
		granted       = bought + "2026-01-05 reward 5.00 t1\n"
		grantedAsNone = bought + "2026-01-05 reward 5.00\n"
		atClose       = bought + "2026-02-01 00:00 reward 5.00\n"
	)
	tests := []struct {
		name, text, end, want string
	}{
		{"at once, named", granted + "2026-01-10 refund r1 100.00 of t1\n2026-01-10 12:01 reward -5.00 t1", "2026-06-01", "r1 at once"},
		{"at once, not named", grantedAsNone + "2026-01-10 refund r1 100.00 of t1\n2026-01-10 reward -5.00", "2026-06-01", "r1 at once"},
		{"at once, a part", grantedAsNone + "2026-01-10 refund r1 33.33 of t1\n2026-01-10 reward -1.67", "2026-06-01", "r1 at once"},
		{"at once, rounded the other way", grantedAsNone + "2026-01-10 refund r1 33.33 of t1\n2026-01-10 reward -1.66", "2026-06-01", "r1 at once"},
		{"within the cycle", grantedAsNone + "2026-01-10 refund r1 100.00 of t1\n2026-01-15 reward -5.00", "2026-06-01", "r1 within cycle"},
		{"at the close", grantedAsNone + "2026-01-10 refund r1 100.00 of t1\n2026-02-01 00:00 reward -5.00", "2026-06-01", "r1 at close"},
		{"at the close, posted late", grantedAsNone + "2026-01-10 refund r1 100.00 of t1\n2026-02-08 reward -5.00", "2026-06-01", "r1 at close"},
		{"late", grantedAsNone + "2026-01-10 refund r1 100.00 of t1\n2026-03-01 reward -5.00", "2026-06-01", "r1 late"},
		{"never", grantedAsNone + "2026-01-10 refund r1 100.00 of t1", "2026-06-01", "r1 never"},
		{"too early to tell", grantedAsNone + "2026-01-10 refund r1 100.00 of t1", "2026-02-02", "r1 too early"},
		{"partly", granted + "2026-01-10 refund r1 100.00 of t1\n2026-01-10 reward -3.00 t1", "2026-06-01", "r1 partly"},
		{"netted whole", bought + "2026-01-10 refund r1 100.00 of t1", "2026-06-01", "r1 netted"},
		{"netted in part", bought + "2026-01-10 refund r1 40.00 of t1\n2026-02-01 00:00 reward 3.00", "2026-06-01", "r1 netted"},
		{"not netted", bought + "2026-01-10 refund r1 40.00 of t1\n2026-02-01 00:00 reward 5.00 t1", "2026-06-01", "r1 never"},
		{"not netted, taken at the next close", bought + "2026-01-10 refund r1 40.00 of t1\n2026-02-01 00:00 reward 5.00 t1\n2026-03-01 00:00 reward -2.00 t1", "2026-06-01", "r1 at close"},
		{"in the open cycle before the grant", bought + "2026-01-10 refund r1 40.00 of t1", "2026-01-20", "r1 too early"},
		{"in a later cycle, at the close", atClose + "2026-02-10 refund r1 100.00 of t1\n2026-03-01 00:00 reward -5.00", "2026-06-01", "r1 at close"},
		{"nothing earned", "2026-01-05 purchase t1 0.50 m1\n2026-01-10 refund r1 0.50 of t1", "2026-06-01", "r1 nothing at stake"},
		{"of a purchase that is not there", granted + "2026-01-10 refund r1 100.00 of t9", "2026-06-01", "r1 nothing at stake"},
		{"above the purchase", granted + "2026-01-10 refund r1 105.00 of t1\n2026-01-10 reward -5.00 t1", "2026-06-01", "r1 at once"},
		{"before its purchase", "2026-01-04 refund r1 100.00 of t1\n" + granted + "2026-01-05 reward -5.00 t1", "2026-06-01", "r1 at once"},
		{"before its purchase, netted", "2026-01-04 refund r1 40.00 of t1\n" + bought + "2026-01-05 reward 3.00 t1", "2026-06-01", "r1 netted"},
		{"chargeback", granted + "2026-01-10 chargeback c1 100.00 of t1\n2026-01-10 reward -5.00 t1", "2026-06-01", "c1 at once"},
		{"unlinked", grantedAsNone + "2026-01-10 refund r1 100.00 at m1\n2026-01-10 reward -5.00", "2026-06-01", "r1 at once"},
		{"that did not stand", granted + "2026-01-10 refund r1 100.00 of t1\n2026-01-12 refund_reversed r1", "2026-06-01", "r1 nothing at stake"},
		{"two parts at one close, in one sum", grantedAsNone + "2026-01-10 refund r1 30.00 of t1\n2026-01-12 refund r2 50.00 of t1\n2026-02-01 00:00 reward -4.00", "2026-06-01", "r1 at close, r2 at close"},
		{"grants less clawbacks in one sum", atClose + "2026-02-05 purchase t2 60.00 m1 GROCERY\n2026-02-10 refund r1 20.00 of t1\n2026-03-01 00:00 reward 2.00", "2026-06-01", "r1 at close"},
		{"grants and clawbacks that are just equal", atClose + "2026-02-05 purchase t2 100.00 m1 GROCERY\n2026-02-10 refund r1 100.00 of t1\n2026-04-05 purchase t3 1.00 m1", "2026-06-01", "r1 nothing at stake"},
		{"above the purchase, and the rest taken of others, in a sum", grantedAsNone + "2026-01-06 purchase t2 100.00 m1 GROCERY\n2026-01-06 reward 5.00\n2026-01-10 refund r1 110.00 of t1\n2026-01-11 refund r2 40.00 of t2\n2026-02-01 00:00 reward -7.50", "2026-06-01", "r1 nothing at stake, r2 nothing at stake"},
		{"wholly returned, and granted for in a sum all the same", bought + "2026-01-06 purchase t2 60.00 m1 GROCERY\n2026-01-10 refund r1 100.00 of t1\n2026-02-01 00:00 reward 8.00", "2026-06-01", "r1 never"},
		{"two minor units", "2026-01-05 purchase t1 2.00 m1\n2026-01-05 reward 0.02 t1\n2026-01-10 refund r1 2.00 of t1", "2026-06-01", "r1 nothing at stake"},
		{"unlinked, and then a linked one of the same purchase", granted + "2026-01-06 purchase t2 100.00 m1 GROCERY\n2026-01-06 reward 5.00 t2\n" +
			"2026-01-10 refund r1 100.00 at m1\n2026-01-10 reward -5.00 t2\n2026-01-15 refund r2 100.00 of t2\n2026-01-15 reward -5.00 t1", "2026-06-01", "r1 at once, r2 nothing at stake"},
		{"unlinked and taken of one purchase, and then that one's own refund", grantedAsNone + "2026-01-06 purchase t2 80.00 m1 GROCERY\n2026-01-06 reward 4.00\n" +
			"2026-01-10 refund r1 80.00 at m1\n2026-01-10 reward -4.00\n2026-01-15 refund r2 80.00 of t2\n2026-01-15 reward -4.00", "2026-06-01", "r1 at once, r2 at once"},
		{"the grant's own row is late", bought + "2026-01-08 reward 5.00\n2026-01-10 refund r1 100.00 of t1\n2026-01-10 reward -5.00", "2026-06-01", "r1 at once"},
		{"the purchase's row is late", "2026-01-05 reward 5.00\n2026-01-08 purchase t1 100.00 m1 GROCERY\n2026-01-10 refund r1 100.00 of t1\n2026-01-10 reward -5.00", "2026-06-01", "r1 at once"},
		{"the purchase's row is later than the refund's", "2026-01-05 reward 5.00\n2026-01-06 refund r1 100.00 of t1\n2026-01-06 reward -5.00\n2026-01-08 purchase t1 100.00 m1 GROCERY", "2026-06-01", "r1 nothing at stake"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := judged(t, test.end, test.text)
			if got := outcomes(a); got != test.want {
				t.Errorf("outcomes: %s, want %s", got, test.want)
			}
		})
	}
}

// Of a sum that a close posts, the grants and clawbacks fall to their purchases.
func TestTakenAndExpected(t *testing.T) {
	a := judged(t, "2026-06-01", bought+"2026-02-01 00:00 reward 5.00\n"+
		"2026-02-05 purchase t2 60.00 m1 GROCERY\n2026-02-10 refund r1 20.00 of t1\n2026-02-11 refund r2 30.00 of t1\n2026-03-01 00:00 reward 0.50")
	want := []judge.RefundCase{
		{ID: "r1", Linked: true, Purchase: "t1", Amount: 20_00, Place: judge.LaterCycle, Balance: 5_00, Granted: 5_00, Owed: 1_00, Expected: 1_00, Taken: 1_00, Outcome: judge.AtClose},
		{ID: "r2", Linked: true, Purchase: "t1", Amount: 30_00, Place: judge.LaterCycle, Balance: 5_00, Granted: 5_00, Owed: 1_50, Expected: 1_50, Taken: 1_50, Outcome: judge.AtClose},
	}
	for i, c := range a.Refunds {
		c.PurchasedAt, c.RefundedAt, c.TakenAt, c.Bought, c.Number, c.Tenure, c.CycleDay, c.MCC, c.Category, c.Rule = 0, 0, 0, 0, 0, 0, 0, 0, "", ""
		if c != want[i] {
			t.Errorf("case %d is %+v, want %+v", i, c, want[i])
		}
	}
}
