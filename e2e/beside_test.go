package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"recoup/reward"
)

// TestCommandsBesideAService runs every command that looks at a database, or changes what
// is beside the accounts, while a service has it and takes events.
func TestCommandsBesideAService(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		s := serve(t, db, untimely, "--webhook-allow-private", "--program", programFile(t))
		c := s.client(t)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		l := newLoad(t, 2, 1, seed)
		stop, ended := make(chan struct{}), make(chan error, 1)
		go func() { ended <- l.run(c, stop, func(err error, _ time.Duration) error { return err }) }()
		progress(t, s, l)
		b := &beside{T: t, db: db, service: s, client: c, folder: t.TempDir()}
		b.verify()
		b.exports()
		b.checkpoint()
		b.webhooks()
		if strings.HasPrefix(db, "postgres:") {
			if got := command(t, "backup", "--db", db, filepath.Join(b.folder, "copy")); got.code != 2 || !strings.Contains(got.stderr, "pg_dump") {
				t.Errorf("recoup backup exits %d and says %q", got.code, got.stderr)
			}
		} else {
			b.backup()
			b.follow()
		}
		progress(t, s, l)
		close(stop)
		noError(t, <-ended)
		l.settle(t, c)
		s.stop(t)
		kept(t, db, l.senders)
		if left := keysOf(t, db, "checks"); !slices.Equal(left, []string{"checkpoint", "verify"}) {
			t.Errorf("on record are the checks %q", left)
		}
		verified(t, db)
		// What a signed checkpoint covers is still there.
		b.run("verify", "--db", db, "--checkpoint", filepath.Join(b.folder, "note"), "--key", b.verifier)
	})
}

// beside is who runs commands beside a service.
type beside struct {
	*testing.T
	db       string
	service  *service
	client   *client
	folder   string // for what the commands write
	verifier string // of the checkpoint
	sent     int
}

// run runs a command that has to succeed.
func (b *beside) run(args ...string) (stdout, stderr string) {
	b.Helper()
	got := command(b, args...)
	if got.code != 0 {
		b.Fatalf("recoup %s exits %d and says\n%s%s", strings.Join(args, " "), got.code, got.stdout, got.stderr)
	}
	return got.stdout, got.stderr
}

// spend has an event of the account spender acknowledged, and returns its id.
func (b *beside) spend() (id string) {
	b.Helper()
	b.sent++
	id = fmt.Sprintf("spent-%d", b.sent)
	got, err := b.client.send(single, linesOf([]reward.Event{{Source: "e2e", ID: id, Account: "spender", Time: end,
		Type: reward.TransactionSettled, Transaction: id, Amount: 5000, HasAmount: true, Currency: "USD"}}))
	noError(b, err)
	if got[0].String() != "applied" {
		b.Fatalf("%s is %s", id, got[0])
	}
	return id
}

// verify checks what there is.
func (b *beside) verify() {
	b.Helper()
	b.spend()
	if stdout, _ := b.run("verify", "--db", b.db); !strings.HasSuffix(stdout, "No differences.\n") {
		b.Errorf("recoup verify prints\n%s", stdout)
	}
}

func (b *beside) exports() {
	b.Helper()
	id := b.spend()
	if stdout, _ := b.run("export", "journal", "--db", b.db, "--format", "csv", "--account", "spender"); !strings.Contains(stdout, id) {
		b.Errorf("%s is not in the journal\n%s", id, stdout)
	}
	if _, stderr := b.run("export", "sqlite", "--db", b.db, filepath.Join(b.folder, "ledger.db")); !strings.Contains(stderr, " events\n") {
		b.Errorf("recoup export sqlite says %q", stderr)
	}
}

