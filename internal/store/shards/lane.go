package shards

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

const (
	// patience is how long who wants something of a shard waits while it is moved.
	patience = 15 * time.Second
	// lookAgain is how long until home is asked again where a shard is that is closed.
	lookAgain = 20 * time.Millisecond
	// askAgain is how long until it is asked whether the mover lives.
	askAgain = 200 * time.Millisecond
	// tooLong is after how long a shard that stays closed is taken from its mover, and
	// opened again where it is.
	tooLong = 6 * time.Second
)

var errClosed = errors.New("the database is closed")

// lane is a shard, wherever it is.
type lane struct {
	ledger    *ledger
	number    int64
	now       atomic.Pointer[seat]
	following chan struct{} // held by who looks where the shard is
	dealt     atomic.Bool   // other lanes have its accounts now
	log       func(format string, arguments ...any)
}

var _ durable.Driver = (*lane)(nil)

// Name is what the shard is called: its number.
func (l *lane) Name() string { return strconv.FormatInt(l.number, 10) }

// seat is a place of a shard, opened.
type seat struct {
	Shard
	db *postgres.DB

	mu    sync.Mutex
	users int
	left  bool // nobody enters any more; who is the last to leave closes it
}

func (s *seat) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.users++
	}
	return !s.left
}

func (s *seat) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.left && s.users == 0 {
		_ = s.db.Close()
	}
}

// abandon has the place closed when nobody uses it any more.
func (s *seat) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left && s.users == 0 {
		_ = s.db.Close()
	}
	s.left = true
}

// use runs f on the shard where it is. While the shard is moved, it waits; f is run again
// at the new place.
func (l *lane) use(ctx context.Context, f func(*postgres.DB) error) error {
	for began := time.Now(); ; {
		if l.dealt.Load() {
			return store.ErrDealt
		}
		s := l.now.Load()
		if s.enter() {
			err := func() error {
				defer s.leave()
				return f(s.db)
			}()
			if !errors.Is(err, postgres.ErrMoved) {
				return err
			}
			if time.Since(began) > patience {
				return fmt.Errorf("shard %d: %w", l.number, err)
			}
		} else if l.now.Load() == s {
			return errClosed
		}
		if err := l.follow(ctx, s); err != nil {
			return err
		}
	}
}

// follow waits until the shard can be used again, at the place where it was seen or at
// another.
func (l *lane) follow(ctx context.Context, seen *seat) error {
	select {
	case l.following <- struct{}{}:
		defer func() { <-l.following }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !seen.enter() {
		return nil
	}
	defer seen.leave()
	var closed string // by whom
	var since time.Time
	asked := time.Now() // whether the mover lives
	for began := asked; l.now.Load() == seen && !l.dealt.Load(); {
		at, under, err := placedNow(ctx, l.ledger.home, l.number)
		if err != nil {
			return fmt.Errorf("asking home where shard %d is: %w", l.number, err)
		}
		if at.Epoch != seen.Epoch {
			return l.ledger.goTo(ctx, l, at)
		}
		kept, _, err := seen.db.Kept(ctx)
		if err != nil {
			return fmt.Errorf("shard %d: %w", l.number, err)
		}
		switch {
		case kept.Closed == "" && kept.Identity == l.ledger.identity(&seen.Shard):
			return nil
		case kept.Identity != l.ledger.identity(&seen.Shard):
			return fmt.Errorf("shard %d: the schema %s is not that shard's any more", l.number, seen.Place)
		case kept.Closed != closed:
			closed, since = kept.Closed, time.Now()
		}
		lives := true
		if now := time.Now(); now.Sub(asked) > askAgain {
			if lives, err = l.ledger.home.Moving(ctx, l.number); err != nil {
				return fmt.Errorf("asking home who moves shard %d: %w", l.number, err)
			}
			asked = now
		}
		switch {
		case under == nil || under.Token != closed:
			// Nobody is at it who could finish.
			l.log("shard %d was closed by a move that has ended: it is opened again", l.number)
			if err := seen.db.Reopen(ctx, kept.Identity, closed); err != nil {
				return fmt.Errorf("opening shard %d again: %w", l.number, err)
			}
			continue
		case !lives || time.Since(since) > tooLong:
			l.log("shard %d is closed by a mover that is gone or takes too long: the move is taken back", l.number)
			if err := cancel(ctx, l.ledger.home, l.number, closed); err != nil {
				return fmt.Errorf("taking a move of shard %d back: %w", l.number, err)
			}
			continue
		case time.Since(began) > patience:
			return nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// sit has the shard used at another place from now on.
func (l *lane) sit(s *seat) {
	if before := l.now.Swap(s); before != nil {
		before.abandon()
	}
}

// Update implements durable.Driver.
func (l *lane) Update(ctx context.Context, f func(durable.Tx) error) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Update(ctx, f) })
}

// Replace implements durable.Driver.
func (l *lane) Replace(ctx context.Context, account string, f func([]durable.EventRow) (*durable.Changes, error)) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Replace(ctx, account, f) })
}

// Forget implements durable.Driver.
func (l *lane) Forget(ctx context.Context, account string, f func(record.Reader, []durable.EventRow) (*durable.Changes, error)) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Forget(ctx, account, f) })
}

// Purge implements durable.Driver.
func (l *lane) Purge(ctx context.Context, account string, numbers []int64) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Purge(ctx, account, numbers) })
}

// View implements durable.Driver. Whether the shard has moved is asked before anything is
// read, so f has had nothing when it is run again.
func (l *lane) View(ctx context.Context, f func(durable.Reader) error) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.View(ctx, f) })
}

// Inspect implements durable.Driver.
func (l *lane) Inspect(ctx context.Context, f func(durable.Inspector) error) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Inspect(ctx, f) })
}

// Read implements record.Store.
func (l *lane) Read(ctx context.Context, f func(record.Reader) error) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Read(ctx, f) })
}

// Change implements record.Store.
func (l *lane) Change(ctx context.Context, f func(record.Tx) error) error {
	return l.use(ctx, func(d *postgres.DB) error { return d.Change(ctx, f) })
}

// Presumes implements durable.Driver.
func (l *lane) Presumes() bool { return true }

// Ping implements durable.Driver.
func (l *lane) Ping(ctx context.Context) error {
	s := l.now.Load()
	if !s.enter() {
		return nil // it has just moved
	}
	defer s.leave()
	if err := s.db.Ping(ctx); err != nil {
		return fmt.Errorf("shard %d: %w", l.number, err)
	}
	return nil
}

// Clock returns what the clock of the shard's server says.
func (l *lane) Clock(ctx context.Context) (at time.Time, err error) {
	err = l.use(ctx, func(d *postgres.DB) error {
		at, err = d.Clock(ctx)
		return err
	})
	return at, err
}

// TryWrite implements durable.Driver.
func (l *lane) TryWrite(ctx context.Context) error {
	err := l.use(ctx, func(d *postgres.DB) error { return d.TryWrite(ctx) })
	if err != nil {
		return fmt.Errorf("shard %d: %w", l.number, err)
	}
	return nil
}

// Close implements durable.Driver.
func (l *lane) Close() error {
	l.now.Load().abandon()
	return nil
}
