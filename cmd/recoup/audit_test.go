package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"recoup/internal/cli"
)

// exported puts the exports of a design into the folder exports, and returns what
// the lab says of them.
func exported(t *testing.T, issuer string) (labFigures string) {
	t.Helper()
	succeed(t, "generate", "--program", "program.yaml", "--accounts", "40", "--events", "3000", "--out", "events.jsonl")
	return succeed(t, "lab", "export", "--issuer", issuer, "--program", "program.yaml", "--events", "events.jsonl", "--dir", "exports", "--output", "json")
}

// audited is a command line that audits the folder exports.
func audited(more ...string) []string {
	return append([]string{"audit", "--program", "program.yaml", "--transactions", "exports/transactions.csv", "--refunds", "exports/refunds.csv",
		"--rewards", "exports/rewards.csv", "--redemptions", "exports/redemptions.csv"}, more...)
}

// auditReport is what the tests look at of the JSON.
type auditReport struct {
	Verdict struct {
		Found bool
		Class string
	}
	Figures struct {
		Leakage    int64
		ShortPaid  int64 `json:"short_paid"`
		Redeemed   int64
		Returnable int64 `json:"redeemed_in_return_window"`
	}
	Simulation struct {
		Granted int64
	}
	Input struct {
		Rows int64
		Bad  int64 `json:"bad_rows"`
	}
}

func parseReport(t *testing.T, text string) (r auditReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in\n%.400s", err, text)
	}
	return r
}

// findFlaws runs an audit that has to end with exit code 1 without a word on
// standard error, and returns what it prints.
func findFlaws(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := recoup(args...)
	if err == nil || cli.ExitCode(err) != cli.FailedCheck {
		t.Fatalf("recoup %s: error %v, want exit code %d", strings.Join(args, " "), err, cli.FailedCheck)
	}
	if !strings.HasPrefix(err.Error(), "the program has flaws: V") {
		t.Errorf("the message is %q", err)
	}
	if stderr != "" {
		t.Errorf("standard error has %q", stderr)
	}
	return stdout
}

func TestAuditFindsTheFlaw(t *testing.T) {
	workspace(t)
	var lab struct {
		Figures struct {
			Leakage   int64
			ShortPaid int64 `json:"short_paid"`
			Redeemed  int64
		}
	}
	if err := json.Unmarshal([]byte(exported(t, "B")), &lab); err != nil {
		t.Fatal(err)
	}

	table := findFlaws(t, audited("--html", "report.html")...)
	if !strings.HasPrefix(table, "Class V2. ") || strings.Contains(table, "Under Recoup") {
		t.Errorf("the table is\n%s", table)
	}
	page := readFile(t, "report.html")
	if !strings.Contains(page, "Class V2. ") || !strings.Contains(page, "</html>") {
		t.Errorf("the page is\n%.2000s", page)
	}
	if info, err := os.Stat("report.html"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page names accounts and has mode %v, error %v, want 0600", info.Mode(), err)
	}

	r := parseReport(t, findFlaws(t, audited("--output", "json", "--simulate")...))
	if !r.Verdict.Found || r.Verdict.Class != "V2" || r.Figures.Leakage != lab.Figures.Leakage || lab.Figures.Leakage <= 0 || r.Figures.ShortPaid != lab.Figures.ShortPaid || r.Figures.Redeemed != lab.Figures.Redeemed {
		t.Errorf("audit %+v, lab %+v, want the same figures and class V2", r, lab)
	}
	if r.Simulation.Granted <= 0 || r.Input.Rows == 0 || r.Input.Bad != 0 {
		t.Errorf("audit %+v, want a simulation and no bad rows", r)
	}
	longer := parseReport(t, findFlaws(t, audited("--output", "json", "--return-days", "90")...))
	if longer.Figures.Returnable <= r.Figures.Returnable {
		t.Errorf("%d redeemed can be returned for 90 days, %d for 30", longer.Figures.Returnable, r.Figures.Returnable)
	}
}

func TestAuditOfRecoupFindsNothing(t *testing.T) {
	workspace(t)
	exported(t, "Recoup")
	r := parseReport(t, succeed(t, audited("--output", "json")...))
	if r.Verdict.Found || r.Verdict.Class != "robust" || r.Figures.Leakage != 0 {
		t.Errorf("audit %+v, want nothing found", r)
	}
}

