package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// servedAt is a `recoup serve` in a process of its own.
type servedAt struct {
	cmd *exec.Cmd
	url string
}

var listensOn = regexp.MustCompile(`listening on (http://\S+)`)

// served starts a service on a free port and returns when it listens.
func served(t *testing.T, flags ...string) *servedAt {
	t.Helper()
	s := &servedAt{cmd: runs(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)}
	said, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	watchdog := time.AfterFunc(2*time.Minute, func() { s.cmd.Process.Kill() })
	defer watchdog.Stop()
	var all strings.Builder
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if m := listensOn.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
			go io.Copy(io.Discard, said)
			return s
		}
	}
	t.Fatalf("it does not listen, and says\n%s", &all)
	return nil
}

// end kills the process.
func (s *servedAt) end() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

func (s *servedAt) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	answer, err := http.Get(s.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
