package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"recoup/internal/cli"
	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe/adapter"
	"recoup/program"
)

// sandboxOf serves a design of the lab to the prober.
func sandboxOf(t *testing.T, subject string) (url string) {
	t.Helper()
	d, err := design.Find(subject)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, adapter.Everything("USD")))
	t.Cleanup(s.Close)
	return s.URL
}

func TestProbe(t *testing.T) {
	workspace(t)
	fast := func(url string, more ...string) []string {
		return append([]string{"probe", "--target", url, "--program", "program.yaml", "--rate", "100000", "--settle-bound", "100ms"}, more...)
	}
	stdout, stderr, err := recoup(fast(sandboxOf(t, "A"), "--output", "json", "--html", "report.html")...)
	if cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(err.Error(), "V1") {
		t.Fatalf("error %v, want one that names V1 and exits 1", err)
	}
	if !strings.HasPrefix(stderr, "This moves test money in the sandbox at http://127.0.0.1:") {
		t.Errorf("the first that is said is %q", stderr)
	}
	var r struct {
		Class   string `json:"class"`
		Summary string `json:"summary"`
		Gaps    []struct {
			Row, Outcome string
		} `json:"gaps"`
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Class != "V1" || !strings.HasPrefix(r.Summary, "V1: refunds never take the reward back; ") || len(r.Gaps) < 27 {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(readFile(t, "report.html"), "V1: refunds never take the reward back") {
		t.Error("the page does not name the class")
	}
	stdout, _, err = recoup("probe", "--target", sandboxOf(t, "V3(a)"), "--only", "v3a-floor-at-zero", "--rate", "100000", "--settle-bound", "100ms")
	if cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(stdout, "at the target: expected") {
		t.Errorf("%v\n%s", err, stdout)
	}
	if got := succeed(t, "probe", "--openapi"); !strings.HasPrefix(got, "openapi: ") {
		t.Errorf("the OpenAPI document begins %.40q", got)
	}
}

func TestProbeIsRefused(t *testing.T) {
	workspace(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "at least one of the flags"},
		{[]string{"--target", "http://192.0.2.1:9000"}, "is not a loopback address"},
		{[]string{"--target", "ftp://127.0.0.1"}, "expected a URL"},
		{[]string{"--target", "http://127.0.0.1:1", "--rate", "0"}, "--rate 0: expected at least one"},
		{[]string{"--target", "http://127.0.0.1:1", "--output", "html"}, `--output "html"`},
		{[]string{"--target", "http://127.0.0.1:1", "--only", "g99-none"}, "there is none of that name"},
		{[]string{"--target", "http://127.0.0.1:1", "--only", "nowhere.txt"}, "no such file"},
		{[]string{"--target", "http://127.0.0.1:1", "--program", "nowhere.yaml"}, "no such file"},
	} {
		if got := refuse(t, append([]string{"probe"}, c.args...)...); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.args, got, c.want)
		}
	}
}
