package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// service is a process that serves one database.
type service struct {
	command *exec.Cmd
	address string // http://…
	log     *tail
	gone    chan struct{} // closed when the process has ended
}

// startPatience is how long a service may take to start and to stop.
const startPatience = time.Minute

// startService starts a service and waits until it is ready. The command is told
// the database and where to listen.
func startService(ctx context.Context, serve func(db, listen string) *exec.Cmd, db string) (*service, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &service{command: serve(db, listen), address: "http://" + listen, log: new(tail), gone: make(chan struct{})}
	s.command.Stdout, s.command.Stderr = s.log, s.log
	if err := s.command.Start(); err != nil {
		return nil, fmt.Errorf("start the service: %w", err)
	}
	go func() {
		_ = s.command.Wait()
		close(s.gone)
	}()
	if err := s.ready(ctx); err != nil {
		_, _ = s.stop()
		return nil, fmt.Errorf("start the service: %w\n%s", err, s.log)
	}
	return s, nil
}

// freeAddress is one that nobody listened on a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (s *service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+"/readyz", nil)
		if err != nil {
			return err
		}
		if answer, err := client.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.gone:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("it is not ready: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// stop has the service shut down in order and returns what it used up.
func (s *service) stop() (*Usage, error) {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, err
	}
	select {
	case <-s.gone:
	case <-time.After(startPatience):
		_ = s.command.Process.Kill()
		<-s.gone
		return nil, fmt.Errorf("the service did not shut down in %v:\n%s", startPatience, s.log)
	}
	state := s.command.ProcessState
	if !state.Success() {
		return nil, fmt.Errorf("the service ended with %v:\n%s", state, s.log)
	}
	u := &Usage{CPUSeconds: (state.UserTime() + state.SystemTime()).Seconds()}
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.MaxMemoryMB = int64(r.Maxrss) >> 10
	}
	return u, nil
}

// tail keeps the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if more := len(t.text) - tailSize; more > tailSize {
		t.text = append(t.text[:0], t.text[more:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
