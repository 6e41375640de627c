package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recoup/internal/kit/pgcluster"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store/shards"
	"recoup/reward"
)

// manual is what docs/operations.md has on going back to a moment, by what each piece is for.
type manual struct{ settings, base, moment, archive, recover string }

// readManual reads the commands: every piece that is indented.
func readManual(t *testing.T) manual {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "operations.md"))
	noError(t, err)
	_, section, there := strings.Cut(string(text), "\n### To a moment: PostgreSQL\n")
	section, _, ends := strings.Cut(section, "\n### ")
	if !there || !ends {
		t.Fatal("docs/operations.md has no section on going back to a moment")
	}
	var pieces []string
	within := false
	for line := range strings.Lines(section) {
		code, is := strings.CutPrefix(line, "    ")
		switch {
		case is && within:
			pieces[len(pieces)-1] += code
		case is:
			pieces = append(pieces, code)
		}
		within = is
	}
	if len(pieces) != 6 {
		t.Fatalf("docs/operations.md has %d pieces of commands on going back to a moment, want 6: %q", len(pieces), pieces)
	}
	return manual{pieces[0], pieces[1], pieces[2], pieces[3], pieces[4]}
}

// archived is a server whose log is archived, with what is written about it.
type archived struct {
	*pgtest.Cluster
	manual manual
}

func newArchived(t *testing.T) *archived {
	t.Helper()
	m := readManual(t)
	var settings []string
	for line := range strings.Lines(m.settings) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		// The server's folder is where its commands run: the archive is beside it.
		settings = append(settings, name+"="+strings.ReplaceAll(strings.Trim(value, "'"), "/srv/recoup", ".."))
	}
	a := &archived{pgtest.Start(t, settings...), m}
	a.does(t, "mkdir /srv/recoup/archive")
	return a
}

// does has the server's user run commands as they are written, in folders of the test's own.
func (a *archived) does(t *testing.T, commands string, variables ...string) string {
	t.Helper()
	owner, err := pgcluster.Unprivileged()
	noError(t, err)
	run := exec.Command("/bin/sh", "-e", "-c", strings.ReplaceAll(commands, "/srv/recoup", a.SocketDir()))
	run.Dir = a.SocketDir()
	run.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	run.Env = append(os.Environ(), "PATH="+filepath.Dir(a.Bin("psql"))+":"+os.Getenv("PATH"), "PGUSER=postgres", "SERVER="+a.URL("postgres"), "CONF="+a.SocketDir()+"/data")
	run.Env = append(run.Env, variables...)
	out, err := run.CombinedOutput()
	if err != nil {
		log, _ := os.ReadFile(a.SocketDir() + "/restored.log")
		t.Fatalf("%v\n%s\n%s\n%s", err, commands, out, log)
	}
	return strings.TrimSpace(string(out))
}

// recovered brings back the server as it was at a moment, at a port.
func (a *archived) recovered(t *testing.T, moment string, port int) {
	t.Helper()
	t.Cleanup(func() { a.does(t, "pg_ctl -D /srv/recoup/restored -m immediate -w stop") })
	a.does(t, a.manual.recover, "MOMENT="+moment, "PORT="+strconv.Itoa(port))
}

// receiver is told by webhooks, and says how often of what.
type receiver struct {
	mu   sync.Mutex
	told map[string]int // by webhook-id
	odd  []string       // ids that came with another body than before
	text map[string]string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	id := request.Header.Get("webhook-id")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told[id]++; r.told[id] == 1 {
		r.text[id] = string(body)
	} else if r.text[id] != string(body) {
		r.odd = append(r.odd, id)
	}
}

func (r *receiver) count() (ids, times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.told {
		times += n
	}
	return len(r.told), times
}

func (r *receiver) ids() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make(map[string]bool)
	for id := range r.told {
		ids[id] = true
	}
	return ids
}