// Shards are audited on any number of machines, and merge to the same report.
func TestAuditInShards(t *testing.T) {
	workspace(t)
	exported(t, "A")
	whole := findFlaws(t, audited("--output", "json")...)
	for _, shard := range []string{"1/3", "2/3", "3/3"} {
		if printed := succeed(t, audited("--shard", shard, "--part", "part-"+shard[:1]+".json")...); printed != "" {
			t.Errorf("shard %s prints %q", shard, printed)
		}
	}
	if info, err := os.Stat("part-1.json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a part has mode %v, error %v, want 0600", info.Mode(), err)
	}
	merged := findFlaws(t, "audit", "merge", "part-3.json", "part-1.json", "part-2.json", "--output", "json", "--simulate=false", "--html", "merged.html")
	if merged != whole {
		t.Errorf("merged\n%.1500s\nwhole\n%.1500s", merged, whole)
	}
	if !strings.Contains(readFile(t, "merged.html"), "Class V1. ") {
		t.Error("the page of the merged parts has no class")
	}
	if info, err := os.Stat("merged.html"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page of the merged parts has mode %v, error %v, want 0600", info.Mode(), err)
	}
	for want, args := range map[string][]string{
		"shard 2 of 3 is missing":                         {"audit", "merge", "part-1.json", "part-3.json", "--html", "no.html"},
		"shard 1 of 3 is there twice":                     {"audit", "merge", "part-1.json", "part-1.json", "part-2.json"},
		"no-part.json":                                    {"audit", "merge", "no-part.json"},
		"program.yaml":                                    {"audit", "merge", "program.yaml"},
		"expected the parts of all shards, found none":    {"audit", "merge"},
		"part-1.json: is read, and would be written over": {"audit", "merge", "part-1.json", "--html", "part-1.json"},
	} {
		if got := refuse(t, args...); !strings.Contains(got, want) {
			t.Errorf("%q says %q, want %q", args, got, want)
		}
	}
}

// With a key, the same account has the same pseudonym in every run; without one,
// nobody can tell whose it is.
func TestAuditUnderPseudonyms(t *testing.T) {
	workspace(t)
	exported(t, "A")
	writeFile(t, "key", "sixteen bytes or more\n")
	account := regexp.MustCompile(`"account": "[^"]*"`)
	known := findFlaws(t, audited("--output", "json", "--pseudonymise", "--pseudonym-key-file", "key", "--html", "report.html")...)
	if names := account.FindAllString(known, -1); len(names) == 0 || account.MatchString(`"acct-1"`) {
		t.Fatal("the report names no account")
	}
	for _, text := range []string{known, readFile(t, "report.html")} {
		if name := regexp.MustCompile(`\b(acct-\d+|t\d+|refund-\d+)\b`).FindString(text); name != "" {
			t.Errorf("the report has %s", name)
		}
	}
	if again := findFlaws(t, audited("--output", "json", "--pseudonymise", "--pseudonym-key-file", "key")...); again != known {
		t.Error("the same key gives another report")
	}
	writeFile(t, "key", "sixteen bytes or more")
	if again := findFlaws(t, audited("--output", "json", "--pseudonymise", "--pseudonym-key-file", "key")...); again != known {
		t.Error("the line end of the key is part of it")
	}
	if drawn := findFlaws(t, audited("--output", "json", "--pseudonymise")...); account.FindString(drawn) == account.FindString(known) {
		t.Error("another key gives the same pseudonym")
	}
}

// Bad rows are left out and counted up to a limit; above it, there is no report.
func TestAuditOfBadRows(t *testing.T) {
	workspace(t)
	exported(t, "A")
	broken := strings.Replace(readFile(t, "exports/refunds.csv"), "\n", "\nr-0,acct-1,much,2026-01-05T10:00:00Z,,,,,,\n", 1)
	writeFile(t, "exports/refunds.csv", broken)
	rows := strings.Count(broken, "\n")
	if got := refuse(t, audited("--bad-rows", "0%", "--html", "report.html")...); !strings.Contains(got, "refunds.csv") || !strings.Contains(got, "1 of") {
		t.Errorf("of one bad row of %d, the message is %q", rows, got)
	}
	text := findFlaws(t, audited("--bad-rows", "10%")...)
	if !strings.Contains(text, "1 row was left out as bad") || !strings.Contains(text, "refunds.csv:2") {
		t.Errorf("the report does not tell of the bad row:\n%s", text[strings.Index(text, "What was read"):])
	}
}

