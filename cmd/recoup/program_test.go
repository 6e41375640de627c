package main

import (
	"strings"
	"testing"
)

func TestProgramCheck(t *testing.T) {
	workspace(t)
	writeFile(t, "late.yaml", "id: late\ncurrency: EUR\ntiming: {clawback: statement}\nrules: [{id: base, rate: 1%}]\n")
	got := succeed(t, "program", "check", "program.yaml", "late.yaml")
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 3 || lines[0] != "program.yaml: program everyday in USD with 2 rules is well formed" ||
		lines[1] != "late.yaml: program late in EUR with 1 rule is well formed" || !strings.HasPrefix(lines[2], "late.yaml: notice: redemption.grace_days: 0 with timing.clawback: statement: ") {
		t.Errorf("it says\n%s", got)
	}
	writeFile(t, "wrong.yaml", "id: wrong\ncurrency: EUR\nrate: 1%\n")
	if got := refuse(t, "program", "check", "wrong.yaml"); !strings.Contains(got, "wrong.yaml:3: rate: unknown member") {
		t.Errorf("the message is %q", got)
	}
	if got := refuse(t, "program", "check"); !strings.Contains(got, "requires at least 1 arg") {
		t.Errorf("the message is %q", got)
	}
}
