package examine_test

import (
	"slices"
	"testing"

	"recoup/internal/flaw"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/examine"
	"recoup/internal/lab/gaps"
)

func taxonomy(t *testing.T) *examine.Taxonomy {
	t.Helper()
	table, err := examine.NewTaxonomy()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The paper's table "Vulnerability taxonomy", and what examination finds: V2
// violates both invariants, not the one that the table has.
func TestTaxonomyOfClasses(t *testing.T) {
	const ri, rrc = flaw.RewardIntegrity, flaw.RefundRewardConsistency
	for i, want := range []struct {
		class       flaw.Class
		violates    []flaw.Invariant
		seen        string
		owasp       int
		name, paper string
	}{
		{flaw.V1, []flaw.Invariant{ri, rrc}, "××", 1, "Lifecycle & Orphaned Transition Flaws", "I"},
		{flaw.V2, []flaw.Invariant{rrc}, "××", 7, "Transition Validation Flaws", "II"},
		{flaw.V3a, []flaw.Invariant{ri}, "××", 4, "Sequential State Bypass", "none"},
		{flaw.V3b, []flaw.Invariant{ri}, "~~", 4, "Sequential State Bypass", "III-B"},
	} {
		c := taxonomy(t).Classes[i]
		seen := c.RewardIntegrity.Symbol() + c.RefundRewardConsistency.Symbol()
		if c.Class != want.class || !slices.Equal(c.Violates, want.violates) || seen != want.seen || c.OWASP != want.owasp || c.OWASPName != want.name || c.Case != want.paper {
			t.Errorf("%+v, want %+v", c, want)
		}
		if c.CWE != "CWE-841" || c.CWEName != "Improper Enforcement of Behavioral Workflow" || c.Tampering == "" || c.Repudiation == "" {
			t.Errorf("%s: %+v", c.Class, c.Mapping)
		}
	}
}

// The paper's table of algorithms, and what the lab finds without each.
func TestTaxonomyOfAlgorithms(t *testing.T) {
	for i, want := range []struct {
		secures, mitigates string
		class              flaw.Class
		seen               string
	}{
		{"RI (caps)", "per transaction bound", "", ""},
		{"RI, RRC", "V1, V2", flaw.V1, "××"},
		{"RI, RRC", "V3 (partial)", flaw.V3a, "××"},
		{"RI, RRC", "V1, V2", flaw.V2, "××"},
	} {
		a := taxonomy(t).Algorithms[i]
		seen := ""
		if a.Without != "" {
			seen = a.RewardIntegrity.Symbol() + a.RefundRewardConsistency.Symbol()
		}
		if a.Number != i+1 || a.Secures != want.secures || a.Mitigates != want.mitigates || a.Class != want.class || seen != want.seen {
			t.Errorf("%+v, want %+v", a, want)
		}
		for _, code := range a.Leaves {
			if _, known := flaw.Find(code); !known {
				t.Errorf("algorithm %d leaves %s, which is no flaw", a.Number, code)
			}
		}
	}
}

// Every gap of the algorithms taken literally is one algorithm's.
func TestTaxonomyAssignsEveryGap(t *testing.T) {
	var all []string
	for _, a := range taxonomy(t).Algorithms {
		for _, code := range a.Leaves {
			all = append(all, string(code))
		}
	}
	for _, row := range gaps.Rows() {
		if n := len(slices.DeleteFunc(slices.Clone(all), func(code string) bool { return code != row })); row[0] == 'G' && n != 1 {
			t.Errorf("%s is left by %d algorithms", row, n)
		}
	}
}

func TestTaxonomyTable(t *testing.T) {
	labtest.WantTable(t, taxonomy(t),
		"│ V2    │ temporally scoped          │ RRC       │ B       │ ×  │ ×   │ CWE-841 │ 7 Transition Validation Flaws           │",
		"│ 4   │ StatementCycleReconcile │ RI, RRC   │ V1, V2                │ the reconciliation at the close │",
		"   Found: B: RI ×, RRC ×.",
		"at C: none; D: $5.00 for 19 days; E: $5.00 for 19 days.",
	)
}
