// Package memory keeps a program's accounts in memory: for replays, tests and
// the lab. Nothing outlives the process.
package memory

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"recoup/internal/store"
	"recoup/ledger"
	"recoup/reward"
)

// Store keeps the accounts of one program. It keeps no text of events and no
// rows of the journal: what it needs of the journal is its sum per account.
type Store struct {
	mu       sync.Mutex
	program  *reward.Program
	observe  func(*reward.Event, []reward.Posting)
	accounts map[string]*account
	log      *log
	unit     unit // reused from batch to batch
}

var _ store.Store = (*Store)(nil)

// account is an account with what its journal adds up to.
type account struct {
	book ledger.Book
	reward.Account
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
	s.unit.Store, s.unit.events, s.unit.marks = s, events, s.unit.marks[:0]
	apply(&s.unit)
	return nil
}

// EachAccount implements store.Store.
func (s *Store) EachAccount(_ context.Context, f func(string) error) error {
	for id := range s.Accounts() {
		if err := f(id); err != nil {
			return err
		}
	}
	return nil
}

// Accounts yields the id of every account, in byte order.
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
// balance. Accounts are independent, so every processor takes some.
func (s *Store) Check() []reward.Violation {
	ids := slices.Collect(s.Accounts())
	found := make([][]reward.Violation, len(ids))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(ids)); i = next.Add(1) - 1 {
				found[i] = s.accounts[ids[i]].check()
			}
		})
	}
	workers.Wait()
	return slices.Concat(found...)
}

func (a *account) check() []reward.Violation {
	found := a.Check()
	if v, ok := a.book.Agrees(&a.Account); !ok {
		found = append(found, v)
	}
	return found
}

// Totals adds up the books of all accounts and reports whether the sums hold them.
func (s *Store) Totals() (total ledger.Book, ok bool) {
	ok = true
	for _, a := range s.accounts {
		ok = total.Add(&a.book) && ok
	}
	return total, ok
}

// window is how many events of a batch are looked up at a time: so many that
// look-ups overlap, so few that what they fetch is still near when it is used.
const window = 128

// unit is one batch at work, with what the events of its window touch.
type unit struct {
	*Store
	events   []reward.Event
	from     int // the window's first event
	marks    []mark
	accounts []*account // nil: not there when the window was loaded
	fresh    []bool     // the account is not kept yet
	cores    []*reward.Account
	touched  int64 // keeps the compiler from dropping reads that only warm
}

// load looks up what the next events touch, one kind of thing after the other:
// see reward.Warm for why.
func (u *unit) load(from int) {
	events := u.events[from:min(from+window, len(u.events))]
	u.from = from
	u.marks, u.accounts, u.fresh, u.cores = u.marks[:0], u.accounts[:0], u.fresh[:0], u.cores[:0]
	for i := range events {
		u.marks = append(u.marks, u.log.markOf(&events[i]))
	}
	u.touched += u.log.warm(u.marks)
	for i := range events {
		a := u.Store.accounts[events[i].Account]
		u.accounts, u.fresh = append(u.accounts, a), append(u.fresh, false)
		if a == nil {
			u.cores = append(u.cores, nil)
		} else {
			u.cores = append(u.cores, &a.Account)
		}
	}
	u.touched += reward.Warm(u.cores, events)
}

// at returns an event's place in the window, which moves on as events are sighted.
func (u *unit) at(i int) int {
	if i >= u.from+len(u.marks) || i < u.from {
		u.load(i)
	}
	return i - u.from
}

// Sighting implements store.Unit.
func (u *unit) Sighting(i int) store.Sighting { return u.log.sighting(u.marks[u.at(i)]) }

// Account implements store.Unit.
func (u *unit) Account(i int) *reward.Account {
	at := u.at(i)
	if u.accounts[at] == nil {
		// An earlier event of the window may have been its first.
		id := u.events[i].Account
		u.accounts[at] = u.Store.accounts[id]
		if u.accounts[at] == nil {
			u.accounts[at], u.fresh[at] = &account{Account: *reward.NewAccount(id, u.program)}, true
		}
	}
	return &u.accounts[at].Account
}

// Record implements store.Unit.
func (u *unit) Record(i int, _ string, _ reward.Result, postings []reward.Posting) {
	at, e := u.at(i), &u.events[i]
	a := u.accounts[at]
	if u.fresh[at] {
		u.Store.accounts[e.Account] = a
	}
	for j := range postings {
		a.book.Post(&postings[j])
	}
	u.log.record(u.marks[at])
	if u.observe != nil {
		u.observe(e, postings)
	}
}
