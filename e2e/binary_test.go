package e2e_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"recoup/internal/kit/brokertest"
)

// programs is the folder of the programs that the tests build.
var programs string

func TestMain(m *testing.M) {
	brokertest.Main()
	var err error
	if programs, err = os.MkdirTemp("", "recoup-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Most wait for disks, servers and browsers rather than for the processor.
	flag.Parse()
	given := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["test.parallel"] {
		flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	if !given["rapid.checks"] && !long() {
		flag.Set("rapid.checks", "40")
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// The program as users build it, and as the race detector wants it. Each is
// built once, by the first test that asks for it; by nobody where RECOUP_PROGRAM
// and RECOUP_RACED name what has just been built, as in `make test`.
var plain, raced = builder("RECOUP_PROGRAM", "recoup"), builder("RECOUP_RACED", "recoup-race", "-race")

func builder(variable, name string, flags ...string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		if built := os.Getenv(variable); built != "" {
			return built, nil
		}
		path := filepath.Join(programs, name)
		args := append([]string{"build", "-o", path}, flags...)
		build := exec.Command("go", append(args, "recoup/cmd/recoup")...)
		if len(flags) > 0 {
			build.Env = append(os.Environ(), "CGO_ENABLED=1") // the race detector is written in C
		}
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return path, nil
	})
}

// recoup is the program as users build it.
func recoup(t testing.TB) string {
	t.Helper()
	path, err := plain()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// ended is how a command ended.
type ended struct {
	stdout, stderr string
	code           int
}

// command runs the program to its end.
func command(t testing.TB, args ...string) ended {
	t.Helper()
	cmd := exec.Command(recoup(t), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// verified has `recoup verify` recompute everything in a database.
func verified(t testing.TB, db string) {
	t.Helper()
	if got := command(t, "verify", "--db", db); got.code != 0 {
		t.Errorf("recoup verify exits %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// long reports whether there is time.
func long() bool { return os.Getenv("RECOUP_LONG") == "1" }

// often is how often something is done: more if there is time.
func often(short, longer int) int {
	if long() {
		return longer
	}
	return short
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
