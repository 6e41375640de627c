package probe_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
)

// A search finds what is left, shrinks it to a few moves, and finds nothing at what is sound.
func TestSearch(t *testing.T) {
	for name, want := range map[string]string{
		"A":      "buy t1, refund t1",
		"V3(a)":  "buy t1, redeem all, refund t1",
		"Recoup": "", "C": "", "D": "",
	} {
		r := probed(t, inMemory(designNamed(t, name), program.Everyday()), probe.Plan{Quick: true, Search: 1})
		if r.Search.Histories < 50 && want == "" || r.Search.Calls == 0 {
			t.Errorf("%s: %+v", name, r.Search)
		}
		var got []string
		for _, f := range r.Search.Finds {
			got = append(got, f.Moves)
		}
		if want == "" && got != nil || want != "" && !strings.Contains(strings.Join(got, "\n")+"\n", want+"\n") {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
	}
}

// What goes wrong in one category alone, which pays what others pay, is found, and where
// that is.
func TestSearchBuysEverywhere(t *testing.T) {
	target := targetOf(func(_ *little, b bought, back int64, _ time.Duration) int64 {
		if b.category == "TRAVEL" {
			back = 0
		}
		return (b.amount - back) * 2 / 100
	})
	r := probed(t, target, probe.Plan{Quick: true, Search: 1})
	if len(r.Search.Finds) == 0 || r.Search.Finds[0].Moves != "buy t1 at TRAVEL, refund t1" {
		t.Fatalf("%+v", r.Search)
	}
	if want := "a search found a history that leaves $"; !strings.Contains(r.Verdict(), want) {
		t.Errorf("%q, want %q", r.Verdict(), want)
	}
}

// The script of a find runs as printed, and ends with the two accounts as they were found.
func TestScriptsRun(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	byCall := adapter.Everything("USD")
	byCall.StatementClose = probe.ClosesByCall
	for name, can := range map[string]probe.Capabilities{"V3(a)": adapter.Everything("USD"), "B": byCall} {
		d := designNamed(t, name)
		server := httptest.NewServer(adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, can))
		defer server.Close()
		c, err := probe.Connect(t.Context(), server.URL, quick())
		if err != nil {
			t.Fatal(err)
		}
		r := probed(t, c.Target(), probe.Plan{Name: server.URL, Program: program.Everyday(), Quick: true, Search: 1})
		if len(r.Search.Finds) == 0 {
			t.Fatalf("%s: %+v", name, r.Search)
		}
		find := &r.Search.Finds[0]
		for _, step := range find.Trace {
			if strings.Contains(step.Done, "redeem d 0.00") {
				t.Errorf("%s: %s, want what was asked for", name, step.Done)
			}
		}
		accounts := replay(t, find.Curl)
		leak := accounts[0].Balance - accounts[1].Balance
		for _, step := range find.Trace[len(find.Trace)-1:] {
			if leak+step.Shown.PaidOut != find.Leak {
				t.Errorf("%s: the script ends with %+v, the find leaves %d\n%s", name, accounts, find.Leak, find.Curl)
			}
		}
		other := httptest.NewServer(http.NotFoundHandler())
		defer other.Close()
		if out, err := played(t, find.Curl, "BASE="+other.URL); err == nil {
			t.Errorf("%s: the script ends well where nothing of it is known: %s", name, out)
		}
	}
}

// played runs a script, with more in its environment, and returns what it prints.
func played(t *testing.T, script string, more ...string) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "find.sh")
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", path)
	command.Env = append(append(os.Environ(), probe.TokenVariable+"=a token"), more...)
	return command.Output()
}

// replay runs a script at the target that it was written for, and returns the last two accounts
// that it prints.
func replay(t *testing.T, script string) (accounts [2]probe.Account) {
	t.Helper()
	out, err := played(t, script)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, script)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range accounts {
		if err := json.Unmarshal([]byte(lines[len(lines)-2+i]), &accounts[i]); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if strings.Contains(string(out), `"error"`) {
		t.Errorf("%s\n%s", out, script)
	}
	return accounts
}
