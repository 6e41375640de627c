package e2e_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"recoup/reward"
)

// A folder is held by one process. A second service is refused with a sentence that says
// who has it, and changes nothing; when the first is gone, however it went, the next one
// has it.
func TestAFolderHasOneHolder(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "data")
	program := programFile(t)
	for _, way := range []struct {
		name string
		end  func(*service)
	}{
		{"ends", func(s *service) { s.stop(t) }},
		{"killed", func(s *service) { s.kill() }},
	} {
		first := serve(t, db, untimely, "--program", program)
		c := first.client(t)
		account := "anna-" + way.name
		c.open(t, account)
		spent := reward.Event{Source: "e2e", ID: "e", Account: account, Time: end, Type: reward.TransactionSettled, Transaction: "t", Amount: 5000, HasAmount: true, Currency: "USD"}
		_, err := c.send(single, linesOf([]reward.Event{spent}))
		noError(t, err)

		// As long as the first one cannot write, what is written is the second one's.
		noError(t, first.command.Process.Signal(syscall.SIGSTOP))
		before := filesIn(t, db)
		for _, args := range [][]string{
			{"serve", "--dev", "--listen", "127.0.0.1:0", "--db", db},
			{"serve", "--demo", "--listen", "127.0.0.1:0", "--db", db + "/"},
		} {
			got := command(t, args...)
			want := fmt.Sprintf(`^recoup: %s/? is held by process %d on \S+ \(%s serve\) since 20\S+Z\n$`, regexp.QuoteMeta(db), first.command.Process.Pid, filepath.Base(recoup(t)))
			if got.code != 2 || got.stdout != "" || !regexp.MustCompile(want).MatchString(got.stderr) {
				t.Errorf("recoup %s exits %d, prints %q and says\n%s, want %s", strings.Join(args, " "), got.code, got.stdout, got.stderr, want)
			}
		}
		if after := filesIn(t, db); after != before {
			t.Errorf("the folder had\n%sand has\n%s", before, after)
		}
		noError(t, first.command.Process.Signal(syscall.SIGCONT))
		c.ready(t)
		way.end(first)
	}
	verified(t, db)
	if log := logOf(t, db); len(log) != 4 {
		t.Errorf("the log has %d events, want 4", len(log))
	}
}

// filesIn lists the files of a folder, each with when it was changed last and what is in
// it. LOCK is opened by whoever tries to have it, and never has anything in it.
func filesIn(t *testing.T, folder string) string {
	t.Helper()
	var list strings.Builder
	noError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		at := info.ModTime()
		if info.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		if d.Name() == "LOCK" {
			at = time.Time{}
		}
		fmt.Fprintf(&list, "%s %v %v %x\n", path, info.Mode(), at, sha256.Sum256(text))
		return nil
	}))
	return list.String()
}
