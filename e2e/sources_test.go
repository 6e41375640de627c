package e2e_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fences finds the blocks of a page that are run, and what they print.
var fences = regexp.MustCompile("(?s)```(sh|text)\n(.*?)```")

// TestWebhooksOfProcessors runs the commands of the pages about processors and the feed, as they are
// written, with the real program.
func TestWebhooksOfProcessors(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not here, which the pages use", tool)
		}
	}
	pages, err := filepath.Glob("../docs/integrate/*.md")
	noError(t, err)
	run := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		noError(t, err)
		blocks := fences.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		run++
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			followPage(t, blocks)
		})
	}
	if run < 2 {
		t.Fatalf("%d pages have commands", run)
	}
}

// followPage runs the blocks of a page in a folder of its own. The one that is a service runs
// until the others are done, at an address of its own.
func followPage(t *testing.T, blocks [][]string) {
	folder := t.TempDir()
	noError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o700))
	noError(t, os.Symlink(recoup(t), filepath.Join(folder, "bin", "recoup")))
	clients, err := filepath.Abs("../clients")
	noError(t, err)
	noError(t, os.Symlink(clients, filepath.Join(folder, "clients")))
	address := "127.0.0.1:8080"
	written := ""
	for _, block := range blocks {
		language, text := block[1], strings.ReplaceAll(block[2], "./", folder+"/")
		if language == "text" {
			if written != block[2] {
				t.Fatalf("expected\n%s\nfound\n%s", block[2], written)
			}
			continue
		}
		if serve, is := strings.CutPrefix(text, "recoup serve "); is {
			s := serveAs(t, strings.Fields(serve)...)
			address = strings.TrimPrefix(s.url, "http://")
			if err := rewrite(filepath.Join(folder, "post.sh"), "127.0.0.1:8080", address); !errors.Is(err, fs.ErrNotExist) {
				noError(t, err)
			}
			continue
		}
		cmd := exec.Command("sh", "-e", "-c", strings.ReplaceAll(text, "127.0.0.1:8080", address))
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"), "NO_PROXY=127.0.0.1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, text, stderrOf(err))
		}
		// An answer ends its line, whatever printed it.
		written = string(out)
	}
}

// rewrite replaces a text in a file, if there is one.
func rewrite(file, old, with string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.ReplaceAll(string(text), old, with)), 0o600)
}

// stderrOf is what a command said that failed.
func stderrOf(err error) string {
	if failed, is := err.(*exec.ExitError); is {
		return string(failed.Stderr)
	}
	return fmt.Sprint(err)
}
