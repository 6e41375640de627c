package audit_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"recoup/internal/audit"
	"recoup/internal/flaw"
)

// Some programs call their clawbacks adjustments, and name nothing in them. What comes the night
// after a refund is one, and what comes to nobody who has returned nothing; so do all where these
// have what the terms promise with them alone. Other adjustments are goodwill, corrections, or
// expiry, and take nothing back. What is given may give back what was taken, if nobody else has it.
func TestAdjustmentsThatAreClawbacks(t *testing.T) {
	for _, c := range []struct {
		name        string
		after       time.Duration // the refund
		keepers     int           // accounts that return nothing
		alsoOfThem  bool          // they have such adjustments too
		advance     int           // granted to them above the terms
		goodwill    int           // is given once to those who returned something
		gifts       bool          // and to the others
		unnamedOnly bool          // only what names no purchase is taken so
		exact       bool          // what is taken is what is due
		varies      bool          // the advance is another to each, and settled but for a gift to all
		class       flaw.Class
		says        string
	}{
		{"the night after a refund", 14 * time.Hour, 0, false, 0, 0, false, false, false, false, flaw.Robust, "60 adjustments are read"},
		{"at any time, of those alone who have returned something", 40 * 24 * time.Hour, 20, false, 0, 0, false, false, false, false, flaw.Robust, "60 adjustments are read"},
		{"the same, and what is given by hand is more than was taken", 40 * 24 * time.Hour, 20, false, 0, 900, false, false, false, false, flaw.Robust, "60 adjustments are read"},
		{"the same, and what is given back is less", 40 * 24 * time.Hour, 20, false, 0, 50, false, false, false, false, flaw.Robust, "180 adjustments are read"},
		{"the same, and as much is given to everybody", 40 * 24 * time.Hour, 20, false, 0, 50, true, false, false, false, flaw.Robust, "60 adjustments are read"},
		{"at any time, of those alone who have returned something without a name", 40 * 24 * time.Hour, 20, false, 0, 0, false, true, false, false, flaw.Robust, "6 adjustments are read"},
		{"at any time, of everybody", 40 * 24 * time.Hour, 20, true, 0, 0, false, false, false, false, flaw.V1, "Refunds never"},
		{"at any time, and nobody returned nothing", 40 * 24 * time.Hour, 0, false, 0, 0, false, false, false, false, flaw.V1, "Refunds never"},
		{"at any time, just what is due, and of everybody what expires", 10 * 24 * time.Hour, 20, true, 0, 0, false, false, true, false, flaw.Robust, "80 adjustments are read"},
		{"what was granted in advance, to each something else, is settled but for a gift", 10 * 24 * time.Hour, 20, true, 600, 0, false, false, true, true, flaw.Robust, "79 adjustments are read"},
		{"what was granted in advance is settled by them", 40 * 24 * time.Hour, 20, true, 600, 0, false, false, false, false, flaw.Robust, "80 adjustments are read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := exported(t, designC)
			lines := linesOf(t, o.Rewards[0])
			for i, line := range lines {
				row := strings.Split(line, ",")
				switch {
				case i == 0:
					row = append(row, "kind")
				case row[1] == "-500" && (row[3] == "" || !c.unnamedOnly):
					at, err := time.Parse(time.RFC3339, row[2])
					if err != nil {
						t.Fatal(err)
					}
					taken := "-600"
					if c.exact {
						taken = "-500"
					}
					row = []string{row[0], taken, at.Add(c.after).Format(time.RFC3339), "", "adjustment"}
				default:
					row = append(row, "reward")
					if c.goodwill > 0 {
						row[len(row)-1] += fmt.Sprintf("\n%s,%d,2026-04-01T00:00:00Z,,adjustment", row[0], c.goodwill)
					}
				}
				lines[i] = strings.Join(row, ",")
			}
			bought, late := bought.Format(time.RFC3339), bought.Add(70*24*time.Hour).Format(time.RFC3339)
			purchases := linesOf(t, o.Transactions[0])
			for i := range c.keepers {
				advance, settled := c.advance, 600
				if c.varies {
					advance, settled = 100*i, 100*i-300
				}
				purchases = append(purchases, fmt.Sprintf("keeper-purchase-%d,keeper-%d,10000,USD,%s,shop-k,GROCERY", i, i, bought))
				lines = append(lines, fmt.Sprintf("keeper-%d,%d,%s,keeper-purchase-%d,reward", i, 500+advance, bought, i))
				if c.gifts {
					lines = append(lines, fmt.Sprintf("keeper-%d,%d,2026-04-01T00:00:00Z,,adjustment", i, c.goodwill))
				}
				if c.alsoOfThem {
					lines = append(lines, fmt.Sprintf("keeper-%d,%d,%s,,adjustment", i, -settled, late))
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
			if r.Verdict.Class != c.class || !strings.Contains(r.Verdict.Summary, c.says) {
				t.Errorf("class %q, want %q and %q: %s", r.Verdict.Class, c.class, c.says, r.Verdict.Summary)
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

// What adjustments are can be said, and shards that read them differently do not merge.
func TestWhatAdjustmentsAreIsSaid(t *testing.T) {
	o := exported(t, designC)
	lines := linesOf(t, o.Rewards[0])
	for i, line := range lines {
		kind := ",reward"
		switch {
		case i == 0:
			kind = ",kind"
		case strings.Contains(line, ",-500,"):
			kind = ",adjustment"
		}
		lines[i] = line + kind
	}
	if err := os.WriteFile(o.Rewards[0], []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for said, class := range map[string]flaw.Class{"": flaw.Robust, "clawbacks": flaw.Robust, "rewards": flaw.Robust, "by-hand": flaw.V1} {
		o.Adjustments = said
		r, err := audit.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict.Class != class {
			t.Errorf("%q: class %q, want %q: %s", said, r.Verdict.Class, class, r.Verdict.Summary)
		}
		if want := cmp.Or(said, "clawbacks"); r.Adjustments != want {
			t.Errorf("%q: the report says %q, want %q", said, r.Adjustments, want)
		}
	}
	// What only gives is a reward as well, where that is said.
	for i, line := range lines {
		lines[i] = strings.Replace(line, ",-500,", ",500,", 1)
	}
	if err := os.WriteFile(o.Rewards[0], []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]bool{"": false, "rewards": true} {
		o.Adjustments = said
		r, err := audit.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if read := strings.Contains(r.Verdict.Summary, "60 adjustments are read as rewards"); read != want {
			t.Errorf("%q, of those above zero: %s", said, r.Verdict.Summary)
		}
	}
	var parts []*audit.Part
	for i, said := range []string{"clawbacks", "by-hand"} {
		o.Adjustments, o.Shard, o.Of = said, i+1, 2
		p, err := audit.RunPart(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	if _, err := audit.Merge(parts...); err == nil || !strings.Contains(err.Error(), "shards 1 and 2 took adjustments for different things, clawbacks and by-hand") {
		t.Errorf("%v", err)
	}
	o.Adjustments = "gifts"
	if _, err := audit.RunPart(t.Context(), o); err == nil || !strings.Contains(err.Error(), `adjustments that are "gifts": expected by-hand`) {
		t.Errorf("%v", err)
	}
}
