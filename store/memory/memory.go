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
	loaded   []loaded // reused from batch to batch
}

var _ store.Store = (*Store)(nil)

// account is an account with what its journal adds up to.
type account struct {
	reward.Account
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
	apply(s.load(events))
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
		return &a.Account
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
		if v, ok := a.book.Agrees(&a.Account); !ok {
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

// unit is one batch at work.
type unit struct {
	*Store
	events []reward.Event
	loaded []loaded
}

// loaded is what one event of a batch was found to touch.
type loaded struct {
	mark    mark
	account *account // nil: not there when the batch was loaded
	fresh   bool     // account is not kept yet
}

// load looks up what the batch touches. Nothing of this is needed again, but
// look-ups that do not wait for one another take the processor a fraction of the
// time that they would take one by one, each between two events: what it finds
// is near when the events are applied.
func (s *Store) load(events []reward.Event) *unit {
	s.loaded = slices.Grow(s.loaded[:0], len(events))[:len(events)]
	for i := range events {
		e := &events[i]
		l := &s.loaded[i]
		l.mark, l.account, l.fresh = s.log.markOf(e), s.accounts[e.Account], false
		s.log.sighting(l.mark)
	}
	for i := range events {
		if l := &s.loaded[i]; l.account != nil {
			l.account.Warm(&events[i])
		}
	}
	return &unit{s, events, s.loaded}
}

// Sighting implements store.Unit.
func (u *unit) Sighting(i int) store.Sighting { return u.log.sighting(u.loaded[i].mark) }

// Account implements store.Unit.
func (u *unit) Account(i int) *reward.Account {
	l := &u.loaded[i]
	if l.account == nil {
		// An earlier event of the batch may have been its first.
		id := u.events[i].Account
		l.account = u.accounts[id]
		if l.account == nil {
			l.account, l.fresh = &account{Account: *reward.NewAccount(id, u.program)}, true
		}
	}
	return &l.account.Account
}

// Record implements store.Unit.
func (u *unit) Record(i int, _ reward.Result, postings []reward.Posting) {
	l, e := &u.loaded[i], &u.events[i]
	if l.fresh {
		u.accounts[e.Account] = l.account
	}
	for j := range postings {
		l.account.book.Post(&postings[j])
	}
	u.log.record(l.mark)
	if u.observe != nil {
		u.observe(e, postings)
	}
}
