package main

import (
	"strings"
	"testing"
)

func TestLabCompare(t *testing.T) {
	workspace(t)
	writeFile(t, "events.jsonl", succeed(t, "generate", "--accounts", "20", "--events", "2000", "--program", "program.yaml", "--returns", "200"))
	for _, c := range []struct{ more, want string }{
		{"", "Everybody is judged by the links that they were told"},
		{"--link=none", "Everybody is judged by links that they were not told"},
		{"--link=none", "doubtful refunds linked"},
		{"--truth=events.jsonl", "told the links from the start"},
	} {
		args := []string{"lab", "compare", "-p", "program.yaml", "events.jsonl"}
		if c.more != "" {
			args = append(args, c.more)
		}
		if got := succeed(t, args...); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", c.more, c.want, got)
		}
	}
	asJSON := oneLine(succeed(t, "lab", "compare", "-p", "program.yaml", "--link", "none", "--output", "json", "events.jsonl"))
	for _, want := range []string{`"links_withheld": true`, `"shortfall": `, `"which": "doubtful"`, `"given_back": `} {
		if !strings.Contains(asJSON, want) {
			t.Errorf("no %s in %s", want, asJSON)
		}
	}
}

func TestLabCompareRefuses(t *testing.T) {
	workspace(t)
	writeFile(t, "events.jsonl", "")
	for _, c := range []struct{ more, want string }{
		{"--link=some", `--link "some": expected matched or none`},
		{"--truth=missing.jsonl", "missing.jsonl"},
		{"--link=none --truth=events.jsonl", "none of the others can be"},
		{"--truth=- -", "the events come from standard input already"},
	} {
		args := []string{"lab", "compare", "-p", "program.yaml"}
		if !strings.HasSuffix(c.more, " -") {
			args = append(args, "events.jsonl")
		}
		if got := refuse(t, append(args, strings.Fields(c.more)...)...); !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.more, got, c.want)
		}
	}
}
