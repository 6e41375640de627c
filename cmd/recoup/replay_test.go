package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	// stateOfPurchase is the example of contract.md, without line breaks.
	stateOfPurchase = `{"accounts":[{"account":"acct-1","status":"open","balance":500,"held":0,"available":500,"redeemed":0,"adjustments":0,` +
		`"net_spend":10000,"net_reward":500,"entitlement":500,"hold_until":null,` +
		`"transactions":[{"id":"t1","status":"SETTLED","amount":10000,"reversed":0,"reward_original":500,"reward_retained":500}]}]}`
	outcomeOfPurchase = `{"id":"e1","source":"core","account":"acct-1","outcome":"applied","code":null}` + "\n"
)

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "") }

func TestReplayWritesWhatIsAskedFor(t *testing.T) {
	workspace(t)
	// A refund that names no purchase and is older than any.
	early := strings.NewReplacer(`"e1"`, `"e2"`, "transaction.settled", "refund.posted", `"transaction":"t1"`, `"refund":"r1"`, "2026-01-05", "2025-12-05").Replace(purchase)
	writeFile(t, "events.jsonl", purchase+early)
	if got := oneLine(succeed(t, replayAll...)); !strings.Contains(got, `"balance":500,`) {
		t.Errorf("the state is %s", got)
	}
	for name, want := range map[string]string{
		"outcomes.jsonl": outcomeOfPurchase + `{"id":"e2","source":"core","account":"acct-1","outcome":"applied","code":"unmatched"}` + "\n",
		"reviews.jsonl":  `{"account":"acct-1","review":"unmatched","fact":"r1","transaction":"","amount":10000,"since":"2026-01-05T10:00:00Z"}` + "\n",
		"journal.jsonl": `{"account":"acct-1","number":1,"time":"2026-01-05T10:00:00Z","kind":"grant","amount":500,"balance":500,"transaction":"t1","rule":"grocery",` +
			`"program":"everyday","source":"core","event":"e1","explanation":"Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down."}` + "\n",
	} {
		if got := readFile(t, name); got != want {
			t.Errorf("%s has\n%s, want\n%s", name, got, want)
		}
	}
	want := []string{"events.jsonl", "journal.jsonl", "outcomes.jsonl", "program.yaml", "reviews.jsonl"}
	if got := folder(t); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestReplayWritesNothingThatIsNotAskedFor(t *testing.T) {
	workspace(t)
	succeed(t, "replay", "-p", "program.yaml", "events.jsonl")
	if got, want := folder(t), []string{"events.jsonl", "program.yaml"}; !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestReplayPrintsATableByDefault(t *testing.T) {
	workspace(t)
	byDefault := succeed(t, "replay", "-p", "program.yaml", "events.jsonl")
	if asked := succeed(t, "replay", "-p", "program.yaml", "--output", "table", "events.jsonl"); asked != byDefault {
		t.Errorf("with --output table it prints\n%swithout\n%s", asked, byDefault)
	}
	for _, want := range []string{"│ applied │", "│ acct-1  │ open   │   $100.00 │", "$5.00 │"} {
		if !strings.Contains(byDefault, want) {
			t.Errorf("the table lacks %q:\n%s", want, byDefault)
		}
	}
}

func TestReplayUntil(t *testing.T) {
	workspace(t)
	writeFile(t, "program.yaml", everyday+"timing: {grant: statement, clawback: statement}\nredemption: {grace_days: 10}\n")
	for _, c := range []struct{ until, want string }{
		{"", `"balance":0,`},
		{"2026-01-31T23:59:59.999999999Z", `"balance":0,`},
		{"2026-02-01T00:00:00Z", `"balance":500,`},
		{"2026-01-31T20:00:00-04:00", `"balance":500,`},
		{"2026-02-01T00:00:00Z", `"hold_until":"2026-02-11T00:00:00Z",`},
		{"2027-06-01T00:00:00Z", `"hold_until":"2027-06-11T00:00:00Z",`},
	} {
		got := oneLine(succeed(t, "replay", "-p", "program.yaml", "--output", "json", "--until", c.until, "events.jsonl"))
		if !strings.Contains(got, c.want) {
			t.Errorf("until %s the state is %s, want %s", c.until, got, c.want)
		}
	}
}

// fromStandardInput has standard input give the text.
func fromStandardInput(t *testing.T, text string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	os.Stdin = r
	t.Cleanup(func() {
		os.Stdin = old
		r.Close()
	})
	go func() {
		io.WriteString(w, text)
		w.Close()
	}()
}

func TestReplayReadsStandardInput(t *testing.T) {
	workspace(t)
	fromStandardInput(t, purchase)
	if got := oneLine(succeed(t, "replay", "-p", "program.yaml", "--output", "json", "-")); got != stateOfPurchase {
		t.Errorf("the state is\n%s, want\n%s", got, stateOfPurchase)
	}
	fromStandardInput(t, purchase+"[]\n")
	const want = "standard input:2: expected an object, found an array"
	if got := refuse(t, "replay", "-p", "program.yaml", "-"); got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
	fromStandardInput(t, "")
	if got := oneLine(succeed(t, "replay", "-p", "program.yaml", "--output", "json", "-")); got != `{"accounts":[]}` {
		t.Errorf("the state of nothing is %s", got)
	}
}

// What is no regular file is written in place: a device must not be replaced by
// a file of its name. The link stands for it, so that only the link is at risk.
func TestReplayWritesToDevicesInPlace(t *testing.T) {
	workspace(t)
	if err := os.Symlink(os.DevNull, "sink"); err != nil {
		t.Skipf("there are no links to devices here: %v", err)
	}
	before := folder(t)
	succeed(t, "replay", "-p", "program.yaml", "--outcomes", "sink", "--journal", "sink", "events.jsonl")
	if target, err := os.Readlink("sink"); target != os.DevNull {
		t.Errorf("the link to the device leads to %q: %v", target, err)
	}
	if after := folder(t); !slices.Equal(before, after) {
		t.Errorf("the folder had %q and has %q", before, after)
	}
}

func TestReplayReplacesEarlierOutputs(t *testing.T) {
	workspace(t)
	writeFile(t, "outcomes.jsonl", strings.Repeat("of yesterday\n", 1000))
	succeed(t, "replay", "-p", "program.yaml", "--outcomes", "outcomes.jsonl", "events.jsonl")
	if got := readFile(t, "outcomes.jsonl"); got != outcomeOfPurchase {
		t.Errorf("the file of outcomes has %q, want %q", got, outcomeOfPurchase)
	}
	info, err := os.Stat("outcomes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("the file of outcomes has mode %v, want -rw-------", got)
	}
}
