package audit_test

import (
	"os"
	"strings"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/flaw"
)

// Some programs call their clawbacks adjustments, and name nothing in them. Those that take just
// what is due of refunds, or come in their moment, are what they are; others are corrections, and
// take nothing back.
func TestAdjustmentsThatAreClawbacks(t *testing.T) {
	for _, c := range []struct {
		name, amount, hour string
		class              flaw.Class
		says               bool
	}{
		{"what is due", "-500", "T17", flaw.Robust, true},
		{"more, in the moment of the refund", "-600", "T10", flaw.Robust, true},
		{"something else, such as what expired", "-420", "T17", flaw.V1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := exported(t, designC)
			text, err := os.ReadFile(o.Rewards[0])
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(string(text)) {
				row := strings.Split(strings.TrimSpace(line), ",")
				switch {
				case row[1] == "-500":
					row = []string{row[0], c.amount, strings.Replace(row[2], "T10", c.hour, 1), "", "adjustment"}
				case row[1] == "amount":
					row = append(row, "kind")
				default:
					row = append(row, "reward")
				}
				lines = append(lines, strings.Join(row, ","))
			}
			if err := os.WriteFile(o.Rewards[0], []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := audit.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if says := strings.Contains(r.Verdict.Summary, "60 adjustments are read as rewards"); r.Verdict.Class != c.class || says != c.says {
				t.Errorf("class %q, want %q: %s", r.Verdict.Class, c.class, r.Verdict.Summary)
			}
		})
	}
}
