package durable_test

import (
	"context"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/kit/pgcluster"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/program"
	"recoup/reward"
)

// A standby that nobody waits for takes the primary's place without the last that was
// acknowledged, and another process delivers something else in its stead: an account is at
// the same version again, by an event with the same number. What a process had at hand of
// it is not what the database has, and is not built on.
func TestWhatIsAtHandIsNotOfAPrimaryThatIsGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	primary := pgtest.Start(t)
	standby := primary.Standby(t, "behind")
	url := pgcluster.OneOf("postgres", primary.Cluster, standby.Cluster)
	process := func() (*engine.Engine, *durable.Programs, *postgres.DB) {
		d, err := postgres.Open(ctx, url, postgres.Options{Migrate: true})
		ok(t, err)
		t.Cleanup(func() { _ = d.Close() })
		programs, err := durable.OpenPrograms(ctx, d, func([]byte) (*reward.Program, error) { return program.Everyday(), nil }, time.Now)
		ok(t, err)
		if _, there := programs.Default(); !there {
			_, _, err := programs.Put(ctx, program.Everyday().ID, []byte("as the test has it"), 0, "test")
			ok(t, err)
		}
		return engine.New(durable.New(d, durable.Options{Programs: programs, Now: epoch})), programs, d
	}
	purchase := func(id string, amount int64) []reward.Event {
		return []reward.Event{{
			Source: "core", ID: id, Account: "a", Time: reward.At(january), Type: reward.TransactionSettled, Transaction: id, Amount: amount, HasAmount: true, Currency: "USD",
		}}
	}
	ok(t, primary.Synchronous("behind"))
	one, _, _ := process()
	_, err := one.Apply(ctx, purchase("t1", 1000), nil)
	ok(t, err)
	ok(t, primary.Synchronous(""))
	standby.Stop(t)
	_, err = one.Apply(ctx, purchase("lost", 90_000), nil)
	ok(t, err)
	primary.Crash(t)
	standby.Restart(t)
	ok(t, standby.Promote())

	other, programs, d := process()
	_, err = other.Apply(ctx, purchase("instead", 10_000), nil)
	ok(t, err)
	for deadline := time.Now().Add(time.Minute); ; {
		// Connections to the one that is gone are found out to be lost one by one.
		if _, err = one.Apply(ctx, purchase("t3", 2000), nil); err == nil || time.Now().After(deadline) {
			break
		}
	}
	ok(t, err)
	report, err := verify.Run(context.Background(), d, verify.Options{Programs: programs})
	ok(t, err)
	if report.Count > 0 || report.Events != 3 {
		t.Errorf("of %d events, %d differences: %v", report.Events, report.Count, report.Differences)
	}
}
