package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
)

// stores are the databases that a service can have: how each test gets a new one.
var stores = []struct {
	name     string
	database func(testing.TB) (url string)
}{
	{"pebble", func(t testing.TB) string { return filepath.Join(t.TempDir(), "data") }},
	{"postgres", func(t testing.TB) string { return pgtest.Shared(t).NewDatabase(t) }},
}

// onEachStore runs a test on each of them, side by side.
func onEachStore(t *testing.T, test func(t *testing.T, db string)) {
	t.Parallel()
	for _, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			t.Parallel()
			test(t, store.database(t))
		})
	}
}

// service is a process that serves a database.
type service struct {
	url     string // http://127.0.0.1:…
	command *exec.Cmd
	said    *said
	gone    chan struct{} // closed when the process has ended
}

// patience is how long something may take that takes moments.
const patience = 60 * time.Second

// serve starts a service that ends with the test at the latest, and returns when
// it takes requests.
func serve(t testing.TB, db string, more ...string) *service {
	t.Helper()
	return serveWith(t, recoup(t), db, more...)
}

// untimely has no cycle closed by the service's own clock, which is later than
// the cycles of most traces.
const untimely = "--close-after=87600h"

func serveWith(t testing.TB, program, db string, more ...string) *service {
	t.Helper()
	return launch(t, program, db, more...).ready(t)
}

// serveAs starts a service with these flags of `recoup serve` and no others but a
// free port, and returns when it takes requests.
func serveAs(t testing.TB, flags ...string) *service {
	t.Helper()
	return start(t, recoup(t), append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)).ready(t)
}

// ready waits until the service takes requests.
func (s *service) ready(t testing.TB) *service {
	t.Helper()
	select {
	case address := <-s.said.address:
		s.url = "http://" + address
	case <-s.gone:
		t.Fatalf("the service ended at once:\n%s", s.said)
	case <-time.After(patience):
		t.Fatalf("the service does not say where it listens:\n%s", s.said)
	}
	return s
}

// launch starts a service and does not wait for it.
func launch(t testing.TB, program, db string, more ...string) *service {
	t.Helper()
	return start(t, program, append([]string{"serve", "--dev", "--log-level", "warn", "--listen", "127.0.0.1:0", "--db", db}, more...))
}

// start starts a process that ends with the test at the latest.
func start(t testing.TB, program string, args []string) *service {
	t.Helper()
	s := &service{command: exec.Command(program, args...), said: newSaid(), gone: make(chan struct{})}
	s.command.Stdout, s.command.Stderr = s.said, s.said
	// A test that dies takes its processes along.
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	noError(t, s.command.Start())
	go func() {
		_ = s.command.Wait()
		close(s.gone)
	}()
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("recoup %s ended with %v and said:\n%s", strings.Join(args, " "), s.command.ProcessState, s.said)
		}
	})
	return s
}

// kill ends the process as a crash does.
func (s *service) kill() {
	_ = s.command.Process.Kill()
	<-s.gone
}

// stop has the process end in good order.
func (s *service) stop(t testing.TB) {
	t.Helper()
	noError(t, s.command.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.gone:
	case <-time.After(patience):
		t.Fatalf("the service does not end:\n%s", s.said)
	}
	if state := s.command.ProcessState; !state.Success() {
		t.Errorf("the service ended with %v:\n%s", state, s.said)
	}
}

// alive fails the test if the process has ended.
func (s *service) alive(t testing.TB) {
	t.Helper()
	select {
	case <-s.gone:
		t.Fatalf("the service ended with %v:\n%s", s.command.ProcessState, s.said)
	default:
	}
}

// said is what a process says. Of what is very long, the middle is left out.
type said struct {
	mu      sync.Mutex
	text    []byte
	found   bool
	address chan string // where it listens
}

func newSaid() *said { return &said{address: make(chan string, 1)} }

var listening = regexp.MustCompile(`(?i)listening[^\n]*?(127\.0\.0\.1:[1-9][0-9]*)[^\n]*\n`)

const mostSaid = 32 << 10

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	if !s.found {
		if m := listening.FindSubmatch(s.text); m != nil {
			s.found = true
			s.address <- string(m[1])
		}
	}
	if len(s.text) > 2*mostSaid {
		s.text = append(append(s.text[:mostSaid/2:mostSaid/2], "\n…\n"...), s.text[len(s.text)-mostSaid/2:]...)
	}
	return len(p), nil
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.TrimSpace(s.text))
}

// programFile is the file of the program of accounts that name none.
func programFile(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "house.yaml")
	noError(t, os.WriteFile(file, house, 0o644))
	return file
}
