package e2e_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgcluster"
	"recoup/internal/kit/pgtest"
)

// TestThePrimaryDies kills the primary of three servers under load, all of it at once, has
// the standby that has received most take its place and the other follow, and brings the
// dead one back as a standby. Whatever was acknowledged is on the new primary, once. The
// gap is how long no sender got an answer. Nobody has to notice first that the primary is
// dead and decide about it, which takes longer than all the rest.
func TestThePrimaryDies(t *testing.T) {
	t.Parallel()
	t.Run("one database", func(t *testing.T) {
		thePrimaryDies(t, func(url string) string { return url })
	})
	t.Run("shards", func(t *testing.T) {
		if !long() {
			t.Skip("goes through the same as one database does: set RECOUP_LONG=1")
		}
		thePrimaryDies(t, func(url string) string { return shardsAt(t, 4, url) })
	})
}

// thePrimaryDies has the ledger made in the three servers' database.
func thePrimaryDies(t *testing.T, ledger func(url string) (db string)) {
	trio := pgtest.StartTrio(t)
	db := ledger(trio.URL("postgres"))
	program := programFile(t)
	services := []*service{serve(t, db, untimely, "--program", program), serve(t, db, untimely, "--program", program)}
	clients := []*client{services[0].client(t), services[1].client(t)}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	moments := rand.New(rand.NewPCG(seed, 2))
	l := newLoad(t, 5, 2, seed)
	met := &mishaps{}
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- l.spread(clients, stop, met.meet) }()

	var gaps []time.Duration
	for round := range often(2, 60) {
		progress(t, services[0], l)
		time.Sleep(time.Duration(moments.IntN(200)) * time.Millisecond)
		trio.Primary.Crash(t)
		killed := time.Now()
		trio.Promote(t)
		promoted := time.Since(killed)
		progress(t, services[0], l)
		gap, slowest := l.pulse.around(killed, time.Now())
		gaps = append(gaps, gap)
		t.Logf("round %d: a standby had taken over after %v; no sender had an answer for %v, and the slowest answer took %v", round, promoted, gap, slowest)
		trio.Rejoin(t)
	}
	progress(t, services[0], l)
	finish(t, services[0], l, met, stop, ended)
	for i, s := range services {
		clients[i].ready(t)
		if strings.Contains(s.said.String(), "waits for none of them") {
			t.Error("a service warns of missing standbys, though there are two")
		}
		s.stop(t)
	}
	kept(t, db, l.senders)
	verified(t, db)
	t.Logf("gaps: %v", gaps)
}

// TestWithoutSynchronousStandbysEventsAreLost is the same with a standby for which nobody
// waits, and which has been left behind when the primary dies. Then the counting of
// TestThePrimaryDies must find something, and the service must have said so before.
func TestWithoutSynchronousStandbysEventsAreLost(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t)
	standby := primary.Standby(t, "standby")
	db := pgcluster.OneOf("postgres", primary.Cluster, standby.Cluster)
	s := serve(t, db, untimely, "--program", programFile(t))
	if !strings.Contains(s.said.String(), "waits for none of them") {
		t.Errorf("the service does not warn of the missing standbys:\n%s", s.said)
	}
	l := newLoad(t, 2, 0, rand.Uint64())
	met := &mishaps{}
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- l.run(s.client(t), stop, met.meet) }()
	progress(t, s, l)
	standby.Stop(t)
	progress(t, s, l)
	primary.Crash(t)
	close(stop)
	noError(t, <-ended)
	standby.Restart(t)
	noError(t, standby.Promote())
	lost := notKept(t, db, l.senders)
	t.Logf("of %d events that were acknowledged, %d are lost", l.acknowledged(), len(lost))
	if len(lost) < 10 {
		t.Errorf("%d acknowledged events are found to be lost, of which there must be at least 10: %q", len(lost), lost)
	}
}
