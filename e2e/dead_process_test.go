package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"recoup/internal/pgtest"
	"recoup/reward"
)

// promptly is how soon the others answer when a process dies, in the middle of the rounds:
// in one of them the disk or the machine may have been busy otherwise.
const promptly = 100 * time.Millisecond

// TestTheOthersAnswer kills one of three processes on one database, at random moments
// under load, while it has some of the accounts locked that all of them work on. The
// others go on answering: what it had locked is let go of when its connections are
// closed, which the system does for it.
func TestTheOthersAnswer(t *testing.T) {
	t.Parallel()
	db := pgtest.Start(t).NewDatabase(t)
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
		answers.more(t, 300)
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
	// On a busy machine nobody answers for a while without anybody dying.
	promptly := max(promptly, 4*usual[len(usual)/2])
	if middle := gaps[len(gaps)/2]; middle > promptly {
		t.Errorf("nobody answers for %v, want at most %v", middle, promptly)
	}
	if middle := slowest[len(slowest)/2]; middle > 10*promptly {
		t.Errorf("the slowest answer takes %v, want at most %v: something stays locked", middle, 10*promptly)
	}
	verified(t, db)
}

// settleOn sends settlements of some accounts, one after the other, until it is told to
// stop or there is no answer.
func settleOn(c *client, accounts []string, name string, stop <-chan struct{}, p *pulse) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		id := fmt.Sprintf("%s-%d", name, n)
		e := reward.Event{
			Source: "e2e", ID: id, Account: accounts[rand.IntN(len(accounts))], Type: reward.TransactionSettled, Time: end,
			Transaction: id, Merchant: id, Currency: "USD", Amount: 1000, HasAmount: true,
		}
		begun := time.Now()
		if _, err := c.send(single, linesOf([]reward.Event{e})); err != nil {
			return err
		}
		p.beat(time.Since(begun))
	}
}
