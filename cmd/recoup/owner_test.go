//go:build unix

package main

import (
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFilesAreForTheirOwnerAlone: whatever the umask, and whatever there was before,
// nobody but its owner can read what is of a ledger.
func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	workspace(t)
	loosely := func(args ...string) *exec.Cmd {
		cmd := runs(t, args...)
		cmd.Args = append([]string{"sh", "-c", `umask 000 && exec "$0" "$@"`}, cmd.Args...)
		cmd.Path = "/bin/sh"
		return cmd
	}
	done := func(args ...string) {
		t.Helper()
		if p := end(t, loosely(args...)); p.code != 0 {
			t.Fatalf("%v: %d %s", args, p.code, p.stderr)
		}
	}
	done("load", "--db", "data", "--program", "program.yaml", "events.jsonl")
	// As it would be after a copy by hand.
	if err := filepath.WalkDir("data", func(path string, d fs.DirEntry, err error) error { return os.Chmod(path, 0o777) }); err != nil {
		t.Fatal(err)
	}
	service := loosely("serve", "--db", "data", "--program", "program.yaml", "--listen", "127.0.0.1:0")
	var said strings.Builder
	out, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer service.Wait()
	defer service.Process.Kill()
	address := ""
	for b := make([]byte, 4096); address == ""; {
		n, err := out.Read(b)
		if err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
		said.Write(b[:n])
		if _, rest, is := strings.Cut(said.String(), "listening on "); is && strings.Contains(rest, "\n") {
			address, _, _ = strings.Cut(rest, "\n")
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		r, err := http.Get(address + "/readyz")
		if err == nil {
			r.Body.Close()
		}
		if _, missing := os.Stat("data/control.sock"); err == nil && missing == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the service does not come up: %v", err)
		}
	}
	done("backup", "--db", "data", "copy")
	done("checkpoint", "keygen", "--key-file", "key", "origin")
	done("checkpoint", "--db", "data", "--key-file", "key", "-o", "note")
	done("export", "sqlite", "--db", "data", "ledger.sqlite")
	done("export", "journal", "--format", "csv", "--db", "data", "-o", "journal")
	done("secrets", "new", "secrets")
	looked := 0
	for _, top := range []string{"data", "copy", "key", "note", "note.leaves", "ledger.sqlite", "journal", "secrets"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := os.Lstat(path)
			if err != nil {
				return nil // the service has removed it
			}
			if looked++; info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %v", path, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if looked < 20 {
		t.Errorf("%d files were looked at", looked)
	}
}
