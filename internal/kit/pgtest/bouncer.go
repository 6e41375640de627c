package pgtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recoup/internal/kit/pgcluster"
)

// bouncerSettings are pgbouncer's. There are fewer server processes than clients, so
// that these do change theirs.
const bouncerSettings = `[databases]
* = host=127.0.0.1 port=%d user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
logfile = %s
`

// bouncer runs pgbouncer until its standard input ends, which it does when the process
// that started it is gone, however it went.
const bouncer = `PATH=$PATH:/usr/sbin; pgbouncer -q "$1" </dev/null & pid=$!; cat >/dev/null; kill $pid; wait $pid`

// Pooled starts a pgbouncer, which gives each transaction to one of a few connections to
// the server, and returns the URL with which the database of another URL is reached
// through it. It goes with the test.
func Pooled(t testing.TB, direct string) string {
	t.Helper()
	at, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	server, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "recoup-bouncer-") // where whoever runs it may write
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	port, err := pgcluster.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	// pgbouncer refuses to run as root, as PostgreSQL does.
	owner, err := pgcluster.Unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	settings, log := filepath.Join(dir, "settings"), filepath.Join(dir, "log")
	if err := os.WriteFile(settings, fmt.Appendf(nil, bouncerSettings, server, port, log), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("/bin/sh", "-c", bouncer, "sh", settings)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: owner}
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait() // killed, as it was to be
	})
	at.Host = fmt.Sprintf("127.0.0.1:%d", port)
	await(t, at.Host, log)
	return at.String()
}

// await waits until somebody listens.
func await(t testing.TB, address, log string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			said, _ := os.ReadFile(log)
			t.Fatalf("pgbouncer does not listen: %v\n%s", err, strings.TrimSpace(string(said)))
		}
	}
}