// Exports in which nothing can be judged are refused, and never robust.
func TestAuditOfNothing(t *testing.T) {
	workspace(t)
	exported(t, "Recoup")
	head := func(table string) (string, string) {
		text := readFile(t, "exports/"+table+".csv")
		header, rows, _ := strings.Cut(text, "\n")
		return header + "\n", rows
	}
	for _, c := range []struct{ table, pattern, by, want string }{
		{"transactions", "(?m)^.*\n", "", "no purchase was read"},
		{"rewards", "(?m)^.*\n", "", "no reward was read"},
		{"redemptions", "(?m)^", "other-", "accounts have refunds, rewards or redemptions and no purchase: expected all purchases of the period, under the same ids of accounts"},
	} {
		header, rows := head(c.table)
		writeFile(t, "exports/"+c.table+".csv", header+regexp.MustCompile(c.pattern).ReplaceAllString(rows, c.by))
		if got := refuse(t, audited("--html", "report.html", "--accounts", "accounts.csv")...); !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.table, got, c.want)
		}
		for _, name := range []string{"report.html", "accounts.csv"} {
			if _, err := os.Stat(name); err == nil {
				t.Errorf("%s: %s was written", c.table, name)
			}
		}
		writeFile(t, "exports/"+c.table+".csv", header+rows)
	}
	header, _ := head("refunds")
	writeFile(t, "exports/refunds.csv", header)
	stdout, _, err := recoup(audited()...)
	if cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), "no verdict: Not enough refunds to tell") || !strings.Contains(stdout, "Not enough refunds") {
		t.Errorf("without refunds: error %v, want the report and no verdict\n%s", err, stdout)
	}
}

// A chargeback that names no purchase returns what it may be of, as a refund does.
func TestAuditOfChargebacksWithoutAPurchase(t *testing.T) {
	workspace(t)
	var purchases, refunds, rewards strings.Builder
	purchases.WriteString("transaction,account,amount,currency,posted_at,merchant,category\n")
	refunds.WriteString("refund,account,amount,posted_at,transaction,kind,merchant\n")
	rewards.WriteString("account,amount,posted_at,transaction\n")
	for i := range 40 {
		fmt.Fprintf(&purchases, "p%d,a%d,10000,USD,2026-01-05T10:00:00Z,shop-1,GROCERY\nq%d,a%d,20000,USD,2026-01-06T10:00:00Z,shop-2,GROCERY\n", i, i, i, i)
		fmt.Fprintf(&rewards, "a%d,500,2026-01-05T10:00:00Z,p%d\na%d,1000,2026-01-06T10:00:00Z,q%d\n", i, i, i, i)
		other := "chargeback" // of these the purchase is known
		if i%2 == 0 {
			other = "refund"
		}
		fmt.Fprintf(&refunds, "r%d,a%d,20000,2026-02-%02dT10:00:00Z,%s,%s,shop-2\nc%d,a%d,10000,2026-02-10T10:00:00Z,,chargeback,shop-1\n", i, i, 1+i%25, map[string]string{"chargeback": fmt.Sprint("q", i)}[other], other, i, i)
		fmt.Fprintf(&rewards, "a%d,-1000,2026-02-%02dT10:00:00Z,q%d\n", i, 1+i%25, i)
		if i < 10 { // a lost dispute gives the money back
			fmt.Fprintf(&refunds, "c%d,a%d,10000,2026-02-20T10:00:00Z,,chargeback_reversed,shop-1\n", i, i)
		}
	}
	purchases.WriteString("last,a0,10000,USD,2026-06-05T10:00:00Z,shop-3,GROCERY\n")
	rewards.WriteString("a0,500,2026-06-05T10:00:00Z,last\n")
	writeFile(t, "program.yaml", "id: flat\ncurrency: USD\nrules:\n  - {id: all, rate: 5%}\n")
	for name, text := range map[string]*strings.Builder{"t.csv": &purchases, "f.csv": &refunds, "w.csv": &rewards} {
		writeFile(t, name, text.String())
	}
	stdout, _, err := recoup("audit", "--program", "program.yaml", "--transactions", "t.csv", "--refunds", "f.csv", "--rewards", "w.csv", "--output", "json")
	if cli.ExitCode(err) != cli.FailedCheck {
		t.Errorf("error %v, want exit code %d", err, cli.FailedCheck)
	}
	if r := parseReport(t, stdout); r.Figures.Leakage != 30*500 || r.Figures.ShortPaid != 0 {
		t.Errorf("audit %+v, want a leakage of what 30 chargebacks left", r)
	}
	if want := `"words": "that are chargebacks and name no purchase"`; !strings.Contains(stdout, want) {
		t.Errorf("no %s in\n%s", want, stdout)
	}
}

// What --inspect prints is a mapping that reads the file.
func TestAuditInspects(t *testing.T) {
	workspace(t)
	exported(t, "A")
	plain := findFlaws(t, audited("--output", "json")...)
	text := readFile(t, "exports/transactions.csv")
	header, rows, _ := strings.Cut(text, "\n")
	writeFile(t, "exports/transactions.csv", strings.NewReplacer("account", "customer", "posted_at", "booked").Replace(header)+"\n"+rows)
	mapping := succeed(t, "audit", "--inspect", "exports/transactions.csv")
	if !strings.Contains(mapping, "customer") || !strings.Contains(mapping, "booked") {
		t.Errorf("the mapping is\n%s", mapping)
	}
	writeFile(t, "map.yaml", mapping)
	if got := findFlaws(t, audited("--output", "json", "--mapping", "map.yaml")...); parseReport(t, got) != parseReport(t, plain) {
		t.Errorf("with the mapping\n%+v, without\n%+v", parseReport(t, got), parseReport(t, plain))
	}
}

