package search_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/probe/search"
	"recoup/reward"
)

// hurried are options for a target in the same process.
var hurried = probe.Options{
	Rate: 1_000_000, Backoff: time.Microsecond,
	Settle: probe.Settle{Interval: 100 * time.Microsecond, Quiet: time.Millisecond},
}

// Over HTTP the same is found, and the script of each find ends with the account
// that the find shows, when sh and curl run it.
func TestScriptsReplayFinds(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	byCall := adapter.Everything("USD")
	byCall.StatementClose = probe.ClosesByCall
	least := probe.Capabilities{Currency: "USD", CanSetClock: true, Chargebacks: true, PartialRefunds: true, StatementClose: probe.ClosesByClock}
	merchants := everyday(atOnce)
	merchants.Rules[0].Match = reward.Match{Merchants: map[string]bool{"it's": true, "m.7/a": true}}
	for name, test := range map[string]struct {
		design  string
		program *reward.Program
		can     probe.Capabilities
	}{
		"everything":          {"Literal (instant)", everyday(atOnce), adapter.Everything("USD")},
		"the least":           {"V3(a)", everyday(atOnce), least},
		"statements":          {"Literal (statement)", everyday(atStatements), adapter.Everything("USD")},
		"statements by call":  {"B", everyday(atStatements), byCall},
		"merchants of a kind": {"A", merchants, least},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := design.Find(test.design)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(adapter.Handler(func() issuer.Issuer { return d.New(test.program) }, test.can))
			defer server.Close()
			client, err := probe.Connect(context.Background(), server.URL, hurried)
			if err != nil {
				t.Fatal(err)
			}
			target := search.Target{Target: client.Target(), Program: test.program}
			r := run(t, target, search.Options{Seed: 1, Sequences: 15, Finds: 2, Shrinks: 60})
			if len(r.Finds) == 0 {
				t.Fatalf("%+v", r)
			}
			for i := range r.Finds {
				find := &r.Finds[i]
				want := find.Trace[len(find.Trace)-1].Shown
				shown := replay(t, find.Curl, server.URL)
				if shown.Balance != want.Balance || shown.Redeemable != want.Redeemable {
					t.Errorf("the script ends with %+v, the find with %+v\n%s", shown, want, find.Curl)
				}
			}
		})
	}
}

// replay runs a script and returns the last account that it prints.
func replay(t *testing.T, script, base string) probe.Account {
	t.Helper()
	path := filepath.Join(t.TempDir(), "find.sh")
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", path)
	command.Env = append(os.Environ(), "BASE="+base, probe.TokenVariable+"=a token")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, script)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var shown probe.Account
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &shown); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range lines {
		if strings.Contains(line, `"error"`) {
			t.Errorf("%s\n%s", line, script)
		}
	}
	return shown
}

// A target that fails now and then is accused of nothing that it does not do.
func TestOverAFlakyConnection(t *testing.T) {
	for name, want := range map[string]string{"A": "settle, refund: leaks", "Recoup": ""} {
		t.Run(name, func(t *testing.T) {
			p := everyday(atOnce)
			d, err := design.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			h := adapter.Faults{Seed: 1, Failures: 20}.Wrap(adapter.Handler(func() issuer.Issuer { return d.New(p) }, adapter.Everything("USD")))
			server := httptest.NewServer(h)
			defer server.Close()
			client, err := probe.Connect(context.Background(), server.URL, hurried)
			if err != nil {
				t.Fatal(err)
			}
			r := run(t, search.Target{Target: client.Target(), Program: p}, search.Options{Seed: 1, Sequences: 20})
			if got := strings.Join(signatures(r), "; "); got != want || client.Stats().Replays == 0 {
				t.Errorf("found %q, want %q; %+v", got, want, client.Stats())
			}
		})
	}
}
