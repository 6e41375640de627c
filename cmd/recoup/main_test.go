package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/internal/cli"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
	"recoup/reward"
)

// everyday is 5 % on groceries up to $50 a month and 1 % on everything else.
const everyday = `id: everyday
currency: USD
rules:
  - id: grocery
    match: {category: [GROCERY], mcc: ["5400-5499"]}
    rate: 5%
    cap: {reward: 5000, per: cycle}
  - id: base
    rate: 1%
`

// purchase is the event of contract.md, on one line.
const purchase = `{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1",` +
	`"data":{"transaction":"t1","amount":10000,"currency":"USD","merchant":"m1","mcc":"5411","category":"GROCERY"}}` + "\n"

// workspace makes a new folder the current one, with program.yaml and
// events.jsonl in it.
func workspace(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFile(t, "program.yaml", everyday)
	writeFile(t, "events.jsonl", purchase)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// folder lists the current folder, with what is hidden.
func folder(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// recoup runs the root command.
func recoup(args ...string) (stdout, stderr string, err error) {
	var out, errors bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errors)
	err = root.ExecuteContext(context.Background())
	return out.String(), errors.String(), err
}

// succeed runs a command that has to succeed without a word on standard error,
// and returns what it prints.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := recoup(args...)
	if err != nil {
		t.Fatalf("recoup %s: %v", strings.Join(args, " "), err)
	}
	if stderr != "" {
		t.Errorf("recoup %s says %q on standard error", strings.Join(args, " "), stderr)
	}
	return stdout
}

// refuse runs a command that has to fail as bad usage or input, without a word
// on standard output and without a file made or left behind, and returns the
// message.
func refuse(t *testing.T, args ...string) string {
	t.Helper()
	before := folder(t)
	stdout, _, err := recoup(args...)
	if err == nil {
		t.Fatalf("recoup %s succeeds and prints %q", strings.Join(args, " "), stdout)
	}
	if code := cli.ExitCode(err); code != cli.BadInput {
		t.Errorf("recoup %s exits %d (%v), want %d", strings.Join(args, " "), code, err, cli.BadInput)
	}
	if stdout != "" {
		t.Errorf("recoup %s prints %q", strings.Join(args, " "), stdout)
	}
	if after := folder(t); !slices.Equal(before, after) {
		t.Errorf("recoup %s: the folder had %q and has %q", strings.Join(args, " "), before, after)
	}
	return err.Error()
}

// openDatabase opens a database as commands do.
func openDatabase(ctx context.Context, name string) (*durable.Database, error) {
	return (&open.Database{Name: name}).Open(ctx)
}

// openOrCreate opens a database that may be new.
func openOrCreate(ctx context.Context, name string) (*durable.Database, error) {
	return (&open.Database{Name: name}).OrMake(ctx)
}

