package judge_test

import (
	"testing"

	"recoup/internal/audit/judge"
)

// The terms are held against what came before anything was returned, and no refund has a
// part in what they do not explain there. What is below them may still come.
func TestTermsAgainstWhatCameBeforeRefunds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       judge.Fit
		misfit     string
	}{
		{"just what is promised, and a refund that takes nothing", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-10 refund r1 100.00 of t1`, judge.Fit{GrantedBefore: 1, AtStake: 5_00, Before: 5_00, Left: 5_00}, ""},
		{"more than is promised, by a unit for each purchase: rounding", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.01 t1
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -5.01 t1`, judge.Fit{GrantedBefore: 1, AtStake: 5_00, Before: 5_01, RoundedBefore: 1}, ""},
		{"more than is promised, and nothing comes back", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 8.00 t1`, judge.Fit{GrantedBefore: 1, Before: 8_00, RoundedBefore: 1, OverBefore: 2_99, AccountsOver: 1, Named: 5_00, Left: 3_00}, "$8.00 was granted"},
		{"what came after the first refund says nothing of the terms", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-10 refund r1 100.00 of t1
			2026-01-12 reward 7.00`, judge.Fit{GrantedBefore: 1, AtStake: 5_00, Before: 5_00, Left: 5_00}, ""},
		{"a sum that no purchase explains", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-03-05 reward 3.21`, judge.Fit{GrantedBefore: 1, Before: 3_21, LooseBefore: 3_21, Named: 5_00, Short: 1_78}, ""},
		{"granted twice is a flaw, and no matter of the terms", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-06 reward 5.00 t1`, judge.Fit{GrantedBefore: 1, Before: 10_00, Named: 5_00, Left: 5_00}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := judged(t, "2026-06-01", c.text)
			if a.Fit != c.want {
				t.Errorf("fit %+v, want %+v", a.Fit, c.want)
			}
			if (a.Misfit != nil) != (c.misfit != "") || a.Misfit != nil && a.Misfit.Found != c.misfit {
				t.Errorf("example %+v, want %q", a.Misfit, c.misfit)
			}
		})
	}
}
