package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgcluster"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// What is acknowledged is on a standby's disk: a unit of work waits for that, also one
// that only finds out that everything was done before, and one whose wait somebody ends
// is not acknowledged.
func TestACommitWaitsForAStandby(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t)
	url := c.NewDatabase(t)
	standby := c.Standby(t, "a")
	if err := c.Synchronous(pgtest.Any1("a")); err != nil {
		t.Fatal(err)
	}
	d := open(t, url, postgres.Options{Migrate: true})
	warm(t, d)
	direct := connect(t, c.URL("postgres"))
	waits := func(what string, ended <-chan error) {
		t.Helper()
		eventually(t, what+" waits for a standby", func() bool {
			select {
			case err := <-ended:
				t.Fatalf("%s ends with %v while there is no standby", what, err)
			default:
			}
			return number(t, direct, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`) == 1
		})
	}
	update := func(f func(durable.Tx) error) <-chan error {
		ended := make(chan error, 1)
		go func() { ended <- d.Update(context.Background(), f) }()
		return ended
	}

	standby.Stop(t)
	commit := update(func(tx durable.Tx) error { return post(tx, "acct-1") })
	waits("a commit", commit)
	exec(t, direct, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	if err := <-commit; !errors.Is(err, postgres.ErrOutcomeUnknown) || store.ReachOf(err) != store.Database {
		t.Errorf("a commit that is on no standby ends with %v, want an unknown outcome", err)
	}
	expectVersion(t, d, "acct-1", 3) // the primary has it, and would tell a redelivery so

	redelivery := update(func(tx durable.Tx) error {
		_, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{-1}})
		return err
	})
	waits("a redelivery", redelivery)
	standby.Restart(t)
	if err := <-redelivery; err != nil {
		t.Error(err)
	}
}

// A URL of several servers says that one is to take the place of another, so somebody is
// told where none of them has to have what is acknowledged.
func TestAPrimaryWithoutStandbysIsWarnedOf(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t)
	c.NewDatabase(t)
	elsewhere := pgtest.Shared(t)
	for _, at := range []struct {
		what     string
		url      string
		standbys string
		warnings int
	}{
		{"one server", c.URL("postgres"), "", 0},
		{"several and no standby", pgcluster.OneOf("postgres", c.Cluster, elsewhere.Cluster), "", 1},
		{"several, and one is waited for", pgcluster.OneOf("postgres", c.Cluster, elsewhere.Cluster), "nobody", 0},
	} {
		t.Run(at.what, func(t *testing.T) {
			if at.standbys != "" {
				open(t, at.url, postgres.Options{Migrate: true}) // what follows commits nothing
				if err := c.Synchronous(at.standbys); err != nil {
					t.Fatal(err)
				}
			}
			var warnings []string
			d := open(t, at.url, postgres.Options{Migrate: at.standbys == "", Warn: func(what string) { warnings = append(warnings, what) }})
			if err := d.Ping(context.Background()); err != nil {
				t.Error(err)
			}
			if len(warnings) != at.warnings {
				t.Errorf("%d warnings, want %d: %q", len(warnings), at.warnings, warnings)
			}
			for _, w := range warnings {
				if !strings.Contains(w, fmt.Sprint(c.Port())) || !strings.Contains(w, "synchronous_standby_names") {
					t.Errorf("the warning says %q", w)
				}
			}
		})
	}
}

// A server that takes another's place may not know of the last steps of a sequence, since
// nobody waits for these to be on a standby: what it hands out again is no conflict.
func TestNumbersOfAServerThatIsGoneAreForgotten(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t)
	url := c.NewDatabase(t)
	here, there := open(t, url, postgres.Options{Migrate: true}), open(t, url, postgres.Options{})
	direct := connect(t, url)
	warm(t, here) // has a block, most of which it has not used
	exec(t, direct, `SELECT setval('event_numbers', 1, false)`)
	c.Restart(t)
	for n := range 20 {
		if err := there.Update(context.Background(), func(tx durable.Tx) error { return post(tx, fmt.Sprintf("other-%d", n)) }); err != nil {
			t.Fatal(err)
		}
	}
	times := 0
	err := here.Update(context.Background(), func(tx durable.Tx) error { times++; return post(tx, "acct-1") })
	if err != nil || times > 2 { // the first may meet a connection that is closed
		t.Errorf("the unit of work ends with %v after %d times, want two at most", err, times)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}
