package pebble

import (
	"context"
	"fmt"
	"sync"

	"recoup/internal/store"
)

// accountLocks are locks on accounts. Whoever waits for one gets it in turn.
type accountLocks struct {
	mu   sync.Mutex
	held map[string][]chan struct{} // by account: who waits for it
}

// try takes a lock if it is free.
func (l *accountLocks) try(account string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(account)
}

func (l *accountLocks) take(account string) bool {
	if _, held := l.held[account]; held {
		return false
	}
	if l.held == nil {
		l.held = make(map[string][]chan struct{})
	}
	l.held[account] = nil
	return true
}

// lock takes the locks on accounts that are in byte order, and returns how many it has
// when the context ended.
func (l *accountLocks) lock(ctx context.Context, accounts []string) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n < len(accounts) {
		account := accounts[n]
		if l.take(account) {
			n++
			continue
		}
		turn := make(chan struct{})
		l.held[account] = append(l.held[account], turn)
		l.mu.Unlock()
		select {
		case <-turn:
			l.mu.Lock()
			n++
		case <-ctx.Done():
			l.mu.Lock()
			if l.forget(account, turn) {
				return n, busy(account, ctx.Err())
			}
			n++ // it came at the same moment
			return n, busy(account, ctx.Err())
		}
	}
	return n, nil
}

func busy(account string, err error) error {
	return &store.Failure{Reach: store.Busy, Err: fmt.Errorf("waiting for account %s: %w", account, err)}
}

// forget takes somebody out of the queue; false: they have the lock.
func (l *accountLocks) forget(account string, turn chan struct{}) bool {
	queue := l.held[account]
	for i, c := range queue {
		if c == turn {
			l.held[account] = append(queue[:i:i], queue[i+1:]...)
			return true
		}
	}
	return false
}

// unlock gives locks back, each to who waits for it longest.
func (l *accountLocks) unlock(accounts []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, account := range accounts {
		queue := l.held[account]
		if len(queue) == 0 {
			delete(l.held, account)
			continue
		}
		close(queue[0])
		l.held[account] = queue[1:]
	}
}