func (b *beside) checkpoint() {
	b.Helper()
	key := filepath.Join(b.folder, "key")
	stdout, _ := b.run("checkpoint", "keygen", "--key-file", key, "e2e.example")
	b.verifier = strings.TrimSpace(stdout)
	b.run("checkpoint", "--db", b.db, "--key-file", key, "-o", filepath.Join(b.folder, "note"))
	b.spend() // which the checkpoint does not cover
	if stdout, _ := b.run("verify", "--db", b.db, "--checkpoint", filepath.Join(b.folder, "note"), "--key", b.verifier); !strings.Contains(stdout, "No differences.\n") {
		b.Errorf("recoup verify prints\n%s", stdout)
	}
}

// webhooks adds an endpoint, which the service knows within a second, and takes it away.
func (b *beside) webhooks() {
	b.Helper()
	var told atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told.Add(1) }))
	b.Cleanup(receiver.Close)
	var o struct{ Endpoints []struct{ ID string } }
	stdout, _ := b.run("webhooks", "add", receiver.URL, "--allow-private", "--db", b.db, "--output", "json")
	noError(b, json.Unmarshal([]byte(stdout), &o))
	eventually(b, "the endpoint is told", func() error {
		if b.spend(); told.Load() == 0 {
			return errors.New("of nothing yet")
		}
		return nil
	})
	b.run("webhooks", "disable", o.Endpoints[0].ID, "--db", b.db)
	if stdout, _ := b.run("webhooks", "list", "--db", b.db, "--output", "json"); !strings.Contains(stdout, o.Endpoints[0].ID) || strings.Contains(stdout, `"disabled_at": null`) {
		b.Errorf("the endpoints are %s", stdout)
	}
	b.run("webhooks", "dead", "--db", b.db)
	b.run("webhooks", "remove", o.Endpoints[0].ID, "--db", b.db)
}

// backup copies the folder: what was acknowledged before is in the copy, which is a ledger
// like any other.
func (b *beside) backup() {
	b.Helper()
	id := b.spend()
	to := filepath.Join(b.folder, "copy")
	b.run("backup", "--db", b.db, to)
	b.copied(to, id)
	if got := command(b, "backup", "--db", b.db, to); got.code != 2 || got.stdout != "" {
		b.Errorf("a backup over another exits %d and says %q", got.code, got.stderr)
	}
	b.copied(to, id)
}

// follow keeps a copy up to date until it is told to stop.
func (b *beside) follow() {
	b.Helper()
	to := filepath.Join(b.folder, "followed")
	f := start(b, recoup(b), []string{"backup", "--db", b.db, to, "--follow", "--every", "100ms"})
	for range 3 {
		id := b.spend()
		eventually(b, "the copy has it", func() error {
			f.alive(b)
			return holds(b, filepath.Join(to, "current"), filepath.Join(b.TempDir(), "look"), id)
		})
	}
	noError(b, f.command.Process.Signal(syscall.SIGINT))
	select {
	case <-f.gone:
	case <-time.After(patience):
		b.Fatal("recoup backup --follow does not end")
	}
	if state := f.command.ProcessState; !state.Success() {
		b.Errorf("recoup backup --follow ended with %v:\n%s", state, f.said)
	}
	b.copied(filepath.Join(to, "current"), "spent-1")
}

// copied sees that a copy is whole and has an event.
func (b *beside) copied(folder, id string) {
	b.Helper()
	b.run("verify", "--db", folder, "--read-only")
	for _, l := range logOf(b, folder) {
		if l.account == "spender" && l.id == id {
			return
		}
	}
	b.Errorf("%s is not in the copy %s", id, folder)
}

// holds says whether the copy that a link leads to has an event. The copy is copied first,
// since it is not this test's to open.
func holds(t testing.TB, link, look, id string) error {
	t.Helper()
	at, err := filepath.EvalSymlinks(link)
	if err != nil {
		return err
	}
	if err := os.CopyFS(look, os.DirFS(at)); err != nil {
		return err // it was replaced meanwhile
	}
	for _, l := range logOf(t, look) {
		if l.account == "spender" && l.id == id {
			return nil
		}
	}
	return fmt.Errorf("%s is not in %s", id, at)
}
