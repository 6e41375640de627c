// Package clock looks after the clock of the machine that a service runs on.
package clock

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/observe"
	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Keeper looks after the clock of the machine, by which receipts are dated, events from
// the future refused and cycles closed: one that is weeks ahead would move accounts into
// cycles that are still to come, and nothing takes that back. It is compared with what the
// database knows when the service starts, and with the time that has passed while it runs.
// As long as it is doubted, nothing is applied.
type Keeper struct {
	db       *durable.Database
	most     time.Duration // that the clock may be off
	accepted bool          // whatever it says
	log      *slog.Logger
	now      func() time.Time
	passed   func() time.Duration // that does not jump with the clock

	beaten time.Time // when the time was kept last

	mu      sync.Mutex
	base    time.Time     // what the clock said when it was right
	basedOn time.Duration // what had passed by then
	doubt   error         // nil: there is none
}

// New returns the keeper of the clock of a service over a database. It is believed if it is
// off by most at most, or accepted whatever it says.
func New(db *durable.Database, most time.Duration, accepted bool, log *slog.Logger) *Keeper {
	started := time.Now()
	return &Keeper{db: db, most: most, accepted: accepted, log: log, now: time.Now, passed: func() time.Duration { return time.Since(started) }}
}

// Doubted returns why the clock is not believed; nil: it is.
func (k *Keeper) Doubted() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.doubt
}

// Ready is the check whether the clock is believed.
func (k *Keeper) Ready(context.Context) error {
	if err := k.Doubted(); err != nil {
		return &observe.Unready{Reason: "the clock of this machine is not believed", Err: err}
	}
	return nil
}

// Start compares the clock with what the database knows: before anything is applied, and
// when one that was doubted is where it was.
func (k *Keeper) Start(ctx context.Context) error {
	k.base, k.basedOn = k.now(), k.passed()
	witness, is, err := serverTime(ctx, k.db)
	what := "the database's server says"
	if err == nil && !is {
		what = "the newest time in the database is"
		witness, is, err = newestTime(ctx, k.db)
	}
	if err != nil {
		return fmt.Errorf("reading what time it is by the database: %w", err)
	}
	off := k.base.Sub(witness)
	if !is || off.Abs() <= k.most {
		k.set(nil)
	} else {
		k.set(fmt.Errorf("%w: it says %v, and %s %v, which is %v away: set the clock, or if it is right start with --accept-clock",
			server.ErrClock, reward.At(k.base), what, reward.At(witness), off.Abs().Round(time.Second)))
		if k.Doubted() == nil { // it is accepted, which the next start is to know
			if err := k.beat(ctx, k.base); err != nil {
				k.log.Error("that the clock is accepted cannot be kept yet", "error", err)
			}
		}
	}
	return nil
}

// Look sees whether the clock has jumped, and whether one that is doubted is right by now.
func (k *Keeper) Look(ctx context.Context) error {
	now := k.now()
	jump := now.Round(0).Sub(k.base.Round(0)) - (k.passed() - k.basedOn)
	if jump.Abs() <= k.most && k.Doubted() == nil {
		return k.beat(ctx, now)
	}
	witness, is, err := serverTime(ctx, k.db)
	switch {
	case err != nil:
		return err
	case is && k.now().Sub(witness).Abs() <= k.most:
		k.base, k.basedOn = k.now(), k.passed()
		k.set(nil)
	case jump.Abs() > k.most:
		k.set(fmt.Errorf("%w: it has jumped by %v to %v: set the clock, or if it is right start the service again with --accept-clock", server.ErrClock, jump.Round(time.Second), reward.At(now)))
	case !is:
		// It was set back to where it was, unless it was wrong from the beginning.
		return k.Start(ctx)
	}
	return nil
}

// set has the clock believed, or not, and tells the log of a change.
func (k *Keeper) set(doubt error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.accepted && doubt != nil {
		if k.doubt == nil {
			k.log.Warn("the clock is accepted as it is", "error", doubt)
			k.base, k.basedOn = k.now(), k.passed()
		}
		return
	}
	switch {
	case k.doubt == nil && doubt != nil:
		k.log.Error("nothing is applied", "error", doubt)
	case k.doubt != nil && doubt == nil:
		k.log.Warn("the clock is believed again")
	}
	k.doubt = doubt
}

// betweenBeats is how often what time it is is kept: a service that is down for longer than
// the clock may be off, less this, has to be told that its clock is right.
const betweenBeats = 10 * time.Second

// heartbeats is the table of when a service was known to run last, under "".
const heartbeats record.Table[heartbeat] = "clock"

type heartbeat struct {
	At reward.Instant `json:"at"`
}

// beat keeps what time it is, for a database without a clock of its own.
func (k *Keeper) beat(ctx context.Context, now time.Time) error {
	if _, is := k.db.Lanes()[0].(clocked); is || now.Sub(k.beaten) < betweenBeats {
		return nil
	}
	k.beaten = now
	return k.db.Change(ctx, func(tx record.Tx) error { return heartbeats.Put(tx, "", &heartbeat{reward.At(now)}) })
}

// clocked is a database whose server has a clock.
type clocked interface {
	Clock(ctx context.Context) (time.Time, error)
}

// serverTime is what the clock of the database's server says; is: it has one.
func serverTime(ctx context.Context, db *durable.Database) (at time.Time, is bool, err error) {
	of, is := db.Lanes()[0].(clocked)
	if !is {
		return at, false, nil
	}
	at, err = of.Clock(ctx)
	return at, err == nil, err
}

// newestTime is the newest time that the database has: of a heartbeat, or of the receipt of
// its newest event. is: it has any.
func newestTime(ctx context.Context, db *durable.Database) (at time.Time, is bool, err error) {
	var newest reward.Instant
	var types []reward.Type
	for t := reward.Type(1); t.String() != "unknown"; t++ {
		types = append(types, t)
	}
	err = db.View(ctx, func(r durable.Reader) error {
		beat, _, err := heartbeats.Get(ctx, r, "")
		if err != nil {
			return err
		}
		newest = beat.At
		return r.LogBack(ctx, math.MaxInt64, 0, types, func(e *durable.EventRow) (bool, error) {
			newest = max(newest, e.Received)
			return false, nil
		})
	})
	return newest.Time(), newest != 0, err
}

// Punctual applies events by a clock that is believed.
type Punctual struct {
	Group *engine.Group
	Clock *Keeper
}

// Apply implements server.Applier.
func (p *Punctual) Apply(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	if err := p.Clock.Doubted(); err != nil {
		return results, err
	}
	return p.Group.Apply(ctx, events, results)
}

// Decide implements server.Applier.
func (p *Punctual) Decide(ctx context.Context, e reward.Event) (reward.Result, []reward.Posting, error) {
	if err := p.Clock.Doubted(); err != nil {
		return reward.Result{}, nil, err
	}
	return p.Group.Decide(ctx, e)
}
