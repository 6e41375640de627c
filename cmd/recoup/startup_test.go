package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/cli"
	"recoup/internal/kit/pgtest"
)

// saysWhatToDo is what a command says that does not start: one line, without what only
// those can read who wrote the program.
func saysWhatToDo(t *testing.T, got process, want string) {
	t.Helper()
	if got.code != cli.BadInput || got.stdout != "" || !strings.HasPrefix(got.stderr, "recoup: ") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("exits %d, says\n%s", got.code, got.stderr)
	}
	if !regexp.MustCompile(want).MatchString(got.stderr) {
		t.Errorf("says %q, want %q", got.stderr, want)
	}
}

// TestAServiceThatCannotStartSaysWhatToDo runs `recoup serve` in every situation in which
// it cannot start.
func TestAServiceThatCannotStartSaysWhatToDo(t *testing.T) {
	workspace(t)
	serve := func(t *testing.T, args ...string) process {
		t.Helper()
		return end(t, runs(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error"}, args...)...))
	}
	makes := func(t *testing.T, db string) {
		t.Helper()
		if got := end(t, runs(t, "migrate", "up", "--db", db)); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	makes(t, "sound")
	writeFile(t, "file", "text")
	writeFile(t, "bad.yaml", "id: x\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no program and no ledger", []string{"--db", "nowhere"}, `there is no ledger at nowhere: name its program with --program FILE`},
		{"no program in a ledger", []string{"--db", "sound"}, `has no program: give one with --program FILE`},
		{"a program that is not there", []string{"--db", "new", "--program", "nowhere.yaml"}, `--program: open nowhere.yaml: no such file`},
		{"a program that is none", []string{"--db", "new", "--program", "bad.yaml"}, `bad.yaml`},
		{"a wrong path", []string{"--db", "a/b/new", "--program", "program.yaml"}, `there is no folder a/b: make that first, or correct the path`},
		{"a file", []string{"--db", "file", "--program", "program.yaml"}, `file is a file, and a ledger is a folder: name another path`},
		{"shards that are not there", []string{"--db", "shards.yaml", "--program", "program.yaml"}, `there is no file shards.yaml; .recoup shards init. makes`},
		{"another kind of database", []string{"--db", "mysql://x", "--program", "program.yaml"}, `--db: "mysql" is no kind of database that this can use; expected a folder`},
		{"a server that is down", []string{"--db", "postgres://u:hidden@127.0.0.1:1/x", "--program", "program.yaml", "--wait", "0"}, `--db: the database cannot be reached: .*refused; start it, or check the host and port`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := serve(t, c.args...)
			saysWhatToDo(t, got, c.want)
			if strings.Contains(got.stderr, "hidden") {
				t.Errorf("it tells the password: %s", got.stderr)
			}
			if _, err := os.Stat("new"); err == nil {
				t.Error("a ledger was made in vain")
			}
		})
	}
	t.Run("a ledger of a later version", func(t *testing.T) {
		mark := readFile(t, "sound/recoup.json")
		writeFile(t, "sound/recoup.json", regexp.MustCompile(`"format":\d+`).ReplaceAllString(mark, `"format":99`))
		saysWhatToDo(t, serve(t, "--db", "sound", "--program", "program.yaml"), `format 99, and this version of recoup has format \d+: run the one that made it`)
		writeFile(t, "sound/recoup.json", mark)
	})
	t.Run("a database of a later version", func(t *testing.T) {
		url := pgtest.NewSchema(t)
		makes(t, url)
		conn, err := pgx.Connect(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(context.Background(), `INSERT INTO migrations (version_id, is_applied) VALUES (9999, true)`); err != nil {
			t.Fatal(err)
		}
		saysWhatToDo(t, serve(t, "--db", url, "--program", "program.yaml"), `knows none after \d+, so a newer recoup has run .recoup migrate. on it: run that one`)
	})
	t.Run("a database that is not there", func(t *testing.T) {
		saysWhatToDo(t, serve(t, "--db", pgtest.Shared(t).URL("nowhere"), "--program", "program.yaml"), `database "nowhere" does not exist; make it with createdb`)
	})
	t.Run("a full disk", func(t *testing.T) {
		dir := tinyDisk(t, "size=256k")
		_ = exec.Command("dd", "if=/dev/zero", "of="+filepath.Join(dir, "ballast"), "bs=4k").Run() // until it is full
		saysWhatToDo(t, serve(t, "--db", filepath.Join(dir, "data"), "--program", "program.yaml"), `no space is left on the disk: .*; free some and start again`)
	})
	t.Run("a read-only folder", func(t *testing.T) {
		dir := tinyDisk(t, "size=64m")
		db := filepath.Join(dir, "data")
		makes(t, db)
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		saysWhatToDo(t, serve(t, "--db", db, "--program", "program.yaml"), `--db: it cannot be written: .*; let this user write there, or name another folder`)
	})
}

// tinyDisk mounts a disk of its own, where that is allowed.
func tinyDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("recoup-test", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A service that is started before its database waits for it.
func TestAServiceWaitsForItsDatabase(t *testing.T) {
	workspace(t)
	cluster := pgtest.Start(t)
	url := cluster.NewDatabase(t)
	cluster.Stop(t)
	cmd := runs(t, "serve", "--dev", "--db", url, "--listen", "127.0.0.1:0", "--wait", "60s")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer func() {
		watchdog.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	}()
	expect := func(text string) {
		t.Helper()
		var all []byte
		for b := make([]byte, 4096); !strings.Contains(string(all), text); {
			n, err := said.Read(b)
			all = append(all, b[:n]...)
			if err != nil {
				t.Fatalf("it ends with %q, want %q", all, text)
			}
		}
	}
	expect("not up yet and is waited for")
	cluster.Restart(t)
	expect("listening on http://")
}
