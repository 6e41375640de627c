package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/cli"
	"recoup/internal/kit/signing"
)

// keygen makes a signing key and returns the one that checks its signatures.
func keygen(t *testing.T) (key string) {
	t.Helper()
	return strings.TrimSpace(succeed(t, "checkpoint", "keygen", "--key-file", "signing.key", "rewards.example.com"))
}

func TestACheckpointIsKeptInAFileAFolderOrAtAnAddress(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		stored(t, db, "acct-1", "acct-2")
		key := keygen(t)
		const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
		if err := os.WriteFile("secret", []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		status := http.StatusNoContent
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if err := signing.Verify(r.Header, body, secret, time.Now(), signing.Tolerance); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile("received", body, 0o600); err != nil {
				t.Error(err)
			}
			w.WriteHeader(status)
		}))
		defer receiver.Close()

		take := []string{"checkpoint", "--db", db, "--key-file", "signing.key", "--to"}
		succeed(t, append(take, "kept")...)
		succeed(t, append(take, "many/")...)
		succeed(t, append(take, "many")...)
		succeed(t, append(take, receiver.URL, "--secret-file", "secret", "--allow-private")...)
		if names, _ := filepath.Glob("many/*.checkpoint"); len(names) != 2 {
			t.Errorf("in the folder are %q, want two", names)
		}
		for _, name := range []string{"kept", "many", "received"} {
			out := succeed(t, "verify", "--db", db, "--checkpoint", name, "--key", key)
			if !strings.Contains(out, "by rewards.example.com covers 2 events of 2 accounts.\n") || !strings.HasSuffix(out, "\nNo differences.\n") {
				t.Errorf("against %s it prints\n%s", name, out)
			}
		}

		status = http.StatusTeapot
		for _, c := range []struct{ want, to string }{
			{"keeping a checkpoint at " + receiver.URL + ": answered 418", receiver.URL + "/token --secret-file secret --allow-private"},
			{"expected a file with the secret", "https://example.com"},
			{"expected https", "http://example.com --secret-file secret"},
			{"followed by base64", "https://example.com --secret-file program.yaml"},
			{"a secret is of use for an address", "kept --secret-file secret"},
			{"no such file", "nowhere/kept"},
			{"were all set", "kept -o other"},
		} {
			_, _, err := recoup(append(take, strings.Fields(c.to)...)...)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "/token") {
				t.Errorf("--to %s ends with %v, want %q", c.to, err, c.want)
			}
		}
		if got := refuse(t, "verify", "--db", db, "--checkpoint", "kept", "--leaves", "kept", "--key", key); !strings.Contains(got, "has its leaves itself") {
			t.Errorf("with leaves twice the message is %q", got)
		}
		if err := os.Mkdir("empty", 0o700); err != nil {
			t.Fatal(err)
		}
		if got := refuse(t, "verify", "--db", db, "--checkpoint", "empty", "--key", key); !strings.Contains(got, "there is no checkpoint in it") {
			t.Errorf("of an empty folder the message is %q", got)
		}
	})
}

// serving is a service in a process of its own.
type serving struct {
	*exec.Cmd
	url  string
	said chan string // lines of standard error
}

// serveProcess starts recoup serve on the folder data.
func serveProcess(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{Cmd: runs(t, append([]string{"serve", "--dev", "--db", "data", "--listen", "127.0.0.1:0", "--program", "program.yaml"}, args...)...), said: make(chan string, 1000)}
	out, err := s.StderrPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	go func() {
		defer close(s.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.said <- lines.Text()
		}
	}()
	_, s.url, _ = strings.Cut(s.until(t, "listening on "), "listening on ")
	return s
}

// until waits for a line with a text.
func (s *serving) until(t *testing.T, text string) string {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case line, ok := <-s.said:
			if strings.Contains(line, text) {
				return line
			}
			if !ok {
				t.Fatalf("the service ended without saying %q", text)
			}
		case <-late:
			t.Fatalf("the service did not say %q", text)
		}
	}
}

func (s *serving) kill() {
	s.Process.Kill()
	s.Wait()
}

// buy sends a purchase by each account, and returns when all are acknowledged.
func (s *serving) buy(t *testing.T, accounts ...string) {
	t.Helper()
	for _, account := range accounts {
		answer, err := http.Post(s.url+"/v1/events", "application/cloudevents+json", strings.NewReader(strings.Replace(purchase, "acct-1", account, 1)))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if !bytes.Contains(body, []byte("applied")) {
			t.Fatalf("a purchase is answered %s", body)
		}
	}
}

// A log that is cut is one that ends earlier, as it would after a crash: what was
// acknowledged after that is gone, and nothing in the folder says so.
func TestACutLogIsNoticedByACheckpointThatIsKeptElsewhere(t *testing.T) {
	workspace(t)
	key := keygen(t)
	s := serveProcess(t, "--checkpoint-to", "kept", "--checkpoint-key-file", "signing.key", "--checkpoint-every", "1s")
	s.buy(t, "early-1", "early-2")
	logs, _ := filepath.Glob("data/*.log")
	log := slices.Max(logs)
	whole, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	var accounts []string
	for i := range 20 {
		accounts = append(accounts, fmt.Sprintf("late-%02d", i))
	}
	s.buy(t, accounts...)
	for covered := false; !covered; {
		kept, err := os.ReadFile("kept")
		covered = err == nil && bytes.Contains(kept, []byte("\nevents 22\n"))
	}
	s.kill()
	if err := os.Truncate(log, whole.Size()); err != nil {
		t.Fatal(err)
	}

	if out := succeed(t, "verify", "--db", "data", "--read-only"); !strings.Contains(out, "\nNo differences.\n") || !strings.HasPrefix(out, "2 accounts, 2 events") {
		t.Errorf("without the checkpoint it prints\n%s", out)
	}
	out, _, err := recoup("verify", "--db", "data", "--read-only", "--checkpoint", "kept", "--key", key)
	if err == nil || cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(out, "Differences: 20.\n") {
		t.Errorf("with the checkpoint it ends with %v and prints\n%s", err, out)
	}
	// Their names went with them.
	if n := strings.Count(out, "│ accounts that the checkpoint signed │ one of 1 events that is called "); n != len(accounts) {
		t.Errorf("%d of %d accounts are said to be gone:\n%s", n, len(accounts), out)
	}

	before := readFile(t, "kept")
	s = serveProcess(t, "--checkpoint-to", "kept", "--checkpoint-key-file", "signing.key", "--checkpoint-every", "1s")
	if line := s.until(t, "keeping a checkpoint failed"); !strings.Contains(line, "the database lacks 20 events of 20 accounts that") {
		t.Errorf("the service that is started on it says %s", line)
	}
	s.kill()
	if readFile(t, "kept") != before {
		t.Error("the checkpoint that says what is gone was written over")
	}
}
