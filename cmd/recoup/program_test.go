package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestProgramCheck(t *testing.T) {
	workspace(t)
	writeFile(t, "late.yaml", "id: late\ncurrency: EUR\ntiming: {clawback: statement}\nrules: [{id: base, rate: 1%}]\n")
	got := succeed(t, "program", "check", "program.yaml", "late.yaml")
	for _, want := range []string{
		"program.yaml: program everyday in USD with 2 rules is well formed\n", "  rule grocery: Purchases of category GROCERY and of merchant category code 5400–5499 earn 5%, up to $50.00 in a billing cycle.\n",
		"  Without a bound: what is earned by base grows with what is bought. All else comes to at most $600.00 in a calendar year.\n",
		"late.yaml: program late in EUR with 1 rule is well formed\n", "late.yaml: notice: redemption.grace_days: 0 with timing.clawback: statement: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	var document struct {
		Programs []struct {
			File       string
			RewardUnit string `json:"reward_unit"`
			Rules      []struct{ ID, Says string }
			Year       struct{ Most *int64 }
			Notices    []string
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "program", "check", "--output", "json", "late.yaml")), &document); err != nil || len(document.Programs) != 1 {
		t.Fatalf("the document is %+v: %v", document, err)
	}
	if p := document.Programs[0]; p.File != "late.yaml" || p.RewardUnit != "EUR" || len(p.Rules) != 1 || p.Rules[0].Says != "All purchases earn 1%." || p.Year.Most != nil || len(p.Notices) != 1 {
		t.Errorf("it says %+v", p)
	}
	writeFile(t, "wrong.yaml", "id: wrong\ncurrency: EUR\nrate: 1%\n")
	if got := refuse(t, "program", "check", "wrong.yaml"); !strings.Contains(got, "wrong.yaml:3: rate: unknown member") {
		t.Errorf("the message is %q", got)
	}
	if got := refuse(t, "program", "check"); !strings.Contains(got, "requires at least 1 arg") {
		t.Errorf("the message is %q", got)
	}
}