// TestBackToAMoment has somebody delete an account's events by mistake, and brings the
// database back as it was just before, with the commands of docs/operations.md, while a
// checkpoint, a receiver of webhooks and the senders have what they have. Of two shards on
// two servers one is brought back, at its place, and the other goes on as it is.
func TestBackToAMoment(t *testing.T) {
	t.Parallel()
	t.Run("one database", func(t *testing.T) {
		t.Parallel()
		a := newArchived(t)
		db := a.NewDatabase(t)
		backToAMoment(t, a, db, db, db, func(moment string) (again string) {
			port, err := pgcluster.FreePort()
			noError(t, err)
			a.recovered(t, moment, port)
			return strings.Replace(db, strconv.Itoa(a.Port()), strconv.Itoa(port), 1)
		})
	})
	t.Run("one of two shards", func(t *testing.T) {
		t.Parallel()
		a := newArchived(t)
		file := filepath.Join(t.TempDir(), "shards.yaml")
		url := a.NewDatabase(t)
		shardsCommand(t, "init", "--shards", "2", "--url", pgtest.Shared(t).NewDatabase(t), "--url", url, "--file", file)
		f, err := shards.ReadFile(file)
		noError(t, err)
		backToAMoment(t, a, file, url+"&search_path="+f.Shards[1].Schema, f.Shards[0].URL+"&search_path="+f.Shards[0].Schema, func(moment string) (again string) {
			a.Stop(t)
			a.recovered(t, moment, a.Port())
			return file
		})
	})
}

