package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"recoup/internal/kit/inmemory"
)

// process is how a process ended.
type process struct {
	stdout, stderr string
	code           int
}

// asProgram has the binary of these tests be the program, where it is set: nothing has to
// be built for a process of its own.
const asProgram = "RECOUP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	inmemory.Files()
	os.Exit(m.Run())
}

// runs is the program in a process of its own: the one that RECOUP_PROGRAM names, as
// in `make test`, or what the tests were built from.
func runs(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary := os.Getenv("RECOUP_PROGRAM")
	if binary == "" {
		var err error
		if binary, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// end runs a command to its end.
func end(t *testing.T, cmd *exec.Cmd) process {
	t.Helper()
	var out, errs bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return process{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// endless counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestTheProgram runs the program as users do: exit codes, and which stream has what.
func TestTheProgram(t *testing.T) {
	workspace(t)
	run := func(t *testing.T, stdin io.Reader, args ...string) process {
		t.Helper()
		cmd := runs(t, args...)
		cmd.Stdin = stdin
		return end(t, cmd)
	}
	replay := []string{"replay", "-p", "program.yaml", "--output", "json", "--outcomes", "outcomes.jsonl"}

	t.Run("what is done exits 0", func(t *testing.T) {
		got := run(t, nil, append(replay, "events.jsonl")...)
		if got.code != 0 || oneLine(got.stdout) != stateOfPurchase || got.stderr != "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a rejected event exits 0", func(t *testing.T) {
		got := run(t, strings.NewReader(strings.Replace(purchase, "10000", "-1", 1)), append(replay, "-")...)
		if got.code != 0 || oneLine(got.stdout) != `{"accounts":[]}` || got.stderr != "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("bad input exits 2", func(t *testing.T) {
		os.Remove("outcomes.jsonl")
		got := run(t, strings.NewReader(purchase+purchase+"{\n"), append(replay, "-")...)
		if want := (process{"", "recoup: standard input:3: the line ends before its object does\n", 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if _, err := os.Stat("outcomes.jsonl"); err == nil {
			t.Error("the outcomes were written")
		}
	})
	t.Run("bad usage exits 2", func(t *testing.T) {
		for _, args := range [][]string{{"reply"}, {"replay"}, {"replay", "--colour"}, {"replay", "-p", "program.yaml", "nowhere"}} {
			got := run(t, nil, args...)
			if got.code != 2 || got.stdout != "" || !strings.HasPrefix(got.stderr, "recoup: ") || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("recoup %s: %+v", strings.Join(args, " "), got)
			}
		}
	})
	t.Run("a line of 100 MB exits 2 and is not read to its end", func(t *testing.T) {
		line := new(endless)
		stdin := io.MultiReader(strings.NewReader(purchase+`{"id":"`), io.LimitReader(line, 100<<20), strings.NewReader(`"}`+"\n"))
		got := run(t, stdin, append(replay, "-")...)
		if want := (process{"", "recoup: standard input:2: expected a line of at most 1048576 bytes, found a longer one\n", 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if line.read > 10<<20 {
			t.Errorf("%d MB of the line were read", line.read>>20)
		}
	})
	t.Run("a full disk exits 2", func(t *testing.T) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("there is no /dev/full here")
		}
		defer full.Close()
		for _, args := range [][]string{
			append(replay, "events.jsonl"),
			{"replay", "-p", "program.yaml", "events.jsonl"},
			{"generate", "--events", "1000"},
			{"generate", "--events", "3"},
			{"version"},
		} {
			cmd := runs(t, args...)
			cmd.Stdout = full
			if got := end(t, cmd); got.code != 2 || !strings.Contains(got.stderr, "no space left on device") {
				t.Errorf("recoup %s: %+v", strings.Join(args, " "), got)
			}
		}
	})
	t.Run("a pipeline prints the same each time", func(t *testing.T) {
		var states []string
		for range 2 {
			events := run(t, nil, "generate", "--accounts", "20", "--events", "20000", "--seed", "3", "-p", "program.yaml")
			state := run(t, strings.NewReader(events.stdout), append(replay, "-")...)
			if events.code != 0 || state.code != 0 || events.stderr+state.stderr != "" {
				t.Fatalf("generate exits %d, replay %d: %s%s", events.code, state.code, events.stderr, state.stderr)
			}
			states = append(states, state.stdout)
		}
		if states[0] != states[1] {
			t.Error("the same pipeline printed something else")
		}
	})
	t.Run("there is no colour and no progress without a terminal", func(t *testing.T) {
		// A file that is long enough for a progress bar to show.
		if got := run(t, nil, "generate", "--accounts", "100", "--events", "50000", "--out", "many.jsonl"); got != (process{}) {
			t.Fatalf("generate: %+v", got)
		}
		got := run(t, nil, "replay", "-p", "program.yaml", "many.jsonl")
		if got.code != 0 || got.stderr != "" || strings.Contains(got.stdout, "\x1b") {
			t.Errorf("exits %d, says %q and prints\n%s", got.code, got.stderr, got.stdout)
		}
	})
	t.Run("the version is that of the build", func(t *testing.T) {
		if got := run(t, nil, "version"); got.code != 0 || !strings.HasPrefix(got.stdout, "recoup ") || got.stderr != "" {
			t.Errorf("%+v", got)
		}
	})
}
