package drivertest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"recoup/internal/store/durable"
)

const (
	workers = 8  // side by side
	turns   = 20 // units of work of each
)

// sideBySide has every worker take its turns.
func sideBySide(t *testing.T, workers int, f func(worker, turn int) error) {
	t.Helper()
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			for turn := range turns {
				if err := f(worker, turn); err != nil {
					t.Errorf("worker %d, turn %d: %v", worker, turn, err)
					return
				}
			}
		})
	}
	running.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// expectChain reads an account's log in both directions and wants it to be one
// unbroken chain of n events, and the account to be where it ends.
func expectChain(t *testing.T, s *subject, account string, n int) {
	t.Helper()
	ctx := context.Background()
	s.view(t, func(r durable.Reader) error {
		row, ok, err := r.Account(ctx, account)
		if err != nil {
			return err
		}
		if !ok || row.Version != int64(n) || string(row.Head) != fmt.Sprintf("%s after %d events", account, n) {
			t.Errorf("%s is at version %d with head %q, want %d events", account, row.Version, row.Head, n)
		}
		var sequence, last int64
		err = r.EventsOf(ctx, account, account, func(e *durable.EventRow) error {
			sequence++
			if e.Sequence != sequence || e.Before != last {
				t.Errorf("%s: event %d of the log has sequence %d and comes after %d, want after %d", account, sequence, e.Sequence, e.Before, last)
			}
			last = e.Number
			return nil
		})
		if sequence != int64(n) || last != row.Last {
			t.Errorf("%s: %d events end with number %d, the account with %d", account, sequence, last, row.Last)
		}
		return err
	})
}

func oneAccount(t *testing.T, s *subject) {
	sideBySide(t, workers, func(int, int) error {
		return s.Update(context.Background(), func(tx durable.Tx) error {
			_, err := appendEvents(tx, "acct-1", 2)
			return err
		})
	})
	expectChain(t, s, "acct-1", 2*workers*turns)
}

func racingForNewAccounts(t *testing.T, s *subject) {
	sideBySide(t, workers, func(_, turn int) error {
		return s.Update(context.Background(), func(tx durable.Tx) error {
			_, err := appendEvents(tx, fmt.Sprintf("acct-%d", turn), 1)
			return err
		})
	})
	for turn := range turns {
		expectChain(t, s, fmt.Sprintf("acct-%d", turn), workers)
	}
}

// oppositeOrder: a unit of work that loads twice can get into a deadlock, and
// one of the two is done again.
func oppositeOrder(t *testing.T, s *subject) {
	s.book(t, "acct-1", 1)
	s.book(t, "acct-2", 1)
	sideBySide(t, 2, func(worker, _ int) error {
		first, second := "acct-1", "acct-2"
		if worker == 1 {
			first, second = second, first
		}
		return s.Update(context.Background(), func(tx durable.Tx) error {
			if _, err := appendEvents(tx, first, 1); err != nil {
				return err
			}
			_, err := appendEvents(tx, second, 1)
			return err
		})
	})
	expectChain(t, s, "acct-1", 2*turns+1)
	expectChain(t, s, "acct-2", 2*turns+1)
}

func racingForNumbers(t *testing.T, s *subject) {
	var (
		mu   sync.Mutex
		seen = make(map[int64]bool)
	)
	sideBySide(t, workers, func(worker, turn int) error {
		var found *durable.Loaded
		err := s.Update(context.Background(), func(tx durable.Tx) (err error) {
			found, err = tx.Load(context.Background(), &durable.Request{Numbers: 1 + worker*turn})
			return err
		})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, n := range found.Numbers {
			if seen[n] {
				return fmt.Errorf("number %d was allotted twice", n)
			}
			seen[n] = true
		}
		return nil
	})
}
