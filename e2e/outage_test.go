package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
)

// TestPostgresGoes stops PostgreSQL in order, and kills it, under load. The
// service must say so clearly, take up its work again by itself, and lose
// nothing.
func TestPostgresGoes(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	db := cluster.NewDatabase(t)
	s := serve(t, db, untimely, "--program", programFile(t))
	c := s.client(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	moments := rand.New(rand.NewPCG(seed, 2))
	l := newLoad(t, 4, 1, seed)
	met := &mishaps{}
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- l.run(c, stop, met.meet) }()

	for round := range often(2, 20) {
		progress(t, s, l)
		time.Sleep(time.Duration(moments.IntN(200)) * time.Millisecond)
		before, down := met.count(), time.Now()
		if round%2 == 0 {
			cluster.Kill(t)
		} else {
			cluster.Stop(t)
		}
		eventually(t, "senders are told", func() error { return s.least(t, met.count(), before+10) })
		told := time.Since(down)
		gone(t, c)
		cluster.Restart(t)
		up := time.Now()
		progress(t, s, l)
		t.Logf("round %d: senders were told after %v; work went on %v after PostgreSQL was back", round, told, time.Since(up))
		c.ready(t)
	}
	finish(t, s, l, met, stop, ended)
	s.stop(t)
	kept(t, db, l.senders)
	verified(t, db)
}

// finish ends a load that goes on under trouble, and compares everything.
func finish(t *testing.T, s *service, l *load, met *mishaps, stop chan struct{}, ended chan error) {
	t.Helper()
	close(stop)
	if err := <-ended; err != nil {
		t.Errorf("a sender met something else than a problem to wait out: %v", err)
	}
	l.settle(t, s.client(t))
	t.Logf("%d events acknowledged; problems met: %v, the slowest after %v", l.acknowledged(), met.codes, met.longest)
	for _, why := range met.unclear {
		t.Errorf("a problem that a sender cannot act on: %s", why)
	}
}

// progress waits until more events are acknowledged.
func progress(t *testing.T, s *service, l *load) {
	t.Helper()
	before := l.acknowledged()
	eventually(t, "senders get on", func() error { return s.least(t, int(l.acknowledged()-before), 20) })
}

// least says that a figure is not there yet, and fails if the service is gone.
func (s *service) least(t *testing.T, have, want int) error {
	t.Helper()
	s.alive(t)
	if have < want {
		return fmt.Errorf("%d, want %d", have, want)
	}
	return nil
}

// gone sees that the service is alive while its database is not, and says that
// it is not ready.
func gone(t *testing.T, c *client) {
	t.Helper()
	if err := c.get("/healthz", new(any)); err != nil {
		t.Errorf("while the database is gone, %v", err)
	}
	status, answer, err := c.ask("GET", "/v1/accounts/purse-0", "", nil, nil)
	if status != 503 {
		t.Errorf("while the database is gone, an account is answered with %d %.300s (%v), want 503", status, answer, err)
	}
	unready(t, c)
}

// unready waits until the service says that it is not ready.
func unready(t *testing.T, c *client) {
	t.Helper()
	eventually(t, "the service says that it is not ready", func() error {
		if status, _, err := c.ask("GET", "/readyz", "", nil, nil); status != 503 {
			return fmt.Errorf("%d, %v", status, err)
		}
		return nil
	})
}
