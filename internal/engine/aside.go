package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/store"
	"recoup/reward"
)

// Reason is why an account is set aside.
type Reason uint8

// The reasons.
const (
	Damaged Reason = iota + 1 // what is kept of it cannot be read
	Locked                    // somebody else has it locked and does not let go of it
)

// Reasons are all of them.
var Reasons = []Reason{Damaged, Locked}

// String returns the reason's name on the wire.
func (r Reason) String() string {
	switch r {
	case Damaged:
		return "damaged"
	case Locked:
		return "locked"
	}
	return "unknown"
}

// SetAside is an account that nothing can be applied to, and why. Events of it are
// refused at once, so that those of others do not wait or fail with them.
type SetAside struct {
	Account string
	Reason  Reason
	Since   time.Time
	Err     error // what the store said
}

// AsideError is the error of Apply where some of the events are of accounts that are set
// aside. The others were applied.
type AsideError struct {
	// Failed has, by its place among those that Apply was given, each event that was not
	// applied. Of an account they are the last ones: none after the first was.
	Failed map[int]*SetAside
}

// First returns the account of the first of the events.
func (e *AsideError) First() *SetAside {
	least := -1
	for at := range e.Failed {
		if least < 0 || at < least {
			least = at
		}
	}
	return e.Failed[least]
}

// Error names the first account, and says how many events were not applied.
func (e *AsideError) Error() string {
	first := e.First()
	return fmt.Sprintf("%d events of accounts that are set aside, such as one that is %v: %v", len(e.Failed), first.Reason, first.Err)
}

// Unwrap returns what the store said of the first account.
func (e *AsideError) Unwrap() error { return e.First().Err }

// How often accounts that are set aside are tried again: at first, and at most, as the
// pause is doubled each time.
const (
	firstProbe  = 250 * time.Millisecond
	lastProbe   = 5 * time.Second
	probeWithin = 5 * time.Second // what one try may take
)

// mostAside is how many accounts are set aside at most. Where more than so many are
// damaged or locked, it is not they that are the exception.
const mostAside = 10_000

// aside is the accounts of an engine that are set aside.
type aside struct {
	prober store.Prober // nil: none ever is, since nobody would find out when to let it in
	tell   func(SetAside, bool)

	count      atomic.Int32
	generation atomic.Uint64 // how often one was added
	mu         sync.Mutex
	accounts   map[string]*outcast
	added      chan struct{} // has an element when somebody is to be tried sooner than was known
}

// outcast is an account that is set aside, with when it is tried again.
type outcast struct {
	SetAside
	pause time.Duration
	next  time.Time
}

func (a *aside) open(s store.Store) {
	a.prober, _ = s.(store.Prober)
	a.accounts, a.added = make(map[string]*outcast), make(chan struct{}, 1)
}

// of returns why an account is set aside; nil: it is not.
func (a *aside) of(account string) *SetAside {
	if a.count.Load() == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if at := a.accounts[account]; at != nil {
		return &at.SetAside
	}
	return nil
}

// put sets an account aside, unless it is already.
func (a *aside) put(account string, why Reason, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.prober == nil || a.accounts[account] != nil || len(a.accounts) >= mostAside {
		return
	}
	now := time.Now()
	at := &outcast{SetAside{account, why, now, err}, firstProbe, now.Add(firstProbe)}
	a.accounts[account] = at
	a.count.Add(1)
	a.generation.Add(1)
	a.told(at.SetAside, true)
	select {
	case a.added <- struct{}{}:
	default:
	}
}

func (a *aside) told(s SetAside, is bool) {
	if a.tell != nil {
		a.tell(s, is)
	}
}

// list returns the accounts, in byte order.
func (a *aside) list() []SetAside {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]SetAside, 0, len(a.accounts))
	for _, at := range a.accounts {
		list = append(list, at.SetAside)
	}
	slices.SortFunc(list, func(x, y SetAside) int { return cmp.Compare(x.Account, y.Account) })
	return list
}

// watch tries the accounts now and again, and lets those in again with which nothing is
// wrong any more, until the context ends.
func (a *aside) watch(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.added:
		case <-timer.C:
		}
		next := a.probe(ctx)
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
	}
}

// probe tries those whose time has come, and returns when that of the next comes; zero if
// there is none.
func (a *aside) probe(ctx context.Context) (next time.Time) {
	var due []SetAside
	now := time.Now()
	a.mu.Lock()
	for _, at := range a.accounts {
		if !at.next.After(now) {
			due = append(due, at.SetAside)
		}
	}
	a.mu.Unlock()
	for _, s := range due {
		trying, cancel := context.WithTimeout(ctx, probeWithin)
		err := a.prober.Probe(trying, s.Account, s.Reason == Damaged)
		cancel()
		if ctx.Err() != nil {
			return time.Time{}
		}
		a.tried(s.Account, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, at := range a.accounts {
		if next.IsZero() || at.next.Before(next) {
			next = at.next
		}
	}
	return next
}

// tried notes what became of trying an account.
func (a *aside) tried(account string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.accounts[account]
	if err == nil {
		delete(a.accounts, account)
		a.count.Add(-1)
		a.told(at.SetAside, false)
		return
	}
	if why, of := atFault(err); slices.Contains(of, account) {
		at.Reason, at.Err = why, err
	}
	at.pause = min(2*at.pause, lastProbe)
	at.next = time.Now().Add(at.pause)
}

// atFault returns the accounts that an error of the store is of, if it reaches no further,
// and what is wrong with them.
func atFault(err error) (why Reason, accounts []string) {
	var f *store.Failure
	if !errors.As(err, &f) {
		return 0, nil
	}
	switch f.Reach {
	case store.OneAccount:
		return Damaged, []string{f.Account}
	case store.Locked:
		return Locked, f.Accounts
	}
	return 0, nil
}

// WatchAside has somebody told of each account that is set aside, with true, and of each
// that is let in again, with false. It is called once, before anything is applied; tell
// must not call the engine.
func (en *Engine) WatchAside(tell func(s SetAside, is bool)) { en.aside.tell = tell }

// Aside returns the accounts that are set aside, in byte order.
func (en *Engine) Aside() []SetAside { return en.aside.list() }

// Found sets an account aside of which reading, rather than applying, has shown that it is
// damaged. Of other errors it takes no notice.
func (en *Engine) Found(err error) {
	if why, accounts := atFault(err); why == Damaged {
		en.aside.put(accounts[0], why, err)
	}
}

// asides returns which of the events are of accounts that are set aside.
func (en *Engine) asides(events []reward.Event) (failed map[int]*SetAside) {
	if en.aside.count.Load() == 0 {
		return nil
	}
	for i := range events {
		if s := en.aside.of(events[i].Account); s != nil {
			if failed == nil {
				failed = make(map[int]*SetAside)
			}
			failed[i] = s
		}
	}
	return failed
}
