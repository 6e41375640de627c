package judge_test

import "testing"

// What a refund is to take is spent if the purchase's reward was redeemed, first earned,
// first redeemed; who then takes no more than is left of it floors.
func TestSpentRewards(t *testing.T) {
	const two = "2026-01-05 purchase t1 100.00 m1 GROCERY\n2026-01-05 reward 5.00 t1\n2026-01-06 purchase t2 100.00 m1 GROCERY\n2026-01-06 reward 5.00 t2\n"
	for _, c := range []struct {
		name, text     string
		spent, floored bool
	}{
		{"nothing was redeemed", two + "2026-02-10 refund r1 100.00 of t1", false, false},
		{"the reward was redeemed, and nothing is taken of the other's", two + "2026-01-07 redemption 5.00\n2026-02-10 refund r1 100.00 of t1", true, true},
		{"what is left of it is taken", two + "2026-01-07 redemption 3.00\n2026-02-10 refund r1 100.00 of t1\n2026-02-10 reward -2.00 t1", true, true},
		{"less than is left is taken", two + "2026-01-07 redemption 3.00\n2026-02-10 refund r1 100.00 of t1\n2026-02-10 reward -1.00 t1", true, false},
		{"all of it is taken, from the other's", two + "2026-01-07 redemption 5.00\n2026-02-10 refund r1 100.00 of t1\n2026-02-10 reward -5.00 t1", true, false},
		{"the other's reward was redeemed later", two + "2026-02-10 refund r1 100.00 of t1\n2026-02-11 redemption 5.00", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := judged(t, "2026-06-01", c.text).Refunds[0]; r.Spent != c.spent || r.Floored != c.floored {
				t.Errorf("spent %t, floored %t; want %t, %t", r.Spent, r.Floored, c.spent, c.floored)
			}
		})
	}
}
