package e2e_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/flaw"
	"recoup/internal/kit/inmemory"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/program"
)

// sandbox starts a process that answers the prober, and returns its address.
func sandbox(t testing.TB, path string, args ...string) (url string) {
	t.Helper()
	s := &service{command: exec.Command(path, args...), said: newSaid(), gone: make(chan struct{})}
	s.command.Stdout, s.command.Stderr = s.said, s.said
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	noError(t, s.command.Start())
	go func() {
		_ = s.command.Wait()
		close(s.gone)
	}()
	t.Cleanup(s.kill)
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		s.alive(t)
		if i := strings.Index(s.said.String(), "http://127.0.0.1:"); i >= 0 {
			address, _, whole := strings.Cut(s.said.String()[i:]+"\n", "\n")
			address, _, _ = strings.Cut(address, " ")
			if whole && !strings.HasSuffix(address, ":") {
				return address
			}
		}
	}
	t.Fatalf("%s does not say where it answers:\n%s", path, s.said)
	return ""
}

// probed is what `recoup probe` finds out in another process.
func probed(t testing.TB, url string, more ...string) (*probe.Result, ended) {
	t.Helper()
	args := append([]string{"probe", "--target", url, "--output", "json", "--rate", "100000", "--settle-bound", "400ms"}, more...)
	got := command(t, args...)
	if got.code != 0 && got.code != 1 {
		t.Fatalf("recoup probe exits %d\n%s", got.code, got.stderr)
	}
	var r probe.Result
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("%v\n%s", err, got.stdout)
	}
	return &r, got
}

// A design that answers in another process is told for what it is: with terms
// found out, and also if the sandbox is slow and two of a hundred calls fail.
func TestProbeTellsDesigns(t *testing.T) {
	t.Parallel()
	designs := design.All()
	for _, v := range design.Variants() {
		designs = append(designs, v.Design)
	}
	sandboxes := []struct {
		name  string
		flags []string
	}{
		{"plain", nil},
		{"slow and failing", []string{"--latency", "1ms", "--failures", "20"}},
	}
	for i, d := range designs {
		for j, s := range sandboxes {
			if !long() && i%[]int{24, 48}[j] != 0 {
				continue // all of them are told in memory by the tests of probe, and some over HTTP
			}
			t.Run(d.Name+", "+s.name, func(t *testing.T) {
				t.Parallel()
				url := sandbox(t, recoup(t), append([]string{"lab", "serve", "--issuer", d.Name}, s.flags...)...)
				r, got := probed(t, url)
				truth, _ := design.TruthOf(d.Name, program.Everyday())
				truth = probe.Visible(d.Name, truth)
				if r.Class != truth.Class {
					t.Errorf("class %s, want %s", r.Class, truth.Class)
				}
				if named, want := r.Named(), truth.Flaws; !slices.Equal(named, want) {
					t.Errorf("flaws %v, want %v", named, want)
				}
				if got.code != 1 && r.Found() || got.code != 0 && !r.Found() {
					t.Errorf("exits %d", got.code)
				}
				if s.flags != nil && r.Calls.Failures == 0 {
					t.Error("no call failed")
				}
			})
		}
	}
}

// The service itself, behind the adapter that comes with it as an example, is
// robust, with clawbacks as the paper publishes them and with everything on.
func TestProbeOfTheService(t *testing.T) {
	t.Parallel()
	adapter := filepath.Join(programs, "adapter")
	if out, err := exec.Command("go", "build", "-o", adapter, "recoup/examples/adapter").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, terms := range map[string]string{
		"as the paper publishes": "clawback_method: proportional\n",
		"everything on":          "clawback_method: rerate\nmaturity_days: 30\n",
	} {
		t.Run(name, func(t *testing.T) {
			if name != "everything on" && !long() {
				t.Skip("everything is more than that: set RECOUP_LONG=1")
			}
			t.Parallel()
			file := filepath.Join(t.TempDir(), "program.yaml")
			text := "id: everyday\ncurrency: USD\n" + terms +
				"rules:\n  - {id: grocery, match: {category: [GROCERY]}, rate: 5%, cap: {reward: 5000, per: cycle}}\n  - {id: base, rate: 1%}\n"
			noError(t, os.WriteFile(file, []byte(text), 0o644))
			// What is asked is what it says, not what it keeps.
			folder, err := os.MkdirTemp(inmemory.Folder(), "recoup-probe-")
			noError(t, err)
			t.Cleanup(func() { os.RemoveAll(folder) })
			s := serve(t, filepath.Join(folder, "data"), "--close-after=800000h", "--program", file)
			url := sandbox(t, adapter, "--listen", freeAddress(t), "--service", s.url)
			r, got := probed(t, url, "--quick", "--program", file)
			if r.Class != flaw.Robust || len(r.Named()) > 0 || got.code != 0 {
				t.Errorf("class %s, flaws %v, exits %d; want %s, none, 0\n%s", r.Class, r.Named(), got.code, flaw.Robust, got.stderr)
			}
		})
	}
}

// freeAddress is one on which nobody answers.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	defer l.Close()
	return l.Addr().String()
}
