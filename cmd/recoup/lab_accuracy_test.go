package main

import (
	"strings"
	"testing"
)

func TestLabAccuracy(t *testing.T) {
	workspace(t)
	writeFile(t, "accuracy.md", "# By hand\n\n"+
		"<!-- figures of audit: written by recoup lab accuracy -->\n<!-- end of the figures of audit -->\n"+
		"<!-- figures of settings: written by recoup lab accuracy -->\n<!-- end of the figures of settings -->\n")
	args := []string{"lab", "accuracy", "--seeds", "1", "--tool", "audit", "--design", "b", "--design", "v3a", "--design", "B", "--markdown", "accuracy.md"}
	table := succeed(t, args...)
	if !strings.Contains(table, "2 designs × 1 seeds: 2 of 2 classes right") || strings.Contains(table, "probe") {
		t.Errorf("the table is\n%s", table)
	}
	document := readFile(t, "accuracy.md")
	if !strings.HasPrefix(document, "# By hand\n") || !strings.Contains(document, "| V3(a) |  |  | 1 |") {
		t.Errorf("the document is\n%s", document)
	}
	if asJSON := oneLine(succeed(t, append(args, "--output", "json")...)); !strings.Contains(asJSON, `"class_right": 2`) {
		t.Errorf("it says %s", asJSON)
	}
	if readFile(t, "accuracy.md") != document {
		t.Error("the same seeds gave another document")
	}
}

func TestLabAccuracyRefuses(t *testing.T) {
	workspace(t)
	writeFile(t, "other.md", "no place for figures")
	for _, c := range []struct{ more, want string }{
		{"--seeds=0", "--seeds 0: expected 1 to 1000"},
		{"--seeds=1001", "1001 seeds: expected 1 to 1000"},
		{"--tool=scanner", `--tool "scanner": expected audit, probe or both`},
		{"--design=G", `--design: `},
		{"--markdown=other.md", "--markdown other.md: "},
		{"--output=xml", "--output"},
	} {
		if got := refuse(t, "lab", "accuracy", c.more); !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.more, got, c.want)
		}
	}
}
