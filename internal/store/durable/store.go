package durable

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/store"
	"recoup/internal/store/seal"
	"recoup/reward"
)

// Store keeps accounts in a database. It is safe for concurrent use, also by
// several processes on one database.
type Store struct {
	db       *Database
	programs *Programs
	audience *audience
	now      func() reward.Instant
	secrets  *seal.Keys
	cache    *cache
	// units are those of accounts that were asked for, and how many there are.
	units      sync.Map
	unitsCount atomic.Int64
	doubts     atomic.Int32 // for how many units of work to presume nothing
	damaged    func(error)
	velocity   Velocity
}

var _ store.Laned = (*Store)(nil)

// Options say how a Store is to work. The zero value of AtHand is a default.
type Options struct {
	// Programs are the programs of the accounts; there must be a default.
	Programs *Programs
	// Now is the clock that receipts are dated by.
	Now func() reward.Instant
	// AtHand is how many accounts and parts of accounts are kept in memory from
	// one unit of work to the next, about 600 bytes each; 200,000 by default.
	AtHand int
	// Fresh is how old what is known of the endpoints of webhooks and of the feed may be; one second by
	// default, below zero for none at all.
	Fresh time.Duration
	// Secrets seal what is kept apart since it may have the number of a card. Nil: it is
	// masked, and what it was is nowhere.
	Secrets *seal.Keys
	// Damaged is told of each account that turns out to be damaged when it is read, as a
	// *store.Failure. Nil: nobody is.
	Damaged func(error)
	// Velocity is from which on it is told that purchases are redeemed and returned.
	Velocity Velocity
}

// New returns a store over a database of one driver.
func New(d Driver, o Options) *Store { return Over(One(d), o) }

// Over returns a store over a database.
func Over(db *Database, o Options) *Store {
	if o.AtHand == 0 {
		o.AtHand = 200_000
	}
	return &Store{db: db, programs: o.Programs, audience: newAudience(db, cmp.Or(o.Fresh, time.Second)), now: o.Now, secrets: o.Secrets, cache: newCache(o.AtHand), damaged: o.Damaged, velocity: o.Velocity}
}

// Update implements store.Store: one unit of work is one transaction, so the accounts of
// its events must be in one lane.
func (s *Store) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	return s.UpdateReceived(ctx, events, nil, apply)
}

// UpdateReceived is Update for events that were received before, in another database:
// they keep when that was. received is by event; nil stands for now.
func (s *Store) UpdateReceived(ctx context.Context, events []reward.Event, received []reward.Instant, apply func(store.Unit)) error {
	if err := ctx.Err(); err != nil || len(events) == 0 {
		return err
	}
	tell, err := s.audience.known(ctx)
	if err != nil {
		return err
	}
	var done *unit
	lane, err := s.db.laneOfAll(events)
	if err != nil {
		return err
	}
	presume, wrong := lane.Presumes() && s.presumes(), false
	err = lane.Update(ctx, func(tx Tx) (err error) {
		wrong = done != nil && (wrong || done.presumed)
		u := &unit{store: s, ctx: ctx, tx: tx, events: events, received: received, tell: tell, presume: presume && done == nil}
		done = u
		defer func() {
			if err != nil && u.presumed && ctx.Err() == nil {
				err = ErrConflict // what was presumed about an account may not be so any more
			}
		}()
		defer recoverUnreadable(&err)
		if err := u.load(); err != nil {
			return err
		}
		apply(u)
		if u.inDoubt() {
			return ErrConflict
		}
		c, err := u.changes()
		if err != nil || len(c.Events) == 0 && len(c.Records) == 0 {
			return err
		}
		return tx.Write(ctx, c)
	})
	if err != nil {
		return fmt.Errorf("committing %d events: %w", len(events), err)
	}
	if wrong {
		s.doubts.Store(doubts)
	}
	done.keep()
	return nil
}

// Lanes implements store.Laned.
func (s *Store) Lanes() int { return len(s.db.Lanes()) }

// LaneOf implements store.Laned.
func (s *Store) LaneOf(account string) int { return s.db.LaneOf(account) }

// doubts is for how many units of work the store asks what is there after it
// had presumed wrongly.
const doubts = 16

// presumes reports whether the next unit of work should try to do without asking
// what is there. Where things often are there, that costs more than it saves.
func (s *Store) presumes() bool {
	for {
		left := s.doubts.Load()
		if left == 0 {
			return true
		}
		if s.doubts.CompareAndSwap(left, left-1) {
			return false
		}
	}
}

// EachAccount implements store.Store.
func (s *Store) EachAccount(ctx context.Context, f func(id string) error) error {
	const page = 1000
	after := ""
	for {
		var ids []string
		err := s.db.View(ctx, func(r Reader) (err error) {
			ids, err = r.Accounts(ctx, after, page)
			return err
		})
		if err != nil {
			return fmt.Errorf("listing accounts: %w", err)
		}
		for _, id := range ids {
			if err := f(id); err != nil {
				return err
			}
		}
		if len(ids) < page {
			return nil
		}
		after = ids[len(ids)-1]
	}
}

// Due returns up to limit accounts that want their cycle closed as of a moment,
// the longest overdue first.
func (s *Store) Due(ctx context.Context, at reward.Instant, limit int) (ids []string, err error) {
	err = s.db.View(ctx, func(r Reader) (err error) {
		ids, err = r.Due(ctx, at, limit)
		return err
	})
	return ids, err
}

// Programs returns the programs of the accounts.
func (s *Store) Programs() *Programs { return s.programs }

// programOf returns the latest version of an account's program.
func (s *Store) programOf(ctx context.Context, row *AccountRow) (*reward.Program, error) {
	p, err := s.programNamed(ctx, row.Program)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", row.Account, err)
	}
	return p, nil
}

// programNamed returns the latest version of a program that accounts belong to,
// which another process may have put a moment ago.
func (s *Store) programNamed(ctx context.Context, id string) (*reward.Program, error) {
	p, ok := s.programs.Get(id)
	if !ok {
		if err := s.programs.Refresh(ctx); err != nil {
			return nil, err
		}
		p, ok = s.programs.Get(id)
	}
	if !ok {
		return nil, fmt.Errorf("program %q, which accounts belong to, is not in the database", id)
	}
	return p, nil
}
