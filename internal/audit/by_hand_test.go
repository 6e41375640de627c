package audit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"recoup/internal/audit"
	"recoup/internal/flaw"
)

// Some programs call their clawbacks adjustments, and name nothing in them. What comes the night
// after a refund is one, and what comes to nobody who has returned nothing; other adjustments are
// corrections, or expiry, and take nothing back.
func TestAdjustmentsThatAreClawbacks(t *testing.T) {
	for _, c := range []struct {
		name         string
		after        time.Duration // the refund
		keepers      int           // accounts that return nothing
		alsoOfThem   bool          // they have such adjustments too
		class        flaw.Class
		saysOfRefund bool
	}{
		{"the night after a refund", 14 * time.Hour, 0, false, flaw.Robust, true},
		{"at any time, of those alone who have returned something", 40 * 24 * time.Hour, 20, false, flaw.Robust, true},
		{"at any time, of everybody", 40 * 24 * time.Hour, 20, true, flaw.V1, false},
		{"at any time, and nobody returned nothing", 40 * 24 * time.Hour, 0, false, flaw.V1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := exported(t, designC)
			lines := linesOf(t, o.Rewards[0])
			for i, line := range lines {
				row := strings.Split(line, ",")
				switch {
				case i == 0:
					row = append(row, "kind")
				case row[1] == "-500":
					at, err := time.Parse(time.RFC3339, row[2])
					if err != nil {
						t.Fatal(err)
					}
					row = []string{row[0], "-600", at.Add(c.after).Format(time.RFC3339), "", "adjustment"}
				default:
					row = append(row, "reward")
				}
				lines[i] = strings.Join(row, ",")
			}
			bought, late := bought.Format(time.RFC3339), bought.Add(70*24*time.Hour).Format(time.RFC3339)
			purchases := linesOf(t, o.Transactions[0])
			for i := range c.keepers {
				purchases = append(purchases, fmt.Sprintf("keeper-purchase-%d,keeper-%d,10000,USD,%s,shop-k,GROCERY", i, i, bought))
				lines = append(lines, fmt.Sprintf("keeper-%d,500,%s,keeper-purchase-%d,reward", i, bought, i))
				if c.alsoOfThem {
					lines = append(lines, fmt.Sprintf("keeper-%d,-600,%s,,adjustment", i, late))
				}
			}
			for path, lines := range map[string][]string{o.Rewards[0]: lines, o.Transactions[0]: purchases} {
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := audit.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if says := strings.Contains(r.Verdict.Summary, "60 adjustments are read as rewards"); r.Verdict.Class != c.class || says != c.saysOfRefund {
				t.Errorf("class %q, want %q: %s", r.Verdict.Class, c.class, r.Verdict.Summary)
			}
		})
	}
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
