package pebble

import (
	"sync"

	"recoup/reward"
)

// standing is what an account's row says besides the head.
type standing struct {
	program       string
	version, last int64 // version 0: there is none
	due           reward.Instant
}

// remembered is how many standings are kept; twice as many at times.
const remembered = 1 << 16

// standings remember how accounts stand that were read or written lately: of an account
// whose head the caller has at hand there is then nothing to read. They are used and
// changed under the lock on the account alone, and no other process changes accounts.
type standings struct {
	mu         sync.Mutex
	young, old map[string]standing
}

func (s *standings) get(account string) (standing, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.young[account]
	if !ok {
		at, ok = s.old[account]
	}
	return at, ok
}

func (s *standings) put(account string, at standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.young) >= remembered || s.young == nil {
		s.old, s.young = s.young, make(map[string]standing)
	}
	s.young[account] = at
}
