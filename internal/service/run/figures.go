package run

import (
	"context"

	"recoup/internal/console/overview"
	"recoup/internal/service/observe"
	"recoup/internal/service/verify"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// newOverview returns the figures of a database as a whole, which are not read
// yet.
func (s *service) newOverview() *overview.Overview {
	return overview.New(overview.Options{
		Store: s.store, Database: s.db, Records: s.db, Log: s.log, Risk: s.options.Risk,
		Webhooks: func(ctx context.Context) (overview.Webhooks, error) { return deliveries(ctx, s.outbox) },
		Checks:   func(ctx context.Context) (overview.Checks, error) { return lastChecks(ctx, s.db) },
	})
}

// figures reads the figures, for the console and the metrics alike, and returns
// what the metrics show of them.
func (s *service) figures(ctx context.Context) (observe.Figures, error) {
	if err := s.overview.Refresh(ctx); err != nil {
		return observe.Figures{}, err
	}
	return measured(s.overview.Latest()), nil
}

// measured is what the metrics show of the figures.
func measured(f *overview.Figures) observe.Figures {
	parked := f.Reviews.Of(reward.WaitsForTransaction)
	m := observe.Figures{
		Accounts: f.Accounts, Money: make(map[string]observe.Money, len(f.Currencies)), Parked: parked.Open,
		Violations: f.Checks.Verify.Differences, Verified: f.Checks.Verify.At,
		DeliveriesDue: f.Webhooks.Due, DeliveriesDead: f.Webhooks.Dead,
	}
	if parked.Open > 0 {
		m.ParkedSince = parked.Oldest.Time()
	}
	for _, c := range f.Currencies {
		m.Money[c.Currency] = observe.Money{Balance: c.Owed, Debt: c.Debt, Held: c.Held}
	}
	return m
}

// deliveries counts what waits in the outbox.
func deliveries(ctx context.Context, o *webhook.Outbox) (overview.Webhooks, error) {
	c, err := o.Counts(ctx)
	return overview.Webhooks{Due: c.Due, Dead: c.Dead, Endpoints: c.Endpoints, Disabled: c.Disabled}, err
}

// lastChecks reads what the last `recoup verify` and `recoup checkpoint` left.
func lastChecks(ctx context.Context, d *durable.Database) (c overview.Checks, err error) {
	r, err := verify.ReadRecorded(ctx, d)
	if err != nil {
		return c, err
	}
	c.Sealed = r.Sealed
	if run := r.Run; run != nil {
		c.Verify = overview.Verification{At: run.At.Time(), Accounts: run.Accounts, Events: run.Events, Differences: run.Differences}
	}
	if p := r.Checkpoint; p != nil {
		c.Checkpoint = overview.Checkpoint{At: p.At.Time(), Origin: p.Origin, Accounts: p.Accounts, Events: p.Events}
	}
	return c, nil
}
