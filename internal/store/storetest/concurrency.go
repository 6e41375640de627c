package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

const (
	workers = 8  // that deliver side by side
	turns   = 25 // batches of each
)

// sideBySide has every worker deliver the batches of its turns, and returns all
// their answers.
func sideBySide(t *testing.T, s *subject, batch func(worker, turn int) []reward.Event) []answer {
	t.Helper()
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		all     []answer
	)
	for worker := range workers {
		running.Go(func() {
			for turn := range turns {
				answers, err := s.try(context.Background(), batch(worker, turn))
				if err != nil {
					t.Errorf("worker %d, batch %d: %v", worker, turn, err)
					return
				}
				mu.Lock()
				all = append(all, answers...)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return all
}

func differentAccounts(t *testing.T, s *subject) {
	all := sideBySide(t, s, func(worker, turn int) []reward.Event {
		account := fmt.Sprintf("acct-%d", worker)
		return []reward.Event{
			settled(account, fmt.Sprintf("t%d", turn), 10_000),
			settled(fmt.Sprintf("acct-%d-%d", worker, turn), "t1", 10_000),
		}
	})
	if got, want := len(s.accounts(t)), workers*(turns+1); got != want {
		t.Fatalf("%d accounts, want %d", got, want)
	}
	for worker := range workers {
		account := fmt.Sprintf("acct-%d", worker)
		if a, _ := s.state(t, account); a.Balance != 100*turns {
			t.Errorf("%s has balance %d, want %d", account, a.Balance, 100*turns)
		}
		expectNumbers(t, account, all)
	}
}

func oneAccount(t *testing.T, s *subject) {
	all := sideBySide(t, s, func(worker, turn int) []reward.Event {
		id := fmt.Sprintf("%d-%d", worker, turn)
		return []reward.Event{
			settled("shared", id, 10_000),
			redeemed("shared", id, 40),
			refunded("shared", id, id, 5_000),
		}
	})
	a, _ := s.state(t, "shared")
	const each = workers * turns
	if a.NetReward != 50*each || a.Redeemed != 40*each || a.Balance != 10*each || len(a.Transactions) != each {
		t.Errorf("net reward %d, redeemed %d, balance %d of %d purchases, want %d, %d, %d of %d",
			a.NetReward, a.Redeemed, a.Balance, len(a.Transactions), 50*each, 40*each, 10*each, each)
	}
	expectNumbers(t, "shared", all)
}

func oppositeOrder(t *testing.T, s *subject) {
	all := sideBySide(t, s, func(worker, turn int) []reward.Event {
		id := fmt.Sprintf("%d-%d", worker, turn)
		batch := []reward.Event{settled("a", id, 10_000), settled("b", id, 10_000), settled("c", id, 10_000)}
		if worker%2 == 1 {
			batch[0], batch[2] = batch[2], batch[0]
		}
		return batch
	})
	for _, account := range []string{"a", "b", "c"} {
		if a, _ := s.state(t, account); a.Balance != 100*workers*turns {
			t.Errorf("%s has balance %d, want %d", account, a.Balance, 100*workers*turns)
		}
		expectNumbers(t, account, all)
	}
}

func oneOfMany(t *testing.T, s *subject) {
	all := sideBySide(t, s, func(_, turn int) []reward.Event {
		return []reward.Event{settled("shared", fmt.Sprintf("t%d", turn), 10_000)}
	})
	applied := 0
	for _, a := range all {
		if a.Sighting == store.Unseen {
			applied++
		}
	}
	if applied != turns {
		t.Errorf("%d of %d deliveries of %d events were applied, want each once", applied, len(all), turns)
	}
	if a, _ := s.state(t, "shared"); a.Balance != 100*turns {
		t.Errorf("balance %d, want %d", a.Balance, 100*turns)
	}
	expectNumbers(t, "shared", all)
}