func TestBadUsage(t *testing.T) {
	workspace(t)
	replay := func(args ...string) []string { return append([]string{"replay", "--program", "program.yaml"}, args...) }
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"import", "online"}, `unknown command "online" for recoup import: expected one of csv`},
		{[]string{"reply"}, `unknown command "reply" for recoup: expected one of account, audit, backup, bench, checkpoint, consume, exemptions, export, feed, forget, generate, import, keys, lab, load, migrate, people, probe, program, rebuild, replay, secrets, security-log, serve, sessions, shards, sources, verify, version, webhooks`},
		{[]string{"version", "x"}, `unknown command "x" for "recoup version"`},
		{[]string{"--colour"}, "unknown flag: --colour"},
		{replay("--colour", "events.jsonl"), "unknown flag: --colour"},
		{replay(), "expected one argument, the file of events or - for standard input, found 0"},
		{replay("events.jsonl", "events.jsonl"), "expected one argument, the file of events or - for standard input, found 2"},
		{[]string{"replay", "events.jsonl"}, "required flag(s) \"program\" not set; usage: recoup replay "},
		{[]string{"program", "check"}, "requires at least 1 arg(s), only received 0; usage: recoup program check PROGRAM.yaml"},
		{[]string{"audit"}, "flags in the group [program inspect] is required; usage: recoup audit --program P --transactions T.csv"},

		{replay("nowhere.jsonl"), "open nowhere.jsonl: no such file or directory"},
		{replay("."), ".: is a folder, expected a file"},
		{[]string{"replay", "-p", "nowhere.yaml", "events.jsonl"}, "reading the program: open nowhere.yaml: no such file or directory"},
		{[]string{"replay", "-p", ".", "events.jsonl"}, "reading the program: read .: is a directory"},

		{replay("--until", "tomorrow", "events.jsonl"), `--until "tomorrow": expected an RFC 3339 time such as 2027-06-01T00:00:00Z`},
		{replay("--until", "2027-06-01", "events.jsonl"), `--until "2027-06-01": expected an RFC 3339 time such as 2027-06-01T00:00:00Z`},
		{replay("--until", "2200-01-01T00:00:00Z", "events.jsonl"), "--until 2200-01-01T00:00:00Z: expected a time from 1970-01-01T00:00:00Z to 2199-12-31T23:59:59.999999999Z"},
		{replay("--until", "1969-12-31T23:59:59Z", "events.jsonl"), "--until 1969-12-31T23:59:59Z: expected a time from 1970-01-01T00:00:00Z to 2199-12-31T23:59:59.999999999Z"},
		{replay("--output", "yaml", "events.jsonl"), `--output "yaml": expected table or json`},
		{replay("--output", "JSON", "events.jsonl"), `--output "JSON": expected table or json`},
		{replay("--outcomes", "nowhere/outcomes.jsonl", "events.jsonl"), "creating nowhere/outcomes.jsonl: "},
		{replay("--outcomes", ".", "events.jsonl"), "open .: is a directory"},
		{replay("--outcomes", "out.jsonl", "--journal", "./out.jsonl", "events.jsonl"), "./out.jsonl: is named for two outputs, of which one would be lost"},
		{replay("--journal", "out.jsonl", "--reviews", "nowhere/out.jsonl", "events.jsonl"), "creating nowhere/out.jsonl: "},
		{replay("--outcomes", "./events.jsonl", "events.jsonl"), "./events.jsonl: is read, and would be written over"},
		{replay("--reviews", "program.yaml", "events.jsonl"), "program.yaml: is read, and would be written over"},
		{[]string{"generate", "-p", "program.yaml", "-o", "program.yaml"}, "program.yaml: is read, and would be written over"},

		{[]string{"generate", "x"}, `unknown command "x" for "recoup generate"`},
		{[]string{"generate", "--accounts", "0"}, "accounts 0: expected 1 to 100000000"},
		{[]string{"generate", "--events", "many"}, `invalid argument "many" for "--events" flag`},
		{[]string{"generate", "--start", "January"}, `--start "January": expected a date such as 2026-01-01`},
		{[]string{"generate", "--program", "nowhere.yaml"}, "open nowhere.yaml: no such file or directory"},
		{[]string{"generate", "--out", "nowhere/events.jsonl"}, "creating nowhere/events.jsonl: "},

		{[]string{"import", "csv", "--mapping", "m.yaml"}, "expected files to import, or --inspect FILE"},
		{[]string{"import", "csv", "x.csv"}, "at least one of the flags in the group [mapping inspect] is required"},
		{[]string{"import", "csv", "--inspect", "x.csv", "y.csv"}, `unexpected argument "y.csv": --inspect looks at one file`},
		{[]string{"import", "csv", "--mapping", "nowhere.yaml", "x.csv"}, "open nowhere.yaml: no such file or directory"},
		{[]string{"import", "csv", "--mapping", "program.yaml", "x.csv"}, "program.yaml:1: id: unknown member"},
		{[]string{"import", "csv", "--mapping", "nowhere.yaml", "--link", "guess", "events.jsonl"}, `link "guess": expected matched or none`},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			if got := refuse(t, c.args...); !strings.Contains(got, c.want) {
				t.Errorf("the message is\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"import"}, {"replay", "--help"}} {
		if got := succeed(t, args...); !strings.Contains(got, "Usage:\n  recoup") {
			t.Errorf("recoup %s prints %q", strings.Join(args, " "), got)
		}
	}
}

func TestVersion(t *testing.T) {
	got := succeed(t, "version")
	if !regexp.MustCompile(`^recoup (unknown revision|[0-9a-f]{12})( with changes)?, go\S+ \w+/\w+\n$`).MatchString(got) {
		t.Errorf("the version is %q", got)
	}
}

func TestExitCodes(t *testing.T) {
	violation := violated([]reward.Violation{{Account: "acct-1", Invariant: reward.Conservation, Figures: "balance 5, retained 4"}})
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("no such file"), 2},
		{&cli.Exit{Code: cli.FailedCheck, Err: errors.New("it leaks")}, 1},
		{violation, 3},
		{fmt.Errorf("replaying: %w", violation), 3},
	} {
		if got := cli.ExitCode(c.err); got != c.want {
			t.Errorf("%v exits %d, want %d", c.err, got, c.want)
		}
	}
}

// A violated invariant is a defect of ours: the message has what is needed to
// find it.
func TestViolationsNameAccountAndFigures(t *testing.T) {
	err := violated([]reward.Violation{
		{Account: "acct-1", Invariant: reward.Conservation, Figures: "balance 5, retained 4"},
		{Account: "acct-2", Invariant: reward.RewardIntegrity, Figures: "net reward 7, entitlement 6"},
	})
	const want = "account acct-1: Conservation violated: balance 5, retained 4\n" +
		"account acct-2: Reward Integrity violated: net reward 7, entitlement 6"
	if err.Error() != want {
		t.Errorf("the message is\n%v, want\n%s", err, want)
	}
}
