// Package memory keeps a program's accounts in memory: for replays, tests and
// the lab. Nothing outlives the process.
package memory

import (
	"context"
	"iter"
	"slices"
	"sync"

	"recoup/ledger"
	"recoup/reward"
	"recoup/store"
)

// Store keeps the accounts of one program. It keeps no text of events and no
// rows of the journal: what it needs of the journal is its sum per account.
type Store struct {
	mu       sync.Mutex
	program  *reward.Program
	observe  func(*reward.Event, []reward.Posting)
	accounts map[string]*account
	log      *log
}

var _ store.Store = (*Store)(nil)

// account is an account with what its journal adds up to.
type account struct {
	*reward.Account
	book ledger.Book
}

// New returns an empty store for accounts of the program.
func New(p *reward.Program) *Store {
	return &Store{program: p, accounts: make(map[string]*account), log: newLog()}
}

// Observe has every event that leaves a trace shown to f, with its postings, in
// the order in which they are applied. Neither may be kept.
func (s *Store) Observe(f func(*reward.Event, []reward.Posting)) { s.observe = f }

// Update implements store.Store. Memory cannot fail half way, so it fails only
// before it starts.
func (s *Store) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	apply(&unit{Store: s})
	return nil
}

// Accounts implements store.Store.
func (s *Store) Accounts() iter.Seq[string] {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.accounts))
	for id := range s.accounts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Values(ids)
}

// Account returns an account to read, or nil. It must not be read while the
// store is updated.
func (s *Store) Account(id string) *reward.Account {
	if a := s.accounts[id]; a != nil {
		return a.Account
	}
	return nil
}

// Check checks the invariants of every account, and that its journal gives its
// balance.
func (s *Store) Check() []reward.Violation {
	var found []reward.Violation
	for id := range s.Accounts() {
		a := s.accounts[id]
		found = append(found, a.Check()...)
		if v, ok := a.book.Agrees(a.Account); !ok {
			found = append(found, v)
		}
	}
	return found
}

// Totals adds up the books of all accounts.
func (s *Store) Totals() ledger.Book {
	var total ledger.Book
	for _, a := range s.accounts {
		total.Add(&a.book)
	}
	return total
}

// unit is one batch at work. It remembers what it looked up last, since events
// are sighted, applied and recorded in turn.
type unit struct {
	*Store
	last  *account
	fresh bool // last is not kept yet
	mark  mark
}

// Sighting implements store.Unit.
func (u *unit) Sighting(e *reward.Event) store.Sighting {
	u.mark = u.log.markOf(e)
	return u.log.sighting(u.mark)
}

// Account implements store.Unit.
func (u *unit) Account(id string) *reward.Account {
	u.last = u.accounts[id]
	u.fresh = u.last == nil
	if u.fresh {
		u.last = &account{Account: reward.NewAccount(id, u.program)}
	}
	return u.last.Account
}

// Record implements store.Unit.
func (u *unit) Record(e *reward.Event, _ reward.Result, journal []reward.Posting) {
	if u.fresh {
		u.accounts[e.Account] = u.last
	}
	for i := range journal {
		u.last.book.Post(&journal[i])
	}
	u.log.record(u.mark)
	if u.observe != nil {
		u.observe(e, journal)
	}
}