// backToAMoment makes the mistake in the schema at a URL, beside which there may be another,
// and goes on at the database that recover returns.
func backToAMoment(t *testing.T, a *archived, db, schema, beside string, recover func(moment string) (again string)) {
	to := &receiver{told: make(map[string]int), text: make(map[string]string)}
	listener := httptest.NewServer(to)
	t.Cleanup(listener.Close)
	elsewhere := t.TempDir()
	key := filepath.Join(elsewhere, "key")
	verifier := strings.TrimSpace(done(t, "checkpoint", "keygen", "--key-file", key, "e2e.example"))
	checkpoint := func(name string) string {
		t.Helper()
		file := filepath.Join(elsewhere, name)
		done(t, "checkpoint", "--db", db, "--key-file", key, "--to", file)
		return file
	}
	s := serve(t, db, untimely, "--program", programFile(t), "--webhook-allow-private")
	c := s.client(t)
	done(t, "webhooks", "add", listener.URL, "--allow-private", "--db", db)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := newLoad(t, 4, 0, seed)
	send := func(n int, senders []*sender) {
		t.Helper()
		var all sync.WaitGroup
		for _, one := range senders {
			all.Go(func() {
				for range n {
					if err := one.request(c); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	probes := 0
	eventually(t, "the endpoint is told", func() error {
		probes++
		if _, err := c.send(single, linesOf([]reward.Event{purchaseOf("probe", fmt.Sprint("probe-", probes))})); err != nil {
			return err
		}
		if _, times := to.count(); times == 0 {
			return errors.New("of nothing yet")
		}
		return nil
	})
	old := newKey(t, db, "operator", "old")

	send(10, l.senders)
	a.does(t, a.manual.base)
	send(20, l.senders)
	early := checkpoint("early")
	send(20, l.senders)
	was := l.acknowledged()
	moment := a.does(t, a.manual.moment)

	// After the moment: a mistake, and what nobody knows yet should not be done any more.
	lost := "sender-0-"
	conn := connected(t, schema)
	for _, table := range []string{"events", "accounts"} {
		tag, err := conn.Exec(t.Context(), "DELETE FROM "+table+" WHERE starts_with(account, $1)", lost)
		noError(t, err)
		if tag.RowsAffected() == 0 {
			t.Fatalf("the mistake is none: %s of %s... were not there", table, lost)
		}
	}
	newer := newKey(t, db, "operator", "newer")
	done(t, "keys", "revoke", "--db", db, old.ID)
	send(20, l.senders[1:])
	later := l.acknowledged() - was
	settled(t, schema, beside)
	late := checkpoint("late")
	s.stop(t)
	if got := command(t, "verify", "--db", db); got.code != 1 || !strings.Contains(got.stdout, lost) {
		t.Errorf("recoup verify exits %d after the mistake, and prints\n%s", got.code, got.stdout)
	}

	a.does(t, a.manual.archive)
	began := time.Now()
	db = recover(moment)
	took := time.Since(began)

	// What was sealed before is there; who lacks what was sealed later is named.
	done(t, "verify", "--db", db, "--checkpoint", early, "--key", verifier)
	if got := command(t, "verify", "--db", db, "--checkpoint", late, "--key", verifier); got.code != 1 || !strings.Contains(got.stdout, "sender-") {
		t.Errorf("with a checkpoint of later, recoup verify exits %d and prints\n%s", got.code, got.stdout)
	}
	verified(t, db)
	valid := make(map[string]bool)
	var list struct {
		Keys []struct {
			ID      string
			Revoked *string `json:"revoked_at"`
		}
	}
	noError(t, json.Unmarshal([]byte(done(t, "keys", "list", "--db", db, "--output", "json")), &list))
	for _, k := range list.Keys {
		valid[k.ID] = k.Revoked == nil
	}
	if _, is := valid[newer.ID]; strings.HasPrefix(db, "postgres") && (!valid[old.ID] || is) {
		t.Errorf("the keys are %v: the one that was revoked later has to be revoked again, and the one made later is unknown", valid)
	}

	// Senders send again; what they are told twice has the id that it had.
	_, times := to.count()
	before := to.ids()
	if strings.HasPrefix(db, "postgres") {
		schema, beside = db, db
	}
	endLease(t, schema)
	s = serve(t, db, untimely, "--webhook-allow-private")
	c = s.client(t)
	applied := 0
	for _, one := range l.senders {
		for i := 0; i < one.tried; i += 20 {
			answers, err := c.send(batch, one.events[i:min(i+20, one.tried)])
			noError(t, err)
			for k, o := range answers {
				if first := one.first[i+k]; o.String() == first.String() && o.String() != "duplicate" {
					applied++
				} else if o.String() != "duplicate" {
					t.Errorf("%s was %s, and after the recovery it is %s", one.events[i+k], first, o)
				}
			}
		}
	}
	for _, one := range l.senders {
		if err := one.check(c); err != nil {
			t.Error(err)
		}
	}
	settled(t, schema, beside)
	_, nowTimes := to.count()
	if len(to.odd) > 0 {
		t.Errorf("%d notices came with another body after the recovery", len(to.odd))
	}
	for id := range to.ids() {
		// What ended by time alone, and is over by the clock, is told if somebody looks before
		// the next event of its account: then there was one the first time, and now there is not.
		if !before[id] && !strings.Contains(to.text[id], `"event":null`) {
			t.Errorf("the receiver is told something new after the recovery: %s", to.text[id])
		}
	}
	if nowTimes == times {
		t.Error("the receiver is told nothing again")
	}
	s.stop(t)
	kept(t, db, l.senders)
	verified(t, db)
	t.Logf("recovered in %v; %d events were acknowledged up to the moment and %d after it, of which %d were applied again; %d notices were sent a second time, none under another id", took, was, later, applied, nowTimes-times)
	if applied == 0 {
		t.Error("nothing was acknowledged after the moment")
	}
}

// done is what a command prints that has to succeed.
func done(t *testing.T, args ...string) string {
	t.Helper()
	got := command(t, args...)
	if got.code != 0 {
		t.Fatalf("recoup %s exits %d and says\n%s%s", strings.Join(args, " "), got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

// settled waits until nothing waits to be sent from the schemas.
func settled(t *testing.T, schemas ...string) {
	t.Helper()
	for _, schema := range schemas {
		conn := connected(t, schema)
		eventually(t, "all is told", func() error {
			var waiting int
			err := conn.QueryRow(t.Context(), "SELECT count(*) FROM records WHERE tab = 'deliveries'").Scan(&waiting)
			if err == nil && waiting > 0 {
				err = fmt.Errorf("%d notices wait", waiting)
			}
			return err
		})
		noError(t, conn.Close(t.Context()))
	}
}

// endLease takes the lease of webhooks from the process that ran at the moment, which would
// end by itself after 75 seconds.
func endLease(t *testing.T, schema string) {
	t.Helper()
	conn := connected(t, schema)
	_, err := conn.Exec(t.Context(), "DELETE FROM records WHERE tab = 'leases'")
	noError(t, err)
}
