package pgtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func ask(t *testing.T, conn *pgx.Conn, statement string) string {
	t.Helper()
	var answer string
	if err := conn.QueryRow(context.Background(), statement).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return answer
}

func TestDurabilityIsAsPostgreSQLShipsIt(t *testing.T) {
	conn := connect(t, pgtest.Shared(t).NewDatabase(t))
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		if is := ask(t, conn, "SHOW "+setting); is != "on" {
			t.Errorf("%s is %s", setting, is)
		}
	}
}

func TestTheServerIsNotRunByRoot(t *testing.T) {
	c := pgtest.Shared(t)
	info, err := os.Stat(c.SocketDir() + "/data/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner == 0 {
		t.Error("its files are root's")
	}
	ask(t, connect(t, c.SocketURL("postgres")), "SELECT 'the socket works'")
}

func TestDatabasesAreApart(t *testing.T) {
	c := pgtest.Shared(t)
	for range 2 {
		conn := connect(t, c.NewDatabase(t))
		if _, err := conn.Exec(context.Background(), "CREATE TABLE here (n int)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatWasCommittedOutlivesTheServer(t *testing.T) {
	c := pgtest.Start(t)
	url := c.NewDatabase(t)
	if _, err := connect(t, url).Exec(context.Background(), "CREATE TABLE kept (n text); INSERT INTO kept VALUES ('one')"); err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(testing.TB){"stopped": c.Stop, "killed": c.Kill, "running": func(testing.TB) {}} {
		end(t)
		if _, err := pgx.Connect(context.Background(), url); name != "running" && err == nil {
			t.Errorf("%s: the server still lets clients in", name)
		}
		c.Restart(t)
		if n := ask(t, connect(t, url), "SELECT n FROM kept"); n != "one" {
			t.Errorf("%s: kept %q", name, n)
		}
	}
}

// TestMain lets the test below run this binary as a process of its own, which
// starts a cluster and waits to be killed.
func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_VICTIM") == "" {
		os.Exit(m.Run())
	}
	var t victim
	fmt.Println(pgtest.Shared(&t).SocketDir())
	select {}
}

// victim stands for a test in that process.
type victim struct{ testing.TB }

func (*victim) Helper()                {}
func (*victim) Fatal(arguments ...any) { panic(fmt.Sprint(arguments...)) }

func TestNothingIsLeftOfAKilledProcess(t *testing.T) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PGTEST_VICTIM=1")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(line)
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", dir)
		}
	}
}
