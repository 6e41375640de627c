package program_test

import (
	"strings"
	"testing"

	"recoup/program"
)

func TestNoticeOfALimitForLifeWhereRewardsExpire(t *testing.T) {
	for terms, want := range map[string]int{
		"expires: {months: 3}\nrules: [{id: a, rate: 1%, cap: {reward: 5, per: lifetime}}]\n":               1,
		"expires: {months: 3}\nrules: [{id: a, rate: 1%, cap: {reward: 5, per: year}}]\n":                   0,
		"expires: {months: 3}\nrules: [{id: a, per: lifetime, whole: true, steps: [{rate: 1%}]}]\n":         0,
		"rules: [{id: a, rate: 1%, cap: {reward: 5, per: lifetime}}]\n":                                     0,
		"expires: {months: 3}\nrules: [{id: a, per: lifetime, steps: [{rate: 1%}, {from: 5, rate: 2%}]}]\n": 1,
	} {
		p, err := program.Parse("p.yaml", []byte("id: p\ncurrency: USD\nclawback_method: rerate\n"+terms))
		if err != nil {
			t.Fatal(err)
		}
		if got := program.Notices(p); len(got) != want {
			t.Errorf("%s: %q", terms, got)
		}
	}
}

// Nobody has to find out by a debt what a statement without grace is; and nobody is
// told who has grace, or clawback at the refund.
func TestNoticeOfAStatementWithoutGrace(t *testing.T) {
	for _, test := range []struct {
		name, terms string
		want        bool
	}{
		{"clawback at the statement, no grace", "timing: {clawback: statement}\n", true},
		{"said to be none", "timing: {grant: statement, clawback: statement}\nredemption: {grace_days: 0}\n", true},
		{"a day of grace", "timing: {clawback: statement}\nredemption: {grace_days: 1}\n", false},
		{"maturity as well", "timing: {clawback: statement}\nmaturity_days: 30\n", true},
		{"clawback at the refund", "timing: {grant: statement}\n", false},
		{"all left out", "", false},
	} {
		p, err := program.Parse("p.yaml", []byte("id: p\ncurrency: USD\n"+test.terms+"rules: [{id: base, rate: 1%}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := program.Notices(p)
		if (len(got) == 1) != test.want || len(got) > 1 {
			t.Errorf("%s: %q", test.name, got)
		}
		for _, notice := range got {
			for _, said := range []string{"redemption.grace_days: 0", "held from their delivery until the next close", "posts a debt", "maturity_days"} {
				if !strings.Contains(notice, said) {
					t.Errorf("%s: no %q in %q", test.name, said, notice)
				}
			}
		}
	}
}
