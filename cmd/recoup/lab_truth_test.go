package main

import (
	"strings"
	"testing"
)

func TestLabTruth(t *testing.T) {
	workspace(t)
	writeFile(t, "accuracy.md", "# By hand\n\n"+
		"<!-- figures of distortions: written by recoup lab truth -->\n<!-- end of the figures of distortions -->\n"+
		"<!-- figures of truth: written by recoup lab truth -->\n<!-- end of the figures of truth -->\n")
	args := []string{"lab", "truth", "--accounts", "12", "--tries", "4", "--seed", "7", "--markdown", "accuracy.md"}
	table := succeed(t, args...)
	for _, want := range []string{"12 accounts a row, seed 7; a dishonest customer tries 4 histories.", "honest customers, against the promise", "by setting"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	document := readFile(t, "accuracy.md")
	if !strings.HasPrefix(document, "# By hand\n") || !strings.Contains(document, "| linked | true | rerate |") || !strings.Contains(document, "| wrong purchase | untrue |") {
		t.Errorf("the document is\n%s", document)
	}
	if asJSON := strings.Fields(succeed(t, append(args, "--output", "json")...)); !strings.Contains(strings.Join(asJSON, " "), `"distortion": "linked", "data_true": true, "method": "rerate", "accounts": 12`) {
		t.Errorf("it says %s", strings.Join(asJSON, " "))
	}
	if readFile(t, "accuracy.md") != document {
		t.Error("the same seed gave another document")
	}
}

func TestLabTruthRefuses(t *testing.T) {
	workspace(t)
	writeFile(t, "other.md", "no place for figures")
	for _, c := range []struct{ more, want string }{
		{"--accounts=0", "--accounts 0: expected 1 to 100000"},
		{"--tries=0", "--tries 0: expected 1 to 100000"},
		{"--markdown=other.md", "--markdown other.md: "},
		{"--output=xml", "--output"},
	} {
		if got := refuse(t, "lab", "truth", c.more); !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.more, got, c.want)
		}
	}
}
