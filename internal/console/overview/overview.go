package overview

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/console/risk"
	"recoup/internal/console/weigh"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Store is what is read of the accounts, as durable.Store has it.
type Store interface {
	EachStanding(ctx context.Context, f func(*durable.Standing) error) error
	StatementSums(ctx context.Context, from reward.Cycle) ([]durable.CycleSum, error)
	Reviews(ctx context.Context, f durable.ReviewFilter, after durable.ReviewPlace, limit int) (list []durable.ReviewView, next durable.ReviewPlace, more bool, err error)
	Programs() *durable.Programs
	weigh.Ledger
	risk.Ledger
}

// Database is where the store keeps the log of events, as durable.Driver has it.
type Database interface {
	View(ctx context.Context, f func(durable.Reader) error) error
}

var (
	_ Store    = (*durable.Store)(nil)
	_ Database = durable.Driver(nil)
)

// Options are what an Overview reads. Store and Database are required.
type Options struct {
	Store    Store
	Database Database
	// Records are where what was held is written down once a day; nil: it is not.
	Records record.Store
	// Webhooks and Checks read what other packages keep; nil: there is nothing.
	Webhooks func(context.Context) (Webhooks, error)
	Checks   func(context.Context) (Checks, error)
	// Risk is what risk is judged by.
	Risk risk.Options
	// Now is the clock that ages are told by and readings are dated by; time.Now.
	Now func() time.Time
	// Log is told what could not be read; the default logger.
	Log *slog.Logger
}

// Overview keeps the latest figures. It is safe for concurrent use.
type Overview struct {
	options Options
	latest  atomic.Pointer[Figures]

	reading sync.Mutex // held by who reads; guards what is remembered
	cycles  pastCycles
	risk    *risk.Reader
	held    heldKeeper
	reviews reviewCounter
	refunds refundReader
}

// New returns an Overview without figures yet.
func New(o Options) *Overview {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Overview{options: o, risk: risk.NewReader(o.Database, o.Store, o.Risk)}
}

// Latest returns the figures as they were read last; nil before the first time.
func (o *Overview) Latest() *Figures { return o.latest.Load() }

// Run reads the figures at once and then every so often, until the context ends.
// A failure is logged, and the figures stay what they were.
func (o *Overview) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := o.Refresh(ctx); err != nil && ctx.Err() == nil {
			o.options.Log.Error("the figures of the overview could not be read", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Refresh reads the figures. With an error they stay what they were. What is of
// the log alone, the lag of refunds, does not fail the others: it stays what it
// was, with its own time, and the failure is logged.
func (o *Overview) Refresh(ctx context.Context) error {
	o.reading.Lock()
	defer o.reading.Unlock()
	started := time.Now()
	f := &Figures{AsOf: o.options.Now()}
	if before := o.latest.Load(); before != nil {
		f.Risk = before.Risk
	}
	if err := o.read(ctx, f); err != nil {
		return fmt.Errorf("reading the figures of all programs: %w", err)
	}
	f.Took = time.Since(started)
	o.latest.Store(f)
	return o.refreshRisk(ctx, f)
}

// riskEvery is how often what risk says is read anew, at most: where the reading takes
// long, a tenth of the time at most goes into it.
const riskEvery = 5 * time.Minute

// refreshRisk has the figures say what is at risk. The others are there meanwhile: the
// first time the whole log is read.
func (o *Overview) refreshRisk(ctx context.Context, f *Figures) error {
	if f.Risk != nil && fresh(f.Risk.AsOf, f.AsOf, max(riskEvery, 10*f.Risk.Took)) {
		return nil
	}
	started := time.Now()
	err := o.risk.Update(ctx, reward.At(f.AsOf), func(read func(risk.Account) error) error {
		for i := range f.Listing.rows {
			if err := read(f.Listing.rows[i].account()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the logs of all accounts: %w", err)
	}
	with := *f
	with.Risk = o.risk.Sum(f.AsOf)
	with.Risk.Unread += f.Listing.beyond
	with.Risk.Took = time.Since(started)
	o.latest.Store(&with)
	return nil
}

func (o *Overview) read(ctx context.Context, f *Figures) (err error) {
	at := reward.At(f.AsOf)
	n, err := o.count(ctx, at)
	if err != nil {
		return err
	}
	f.Accounts, f.Events, f.Listing = n.accounts, n.events, &n.listing
	if f.Programs, err = o.programs(n, at); err != nil {
		return err
	}
	stored, err := o.cycles.read(ctx, o.options.Store, n, calendarsOf(f.Programs))
	if err != nil {
		return err
	}
	if f.Currencies, err = o.currencies(ctx, n, stored, calendarsOf(f.Programs)); err != nil {
		return err
	}
	o.readHeld(ctx, f)
	if f.Reviews, err = o.reviews.read(ctx, o.options.Store, f); err != nil {
		return err
	}
	if o.options.Webhooks != nil {
		if f.Webhooks, err = o.options.Webhooks(ctx); err != nil {
			return err
		}
	}
	if o.options.Checks != nil {
		if f.Checks, err = o.options.Checks(ctx); err != nil {
			return err
		}
	}
	f.Refunds, err = o.refunds.read(ctx, o.options.Database, f)
	if err != nil && ctx.Err() == nil {
		o.options.Log.Error("the lag of refunds could not be read", "error", err)
		return nil
	}
	return err
}

// readHeld has the figures say what was held. A failure is logged: it is for a line beside
// a number.
func (o *Overview) readHeld(ctx context.Context, f *Figures) {
	if o.options.Records == nil {
		return
	}
	if err := o.held.read(ctx, o.options.Records, f); err != nil && ctx.Err() == nil {
		o.options.Log.Error("what is held could not be written down for today", "error", err)
	}
	for i := range f.Currencies {
		f.Currencies[i].HeldMonths = o.held.months(f.Currencies[i].Currency)
	}
}

// programs says of every program what is in force and what is to come.
func (o *Overview) programs(n *counted, at reward.Instant) (list []Program, err error) {
	known := o.options.Store.Programs()
	for _, latest := range known.List() {
		id := latest.Terms.ID
		p := Program{ID: id, Accounts: n.programs[id]}
		inForce := latest.Terms.In(latest.Terms.CycleAt(at)).Version
		versions := known.Versions(id)
		for i, v := range versions {
			switch {
			case durable.Replaced(versions, i):
			case v.Terms.Version == inForce:
				p.InForce = v
			case v.Terms.Version > inForce:
				p.Upcoming = append(p.Upcoming, v)
			}
		}
		list = append(list, p)
	}
	return list, nil
}
