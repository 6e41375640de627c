package probe_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
	"recoup/reward"
)

// inMemory is a design as a target without a network in between.
func inMemory(d design.Design, p *reward.Program) probe.Target {
	s := labtest.NewFresh(func() issuer.Issuer { return onlyPort(d.New(p)) })
	return probe.Target{Issuer: s, Can: adapter.Everything(p.Currency), Reset: s.Reset}
}

// What purchases can tell of the terms is what the program says, whatever the
// design behind it.
func TestInferenceFindsTheTerms(t *testing.T) {
	categories := program.BuiltInCategories()
	for _, d := range design.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				p := program.Everyday()
				p.Rules = nil
				for i := range rapid.IntRange(1, 3).Draw(t, "rules") {
					r := reward.Rule{ID: fmt.Sprint("r", i), Rate: reward.Rate(rapid.Int64Range(25, 1500).Draw(t, "basis points")) * 10_000, Cap: reward.NoCap}
					if rapid.Bool().Draw(t, "capped") {
						r.Cap = rapid.Int64Range(200, 10_000).Draw(t, "cap")
					}
					r.Match.Categories = categories[3*i : 3*i+rapid.IntRange(1, 3).Draw(t, "categories")]
					p.Rules = append(p.Rules, r)
				}
				if rapid.Bool().Draw(t, "base") {
					p.Rules = append(p.Rules, reward.Rule{ID: "base", Rate: reward.Rate(rapid.Int64Range(1, 2_000_000).Draw(t, "base rate")), Cap: reward.NoCap})
				}
				got, err := probe.Infer(inMemory(d, p))
				if err != nil {
					t.Fatal(err)
				}
				checkTerms(t, got, p)
				if got.Calls > 2500 {
					t.Errorf("%d calls", got.Calls)
				}
			})
		})
	}
}

// checkTerms compares rules by what they promise in every category.
func checkTerms(t *rapid.T, got *probe.Terms, want *reward.Program) {
	read, err := program.Parse("terms", []byte(got.File))
	if err != nil {
		t.Fatalf("%v\n%s", err, got.File)
	}
	rule := func(p *reward.Program, category string) (reward.Rate, int64, int) {
		n := p.RuleFor(reward.Terms{Merchant: "m1", Category: category})
		if n == reward.NoRule {
			return 0, reward.NoCap, n
		}
		return p.Rules[n].Rate, p.Rules[n].Cap, n
	}
	all := append([]string{""}, program.BuiltInCategories()...)
	for i, c := range all {
		gotRate, gotCap, gotRule := rule(read, c)
		rate, limit, n := rule(want, c)
		if gotRate != rate || gotCap != limit {
			t.Fatalf("%q: %s, cap %d; want %s, cap %d\n%s", c, gotRate, gotCap, rate, limit, got.File)
		}
		for _, o := range all[:i] {
			_, _, gotOther := rule(read, o)
			_, _, other := rule(want, o)
			if limit != reward.NoCap && (gotRule == gotOther) != (n == other) {
				t.Fatalf("%q and %q share a rule: %t, want %t\n%s", c, o, gotRule == gotOther, n == other, got.File)
			}
		}
	}
	if got.Rounding != "" && got.Rounding != "down" && got.Rounding != "down, per purchase" {
		t.Fatalf("rounding %q", got.Rounding)
	}
}
