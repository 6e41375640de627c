package judge_test

import (
	"strings"
	"testing"

	"recoup/internal/flaw"
)

// Who corrects by striking a reward out and granting it anew has taken, or given, the difference.
func TestWhatIsStruckOutAndGrantedAnew(t *testing.T) {
	terms := parsed(t, "id: p\ncurrency: USD\nclawback_method: rerate\nrules: [{id: all, rate: 1%}]\n")
	for _, c := range []struct{ name, text, outcome string }{
		{"a sum that names no purchase", `
			2026-01-05 purchase t1 500.00 m1
			2026-01-05 reward 5.00
			2026-01-20 refund r1 200.00 of t1
			2026-01-20 reward -5.00
			2026-01-20 reward 3.00
			2026-01-25 refund r2 300.00 of t1
			2026-01-25 reward -3.00`, "r1 at once, r2 at once"},
		{"the reward of a purchase", `
			2026-01-05 purchase t1 500.00 m1
			2026-01-05 reward 5.00 t1
			2026-01-20 refund r1 200.00 of t1
			2026-01-20 reward -5.00 t1
			2026-01-20 reward 3.00 t1`, "r1 at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := judgedUnder(t, terms, "2026-06-01", c.text)
			if f := a.Figures; f.Granted != 8_00 || f.TakenBack-f.Granted+f.NetReward != 0 || f.Leakage != 0 {
				t.Errorf("granted %d, taken back %d, leakage %d", f.Granted, f.TakenBack, f.Leakage)
			}
			if got := outcomes(a); got != c.outcome {
				t.Errorf("outcomes: %q, want %q", got, c.outcome)
			}
			if got := shown(a); got != "" {
				t.Errorf("shown: %q", got)
			}
		})
	}
	// A clawback and another purchase's reward of the same moment are no correction.
	a := judgedUnder(t, terms, "2026-06-01", strings.ReplaceAll(`
		2026-01-05 purchase t1 500.00 m1
		2026-01-05 reward 5.00 t1
		2026-01-20 purchase t2 300.00 m1
		2026-01-20 refund r1 500.00 of t1
		2026-01-20 reward -5.00 t1
		2026-01-20 reward 3.00 t2`, "\t", " "))
	if got := relevant(shown(a), flaw.G1); got != "" || outcomes(a) != "r1 at once" {
		t.Errorf("shown %q, outcomes %q", got, outcomes(a))
	}
}
