package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/reward"
)

// TestTheOthersAnswer kills one of three processes on one database, at random moments
// under load, while it has some of the accounts locked that all of them work on. The
// others go on answering: what it had locked is let go of when its connections are
// closed, which the system does for it, and not only when a lock or a statement has been
// waited for too long. How soon that is, the log says.
func TestTheOthersAnswer(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	db := cluster.NewDatabase(t)
	program := programFile(t)
	var others []*client
	for range 2 {
		others = append(others, serve(t, db, untimely, "--program", program).client(t))
	}
	shared := []string{"all-0", "all-1", "all-2", "all-3"}
	for _, a := range shared {
		others[0].open(t, a)
	}
	var gaps, slowest, usual []time.Duration
	for round := range often(5, 60) {
		dying := serve(t, db, untimely, "--program", program)
		var answers pulse
		var hands sync.WaitGroup
		stop := make(chan struct{})
		hand := func(c *client, name string, p *pulse) {
			hands.Go(func() {
				if err := settleOn(c, shared, fmt.Sprintf("%s-%d", name, round), stop, p); err != nil && p == &answers {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		for i := range 6 {
			hand(others[i%2], fmt.Sprintf("other-%d", i), &answers)
		}
		var last pulse
		for i := range 3 {
			hand(dying.client(t), fmt.Sprintf("dying-%d", i), &last)
		}
		begun := time.Now()
		answers.more(t, 100)
		last.more(t, 20)
		time.Sleep(rand.N(50 * time.Millisecond))
		killed := time.Now()
		dying.kill()
		cluster.Exec(t, "postgres", transactionsEnd)
		answers.more(t, 300)
		// Nobody waits for what the dead process had locked: each of the others is answered
		// again, on each of the accounts.
		for _, a := range shared {
			for i := range others {
				if err := settleOnce(others[i], a, fmt.Sprintf("after-%d-%s-%d", round, a, i)); err != nil {
					t.Errorf("round %d: account %s: %v", round, a, err)
				}
			}
		}
		close(stop)
		ended := time.Now()
		hands.Wait()
		gap, slow := answers.around(killed, ended)
		undisturbed, _ := answers.around(begun.Add(50*time.Millisecond), killed)
		gaps, slowest, usual = append(gaps, gap), append(slowest, slow), append(usual, undisturbed)
	}
	for _, list := range [][]time.Duration{gaps, slowest, usual} {
		slices.Sort(list)
	}
	t.Logf("longest time without an answer: %v; slowest answers: %v; longest time without an answer before the kill: %v", gaps, slowest, usual)
	verified(t, db)
}

// transactionsEnd waits until all transactions have ended that are under way, as those of a
// process that is dead do when its connections are closed.
const transactionsEnd = `DO $$
	DECLARE begun TIMESTAMPTZ := clock_timestamp();
	BEGIN
		WHILE EXISTS (SELECT FROM pg_stat_activity WHERE xact_start < begun AND pid <> pg_backend_pid() AND backend_type = 'client backend') LOOP
			IF clock_timestamp() > begun + INTERVAL '1 minute' THEN
				RAISE 'a transaction of the dead process goes on';
			END IF;
			PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
		END LOOP;
	END $$`

// settleOn sends settlements of some accounts, one after the other, until it is told to
// stop or there is no answer.
func settleOn(c *client, accounts []string, name string, stop <-chan struct{}, p *pulse) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		begun := time.Now()
		if err := settleOnce(c, accounts[rand.IntN(len(accounts))], fmt.Sprintf("%s-%d", name, n)); err != nil {
			return err
		}
		p.beat(time.Since(begun))
	}
}

// settleOnce sends a settlement of an account.
func settleOnce(c *client, account, id string) error {
	return unlocked(func() error {
		_, err := c.send(single, linesOf([]reward.Event{{
			Source: "e2e", ID: id, Account: account, Type: reward.TransactionSettled, Time: end,
			Transaction: id, Merchant: id, Currency: "USD", Amount: 1000, HasAmount: true,
		}}))
		return err
	})
}