// Files may be given by glob, and several times.
func TestAuditOfSeveralFiles(t *testing.T) {
	workspace(t)
	exported(t, "A")
	plain := parseReport(t, findFlaws(t, audited("--output", "json")...))
	lines := strings.SplitAfter(readFile(t, "exports/rewards.csv"), "\n")
	middle := len(lines) / 2
	writeFile(t, "w-1.csv", strings.Join(lines[:middle], ""))
	writeFile(t, "w-2.csv", lines[0]+strings.Join(lines[middle:], ""))
	files := []string{"audit", "--program", "program.yaml", "--transactions", "exports/transactions.csv", "--refunds", "exports/refunds.csv", "--redemptions", "exports/redemptions.csv", "--output", "json"}
	for _, rewards := range [][]string{{"--rewards", "w-*.csv"}, {"--rewards", "w-1.csv", "--rewards", "w-2.csv"}} {
		if got := parseReport(t, findFlaws(t, append(files, rewards...)...)); got != plain {
			t.Errorf("%q: %+v, want %+v", rewards, got, plain)
		}
	}
}

func TestAuditRefusesBadUsage(t *testing.T) {
	workspace(t)
	writeFile(t, "t.csv", "transaction,account,amount,currency,posted_at\nt1,a1,100,USD,2026-01-05T10:00:00Z\n")
	writeFile(t, "f.csv", "refund,account,amount,posted_at\nr1,a1,100,2026-01-06T10:00:00Z\n")
	writeFile(t, "w.csv", "account,amount,posted_at\na1,1,2026-01-05T10:00:00Z\n")
	writeFile(t, "key", "short")
	writeFile(t, "empty", "\n")
	audit := func(more ...string) []string {
		return append([]string{"audit", "--program", "program.yaml", "--transactions", "t.csv", "--refunds", "f.csv", "--rewards", "w.csv"}, more...)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"audit"}, "at least one of the flags in the group [program inspect] is required"},
		{[]string{"audit", "--program", "program.yaml"}, "missing [refunds rewards transactions]"},
		{audit("--inspect", "t.csv"), "none of the others can be"},
		{[]string{"audit", "--inspect", "nowhere.csv"}, "nowhere.csv"},
		{audit("t2.csv"), `unexpected argument "t2.csv": several files of a table are a flag each, or a glob in quotes`},
		{audit("--output", "html"), `--output "html": expected table, json or sarif`},
		{audit("--return-days", "0"), "--return-days 0: expected a number above zero"},
		{audit("--bad-rows", "many"), "expected a share from 0% to 100%"},
		{audit("--memory", "lots"), "expected a size such as 512MiB or 2GiB"},
		{audit("--shard", "5/4", "--part", "p.json"), "expected one of several, such as 1/4"},
		{audit("--shard", "1/4"), "missing [part]"},
		{audit("--shard", "1/4", "--part", "p.json", "--html", "r.html"), "none of the others can be"},
		{audit("--pseudonym-key-file", "key"), "is of use with --pseudonymise only"},
		{audit("--pseudonymise", "--pseudonym-key-file", "key"), "expected 16 bytes or more"},
		{audit("--pseudonymise", "--pseudonym-key-file", "empty"), "is empty, expected a key"},
		{audit("--pseudonymise", "--pseudonym-key-file", "nowhere"), "reading the key: open nowhere"},
		{audit("--pseudonymise", "--shard", "1/2", "--part", "p.json"), "need a key"},
		{audit("--mapping", "nowhere.yaml"), "open nowhere.yaml"},
		{audit("--mapping", "t.csv"), "t.csv"},
		{audit("--transactions", "x-*.csv"), "no file is named x-*.csv"},
		{audit("--html", "nowhere/report.html"), "creating nowhere/report.html"},
		{audit("--html", "t.csv"), "t.csv: is read, and would be written over"},
		{audit("--shard", "1/2", "--part", "key", "--pseudonymise", "--pseudonym-key-file", "./key"), "key: is read, and would be written over"},
		{audit("--temp-dir", "nowhere"), "--temp-dir nowhere: expected a folder that is there"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			if got := refuse(t, c.args...); !strings.Contains(got, c.want) {
				t.Errorf("the message is\n%s, want\n%s", got, c.want)
			}
		})
	}
}
