package program_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"recoup/program"
	"recoup/reward"
)

// Whatever the bytes are, Parse returns either a program within the published
// limits or an *Error about this file.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../testdata/cases/1*/program.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, "everyday.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("id: p\ncurrency: USD\ncategories: {PETS: [0742, \"5400-5499\"]}\nrules:\n# all\n- &a {id: a, rate: 1%, match: {mcc: [5411], merchant: [m]}}\n- *a\n"))
	f.Add([]byte("{\"id\": \"\\ud83d\\ude00\\/\", \"currency\": \"JPY\", \"rules\": []}\n---\n"))

	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := program.Parse("program.yaml", data)
		if err != nil {
			var refusal *program.Error
			if !errors.As(err, &refusal) || refusal.File != "program.yaml" || refusal.Reason == "" {
				t.Fatalf("got %#v, want an *Error with file and reason", err)
			}
			return
		}
		if _, known := program.MinorUnits(p.Currency); p.ID == "" || !known {
			t.Errorf("accepted id %q, currency %q", p.ID, p.Currency)
		}
		for _, days := range []int{p.MaturityDays, p.Refunds.PendingDays, p.Refunds.MatchDays, p.Refunds.ParkDays, p.Refunds.WindowDays, p.Refunds.FirmDays} {
			if days < 0 || days > program.MaxDays {
				t.Errorf("accepted a period of %d days", days)
			}
		}
		if m := p.ExpiryMonths; m < 0 || m > reward.MaxExpiryMonths || m > 0 && p.MaturityDays >= 28*m {
			t.Errorf("accepted expiry after %d months", m)
		}
		if g := p.Redemption.GraceDays; g < 0 || g > program.MaxGraceDays {
			t.Errorf("accepted %d grace days", g)
		}
		if m := p.Redemption.MinimumBalance; m < 0 || m > reward.MaxAmount {
			t.Errorf("accepted a minimum balance of %d", m)
		}
		if len(p.Rules) > program.MaxRules {
			t.Errorf("accepted %d rules", len(p.Rules))
		}
		ids := make(map[string]bool)
		for _, rule := range p.Rules {
			if rule.ID == "" || ids[rule.ID] || rule.Rate < 0 || rule.Rate > reward.MaxRate || rule.Cap < reward.NoCap || rule.Cap > reward.MaxAmount {
				t.Errorf("accepted the rule %+v", rule)
			}
			ids[rule.ID] = true
		}
		for code := range 1 << 16 {
			p.Categories(reward.MCC(code))
		}
	})
}
