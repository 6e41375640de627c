package e2e_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestKilled kills the process at random moments under load, also while it
// starts, and starts it again on the same database. Senders send again what was
// not acknowledged, and some of what was.
func TestKilled(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		moments := rand.New(rand.NewPCG(seed, 2))
		program := programFile(t)
		l := newLoad(t, 4, 1, seed)
		rounds := often(5, 60)
		for round := range rounds {
			if round%5 == 3 {
				s := launch(t, recoup(t), db, untimely, "--program", program)
				time.Sleep(time.Duration(moments.IntN(150)) * time.Millisecond)
				s.kill()
			}
			s := serve(t, db, untimely, "--program", program)
			before := l.acknowledged()
			moment := time.Duration(moments.IntN(400)) * time.Millisecond
			timer := time.AfterFunc(moment, func() { _ = s.command.Process.Kill() })
			err := l.run(s.client(t), nil, func(err error, _ time.Duration) error { return err })
			timer.Stop()
			s.kill()
			t.Logf("round %d: killed after %v; %d events were acknowledged", round, moment, l.acknowledged()-before)
			if err == nil {
				t.Fatal("nobody noticed that the process was killed")
			}
			if round%10 == 9 {
				verified(t, db) // as the crash left it
			}
		}
		s := serve(t, db, untimely, "--program", program)
		l.settle(t, s.client(t))
		s.stop(t)
		kept(t, db, l.senders)
		verified(t, db)
		t.Logf("%d rounds, %d events and %d redemptions acknowledged", rounds, l.acknowledged(), l.purses[0].redeemed)
	})
}
