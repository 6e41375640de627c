package main

import (
	"strings"
	"testing"
)

func TestLabForeign(t *testing.T) {
	workspace(t)
	writeFile(t, "accuracy.md", "# By hand\n\n"+
		"<!-- figures of foreign designs, audit: written by recoup lab foreign -->\n<!-- end of the figures of foreign designs, audit -->\n")
	args := []string{"lab", "foreign", "--quick", "--tool", "audit", "--design", "paper-debit-deaf", "--markdown", "accuracy.md"}
	table := succeed(t, args...)
	for _, want := range []string{"audit of designs that others wrote", "Terms given: 1 of 1 classes right", "paper-debit-deaf"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	document := readFile(t, "accuracy.md")
	if !strings.HasPrefix(document, "# By hand\n") || !strings.Contains(document, "| paper-debit-deaf | V1 |") {
		t.Errorf("the document is\n%s", document)
	}
	if asJSON := succeed(t, append(args, "--output", "json")...); !strings.Contains(asJSON, `"exit_code": 1`) || !strings.Contains(asJSON, `"leak_if_named"`) {
		t.Errorf("it says %s", asJSON)
	}
	if readFile(t, "accuracy.md") != document {
		t.Error("the same customers gave another document")
	}
}

func TestLabForeignRefuses(t *testing.T) {
	workspace(t)
	writeFile(t, "other.md", "no place for figures")
	for _, c := range []struct{ more, want string }{
		{"--tool=guess", `--tool "guess": expected audit, probe or both`},
		{"--design=nobodys", `--design "nobodys": expected one of paper-journal-by-share, `},
		{"--each=0", "--each 0: expected 1 to 1000"},
		{"--markdown=other.md", "--markdown other.md: "},
	} {
		if got := refuse(t, "lab", "foreign", c.more); !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.more, got, c.want)
		}
	}
}
