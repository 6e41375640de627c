package e2e_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recoup/reward"
)

// fences finds the blocks of a page that are run, and what they print.
var fences = regexp.MustCompile("(?s)```(sh|text)\n(.*?)```")

// account finds whose balance a page asks for, and balance what it is.
var (
	account = regexp.MustCompile(`/v1/accounts/([\w-]+)`)
	balance = regexp.MustCompile(`"balance":(-?\d+)`)
)

// TestWebhooksOfProcessors runs the commands of the pages about processors and the feed, as they are
// written, with the real program: a webhook goes in, the account is right, and the notices
// that come out say the same.
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
	if run < 5 {
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
	written, asked, owed := "", "", int64(0)
	var n *notices
	for _, block := range blocks {
		language, text := block[1], strings.ReplaceAll(block[2], "./", folder+"/")
		if language == "text" {
			if written != block[2] {
				t.Fatalf("expected\n%s\nfound\n%s", block[2], written)
			}
			if b := balance.FindStringSubmatch(written); b != nil {
				owed, _ = strconv.ParseInt(b[1], 10, 64)
			}
			continue
		}
		if serve, is := strings.CutPrefix(text, "recoup serve "); is {
			s := serveAs(t, strings.Fields(serve)...)
			address = strings.TrimPrefix(s.url, "http://")
			switch err := rewrite(filepath.Join(folder, "post.sh"), "127.0.0.1:8080", address); {
			case err == nil: // it posts webhooks
				n = keepNotices(t, s, filepath.Join(folder, "data"))
			case !errors.Is(err, fs.ErrNotExist):
				t.Fatal(err)
			}
			continue
		}
		if a := account.FindStringSubmatch(text); a != nil {
			asked = a[1]
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
	switch {
	case n == nil:
	case asked == "" || owed == 0:
		t.Fatal("the page asks for no balance")
	default:
		n.tell(t, asked)
	}
}

// notices are what a service tells of its accounts.
type notices struct {
	client *client
	after  string
	posted map[string]int64 // the sum of the postings told, by account
}

// keepNotices has notices kept, and returns when they are: what happens before is not told.
func keepNotices(t *testing.T, s *service, db string) *notices {
	if got := command(t, "webhooks", "keep", "--db", db, "--for", "24h"); got.code != 0 {
		t.Fatalf("recoup webhooks keep exits %d: %s", got.code, got.stderr)
	}
	n := &notices{client: s.client(t), posted: make(map[string]int64)}
	probes := 0
	eventually(t, "notices are kept", func() error {
		probes++
		id := fmt.Sprint("probe-", probes)
		if _, err := n.client.send(single, linesOf([]reward.Event{{
			Source: "e2e", ID: id, Account: "probe", Time: reward.At(time.Now()), Type: reward.AdjustmentPosted, Fact: id,
			Amount: 1, HasAmount: true, Currency: "USD", Reason: "probe", Actor: "e2e",
		}})); err != nil {
			return err
		}
		if err := n.fetch(); err != nil {
			return err
		}
		if n.posted["probe"] == 0 {
			return fmt.Errorf("nothing is told after %d events", probes)
		}
		return nil
	})
	return n
}

func (n *notices) fetch() error {
	for {
		var page struct {
			Notices []struct {
				Account string
				Notice  struct {
					Data struct {
						Postings []struct{ Amount int64 }
					}
				}
			}
			Next string
		}
		if err := n.client.get("/v1/notices?limit=100&after="+n.after, &page); err != nil {
			return err
		}
		for _, x := range page.Notices {
			for _, p := range x.Notice.Data.Postings {
				n.posted[x.Account] += p.Amount
			}
		}
		n.after = page.Next
		if len(page.Notices) < 100 {
			return nil
		}
	}
}

// tell waits until what was told of an account is what it has.
func (n *notices) tell(t *testing.T, account string) {
	eventually(t, "all that was posted is told", func() error {
		if err := n.fetch(); err != nil {
			return err
		}
		var has struct{ Balance int64 }
		if err := n.client.get("/v1/accounts/"+account, &has); err != nil {
			return err
		}
		if has.Balance == 0 || n.posted[account] != has.Balance {
			return fmt.Errorf("of %s postings of %d are told, and it has %d", account, n.posted[account], has.Balance)
		}
		return nil
	})
}

// TestSourcesAreReadAgainOnHangup: another source is there after SIGHUP; a file with a mistake
// leaves what there is.
func TestSourcesAreReadAgainOnHangup(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, secret := filepath.Join(folder, "sources.yaml"), filepath.Join(folder, "secret")
	write := func(text string) { noError(t, os.WriteFile(file, []byte(text), 0o600)) }
	noError(t, os.WriteFile(secret, []byte("recoup:Passw0rd-made"), 0o600))
	write("sources: [{name: one, kind: marqeta, secret: {file: " + secret + "}}]")
	s := serveAs(t, "--dev", "--db", filepath.Join(folder, "data"), "--sources", file)
	status := func(name string) int {
		r, err := http.NewRequest(http.MethodPost, s.url+"/v1/sources/"+name, strings.NewReader(`{"pings":[]}`))
		noError(t, err)
		r.SetBasicAuth("recoup", "Passw0rd-made")
		answer, err := http.DefaultClient.Do(r)
		noError(t, err)
		defer answer.Body.Close()
		return answer.StatusCode
	}
	becomes := func(name string, want int) {
		t.Helper()
		eventually(t, fmt.Sprintf("%s is answered with %d", name, want), func() error {
			if got := status(name); got != want {
				return fmt.Errorf("it is answered with %d", got)
			}
			return nil
		})
	}
	hangup := func() { noError(t, s.command.Process.Signal(syscall.SIGHUP)) }
	becomes("one", http.StatusOK)
	becomes("two", http.StatusNotFound)
	write("sources: [{name: two, kind: marqeta, secret: {file: " + secret + "}}]")
	hangup()
	becomes("two", http.StatusOK)
	becomes("one", http.StatusNotFound)
	write("sources: [{name: three}]")
	hangup()
	eventually(t, "the mistake is logged", func() error {
		if !strings.Contains(s.said.String(), "stays the one that it was") {
			return fmt.Errorf("it says %s", s.said)
		}
		return nil
	})
	becomes("two", http.StatusOK)
}

// rewrite replaces a text in a file.
func rewrite(file, old, with string) error {
	text, err := os.ReadFile(file)
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
