// Package pgcluster runs a private PostgreSQL server: its own data, in a
// temporary folder, its own port, and nothing of it left behind. It is for tests
// and for measuring, and differs from a server that one would run in production
// only in that: durability is as PostgreSQL ships it.
//
// PostgreSQL refuses to run as root, so a process that is root runs it as the
// user postgres, or else as nobody. A small shell process watches over the
// server from outside and removes it when this process is gone, however it went.
package pgcluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Cluster is a private PostgreSQL server. Its methods must not be called side by
// side, except those that only name something.
type Cluster struct {
	programs string // folder of the PostgreSQL programs
	dir      string // everything that the server has on disk
	port     int
	Name     string              // what it goes by as a standby
	owner    *syscall.Credential // nil: ours

	server *server // nil while it is stopped
	watch  io.Closer
	closed sync.Once
}

// server is one run of the server's process.
type server struct {
	process *os.Process
	gone    chan struct{} // closed when the process has ended
}

// patience is how long the server may take to start, to recover or to stop.
const patience = time.Minute

// Start makes a cluster and starts it. Settings are those of postgresql.conf,
// such as "max_connections=200". The caller has to Close it.
func Start(settings ...string) (*Cluster, error) {
	programs, err := FindPrograms()
	if err != nil {
		return nil, err
	}
	c := &Cluster{programs: programs}
	err = c.create(func() error {
		// Nothing is lost if the machine dies before initdb's files are on disk.
		if err := c.run("initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
			return err
		}
		return c.configure(settings)
	})
	if err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("make a private PostgreSQL cluster: %w", err)
	}
	return c, nil
}

// create makes the server's folder, has its data filled in, and starts it.
func (c *Cluster) create(fill func() error) (err error) {
	if c.owner, err = Unprivileged(); err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp(socketFolder(), "recoup-pg-"); err != nil {
		return err
	}
	if c.owner != nil {
		if err := os.Chown(c.dir, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return err
		}
	}
	if err := c.keepWatch(); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	// Between finding a free port and using it, somebody else may take it.
	for attempt := 1; ; attempt++ {
		if c.port, err = FreePort(); err != nil {
			return err
		}
		if err = c.start(); err == nil || attempt == 5 || !strings.Contains(c.Log(), "in use") {
			return err
		}
	}
}

// configure adds settings to the server's file of them, where its standbys and the tools
// beside it find them too.
func (c *Cluster) configure(settings []string) error {
	file, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if _, err := fmt.Fprintf(file, "%s = '%s'\n", name, strings.ReplaceAll(value, "'", "''")); err != nil {
			return err
		}
	}
	return nil
}

// socketFolder is where the cluster lives. The path of a unix socket may be no
// longer than about 100 bytes.
func socketFolder() string {
	if dir := os.TempDir(); len(dir) < 60 {
		return dir
	}
	return "/tmp"
}

// FreePort returns a port of 127.0.0.1 that nobody listens at, for a moment at least.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func (c *Cluster) data() string    { return filepath.Join(c.dir, "data") }
func (c *Cluster) pidFile() string { return filepath.Join(c.data(), "postmaster.pid") }
func (c *Cluster) logFile() string { return filepath.Join(c.dir, "log") }

// start starts the server and waits until it lets clients in.
func (c *Cluster) start() error {
	if err := os.Remove(c.logFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	log, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()

	arguments := []string{"-D", c.data(), "-p", strconv.Itoa(c.port), "-k", c.dir, "-c", "listen_addresses=127.0.0.1"}
	command := exec.Command(c.Bin("postgres"), arguments...)
	command.Stdout, command.Stderr = log, log
	c.as(command)
	if err := command.Start(); err != nil {
		return err
	}
	s := &server{process: command.Process, gone: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(s.gone)
	}()
	c.server = s

	for deadline := time.Now().Add(patience); ; {
		select {
		case <-s.gone:
			c.server = nil
			return fmt.Errorf("the server did not start:\n%s", c.Log())
		default:
		}
		if c.ready() {
			return nil
		}
		if time.Now().After(deadline) {
			_ = c.Kill()
			return fmt.Errorf("the server was not ready after %v:\n%s", patience, c.Log())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ready reports whether the server lets clients in, a standby those that only read: the
// last line of its pid file says so.
func (c *Cluster) ready() bool {
	pid, err := os.ReadFile(c.pidFile())
	if err != nil {
		return false
	}
	lines := strings.Split(strings.TrimSpace(string(pid)), "\n")
	state := strings.TrimSpace(lines[len(lines)-1])
	return lines[0] == strconv.Itoa(c.server.process.Pid) && (state == "ready" || state == "standby")
}

// end sends the server a signal and waits until it is gone.
func (c *Cluster) end(how syscall.Signal) error {
	s := c.server
	if s == nil {
		return nil
	}
	c.server = nil
	if err := s.process.Signal(how); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.gone:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the PostgreSQL server did not stop in %v:\n%s", patience, c.Log())
	}
}

// Stop shuts the server down in order; clients are disconnected.
func (c *Cluster) Stop() error { return c.end(syscall.SIGINT) }

// Kill stops the server at once, as a crash of one of its processes does: what it leaves
// on disk has to be recovered by the next start. See Crash for the end of its machine.
func (c *Cluster) Kill() error { return c.end(syscall.SIGQUIT) }

// Restart starts the server again on the same port with the same data, after it
// has shut down in order if it was running.
func (c *Cluster) Restart() error {
	if err := c.Stop(); err != nil {
		return err
	}
	return c.start()
}

// Close kills the server and removes all of it.
func (c *Cluster) Close() (err error) {
	c.closed.Do(func() {
		err = c.Kill()
		if c.dir != "" {
			err = errors.Join(err, os.RemoveAll(c.dir))
		}
		if c.watch != nil {
			err = errors.Join(err, c.watch.Close())
		}
	})
	return err
}

// Log returns what the server has said since it was started last.
func (c *Cluster) Log() string {
	text, err := os.ReadFile(c.logFile())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Port is the port of the server on 127.0.0.1.
func (c *Cluster) Port() int { return c.port }

// SocketDir is the folder of the server's unix socket.
func (c *Cluster) SocketDir() string { return c.dir }

// URL is that of a database, over TCP; "postgres" is always there.
func (c *Cluster) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, url.PathEscape(database))
}

// SocketURL is that of a database, over the unix socket.
func (c *Cluster) SocketURL(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", url.PathEscape(database), url.QueryEscape(c.dir), c.port)
}
