package audit_test

import (
	"os"
	"strings"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/program"
)

// Rewards in points are read and told in points, and what was bought in money.
func TestRewardsInPoints(t *testing.T) {
	o := exported(t, design{granted: bought, clawed: never})
	p, err := program.Parse("points.yaml", []byte("id: points\ncurrency: USD\nreward: {unit: PTS, decimals: 0}\nclawback_method: rerate\nrules: [{id: all, unit: 100, rate: 5 per 100}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.Program = p
	lines := linesOf(t, o.Rewards[0])
	lines[0] += ",currency"
	for i := range lines[1:] {
		lines[i+1] += ",PTS"
	}
	if err := os.WriteFile(o.Rewards[0], []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := audit.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict.Class != flaw.V1 || r.Unit != "PTS" || r.Figures.Leakage == 0 {
		t.Errorf("class %q, leakage %d in %q: %s", r.Verdict.Class, r.Figures.Leakage, r.Unit, r.Verdict.Summary)
	}
	for _, f := range r.Findings {
		for _, e := range f.Examples {
			for _, s := range e.Steps {
				if s.Spend != (s.Amount == 100_00) { // which no reward here is
					t.Errorf("%+v", s)
				}
			}
		}
	}
	if said := r.Money(1250); said != "PTS 1,250" {
		t.Errorf("1250 points are said to be %s", said)
	}
}
