package overview

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/console/weigh"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Store is what is read of the accounts, as durable.Store has it.
type Store interface {
	EachStanding(ctx context.Context, f func(*durable.Standing) error) error
	StatementSums(ctx context.Context, from reward.Cycle) ([]durable.CycleSum, error)
	Entries(ctx context.Context, account string, before int64, limit int) ([]durable.EntryView, error)
	Reviews(ctx context.Context, f durable.ReviewFilter, after durable.ReviewPlace, limit int) (list []durable.ReviewView, next durable.ReviewPlace, more bool, err error)
	Programs() *durable.Programs
	weigh.Ledger
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
	// Webhooks and Checks read what other packages keep; nil: there is nothing.
	Webhooks func(context.Context) (Webhooks, error)
	Checks   func(context.Context) (Checks, error)
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
	debts   debtMemory
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
	return &Overview{options: o}
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
	if err := o.read(ctx, f); err != nil {
		return fmt.Errorf("reading the figures of all programs: %w", err)
	}
	f.Took = time.Since(started)
	o.latest.Store(f)
	return nil
}

func (o *Overview) read(ctx context.Context, f *Figures) (err error) {
	at := reward.At(f.AsOf)
	n, err := o.count(ctx, at)
	if err != nil {
		return err
	}
	f.Accounts, f.Events = n.accounts, n.events
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

// programs says of every program what is in force and what is to come.
func (o *Overview) programs(n *counted, at reward.Instant) (list []Program, err error) {
	known := o.options.Store.Programs()
	for _, latest := range known.List() {
		id := latest.Terms.ID
		p := Program{ID: id, Accounts: n.programs[id]}
		inForce := latest.Terms.In(latest.Terms.CycleAt(at)).Version
		for _, v := range known.Versions(id) {
			switch {
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

// increase adds an amount to a sum, which stops at the largest number.
func increase(sum *int64, more int64) {
	switch total := *sum + more; {
	case more > 0 && total < *sum:
		*sum = math.MaxInt64
	case more < 0 && total > *sum:
		*sum = math.MinInt64
	default:
		*sum = total
	}
}
