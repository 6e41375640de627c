package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLabExport(t *testing.T) {
	workspace(t)
	writeFile(t, "events.jsonl", succeed(t, "generate", "--accounts", "20", "--events", "2000", "--program", "program.yaml", "--returns", "200", "--duplicates", "20"))
	export := func(more ...string) []string {
		return append([]string{"lab", "export", "--issuer", "f", "-p", "program.yaml", "--events", "events.jsonl", "--dir", "out"}, more...)
	}
	table := succeed(t, export()...)
	if !strings.HasPrefix(table, "F: instant rewards") || !strings.Contains(table, "class V3(b)") {
		t.Errorf("the table is\n%s", table)
	}
	for name, header := range map[string]string{
		"transactions.csv": "transaction,account,amount,currency,posted_at,merchant,mcc,category\n",
		"refunds.csv":      "refund,account,amount,posted_at,transaction,kind,merchant,mcc,category,currency\n",
		"rewards.csv":      "account,amount,posted_at,transaction,kind\n",
		"redemptions.csv":  "account,amount,posted_at,redemption\n",
	} {
		if got := readFile(t, filepath.Join("out", name)); !strings.HasPrefix(got, header) || strings.Count(got, "\n") < 2 {
			t.Errorf("%s begins with %.100q", name, got)
		}
	}
	before := readFile(t, "out/rewards.csv")
	if got := refuse(t, export("--noise")...); !strings.Contains(got, "out/transactions.csv: is there already; --force") {
		t.Errorf("the message is %q", got)
	}
	if readFile(t, "out/rewards.csv") != before {
		t.Error("files were written over")
	}
	asJSON := oneLine(succeed(t, export("--noise", "--seed", "7", "--force", "--output", "json")...))
	if !strings.Contains(asJSON, `"class": "V3(b)"`) || strings.Contains(asJSON, `"late_rewards": 0`) || readFile(t, "out/rewards.csv") == before {
		t.Errorf("with noise it says %s", asJSON)
	}
	if strings.Contains(before, ",,grant") {
		t.Error("rewards name no purchase")
	}
	succeed(t, export("--force", "--reward-links", "none", "--refund-links=false")...)
	if got := readFile(t, "out/rewards.csv"); !strings.Contains(got, ",,grant\n") || strings.Contains(got, "Z,t") {
		t.Errorf("without links the rewards begin with\n%.200s", got)
	}
	for _, line := range strings.Split(readFile(t, "out/refunds.csv"), "\n") {
		if strings.Contains(line, ",refund,") && !strings.HasPrefix(line, "refund,") && !strings.HasPrefix(line, "withdrawal-") && !strings.Contains(line, "Z,,refund,") {
			t.Errorf("without links there is %s", line)
		}
	}
	succeed(t, export("--force", "--reward-sums", "--issuer", "late-clawback")...)
	if got := readFile(t, "out/rewards.csv"); strings.Contains(got, "grant") || !strings.Contains(got, ",,reward\n") {
		t.Errorf("summed up the rewards begin with\n%.200s", got)
	}
}

func TestLabExportRefuses(t *testing.T) {
	workspace(t)
	writeFile(t, "events.jsonl", "{}\n")
	for _, c := range []struct{ more, want string }{
		{"--issuer=G", `design "G": expected one of A, B, C`},
		{"--reward-links=some", `--reward-links "some": expected all or none`},
		{"--issuer=A", "events.jsonl:1: "},
	} {
		got := refuse(t, "lab", "export", "--issuer", "A", "-p", "program.yaml", "--events", "events.jsonl", "--dir", "out", c.more)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.more, got, c.want)
		}
	}
	if left, err := os.ReadDir("out"); err == nil && len(left) > 0 {
		t.Errorf("%d files are left of what failed", len(left))
	}
}
