// Package run puts a service together and runs it: the database, the engine over it, the
// HTTP interface in front, the console, and what works in the background.
package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/engine"
	"recoup/internal/kit/broker"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/budget"
	"recoup/internal/service/feed"
	"recoup/internal/service/observe"
	"recoup/internal/service/preview"
	"recoup/internal/service/programs"
	"recoup/internal/service/run/clock"
	"recoup/internal/service/secrets"
	"recoup/internal/service/security"
	"recoup/internal/service/server"
	"recoup/internal/service/sources"
	"recoup/internal/service/webhook"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/seal"
	"recoup/internal/store/shards"
	"recoup/reward"
)

// service is a running `recoup serve`: the database, the engine over it, the HTTP
// interface in front, and what works in the background.
type service struct {
	options   *Options
	log       *slog.Logger
	db        *durable.Database
	store     *durable.Store
	engine    *engine.Engine
	group     *engine.Group
	clock     *clock.Keeper
	applier   *clock.Punctual
	metrics   *observe.Metrics
	budgets   *budget.Budgets
	overview  *overview.Overview
	proposals *approval.Book
	security  *security.Log
	keys      *access.Keys
	tracing   *observe.Tracing
	health    *observe.Health
	outbox    *webhook.Outbox
	secrets   *seal.Keys // nil: none
	exempt    *exempt.Rules
	feed      *webhook.Feed
	sources   *sources.Sources
	brokers   *broker.Known
	http      *server.Server

	background sync.WaitGroup
	stop       context.CancelFunc
}

func openService(ctx context.Context, o *Options, level slog.Level) (s *service, err error) {
	s = &service{options: o, log: observe.NewLog(os.Stderr, level), metrics: observe.NewMetrics(), stop: func() {}}
	opened := s // a return with an error leaves s nil
	defer func() {
		if err != nil {
			opened.close(0)
		}
	}()
	if len(o.Programs) == 0 && !o.Dev && o.Database.IsMissing() {
		return nil, fmt.Errorf("--db: there is no ledger at %s: name its program with --program FILE to make one", o.Database.Name)
	}
	if s.secrets, err = secrets.Keys(*o.Secrets); err != nil {
		return nil, err
	}
	var processors []sources.Source
	if o.Sources != "" {
		if processors, err = sources.ReadFile(o.Sources); err != nil {
			return nil, fmt.Errorf("--sources: %w", err)
		}
	}
	if s.brokers, err = broker.ReadKnown(o.Brokers); err != nil {
		return nil, fmt.Errorf("--brokers: %w", err)
	}
	given, err := programs.ReadFiles(o.Programs)
	if err != nil {
		return nil, err
	}
	if s.db, err = o.Database.Await(ctx, o.Wait, s.log); err != nil {
		return nil, err
	}
	if o.Demo {
		if err := loadDemo(ctx, s.db); err != nil {
			return nil, fmt.Errorf("--demo: %w", err)
		}
	}
	programs, err := programs.OpenWith(ctx, s.db, given, o.Dev)
	if err != nil {
		return nil, err
	}
	if o.TraceTo != "" {
		if s.tracing, err = observe.StartTracing(ctx, o.TraceTo, o.Version, o.TracedShare, s.log); err != nil {
			return nil, fmt.Errorf("--otlp-endpoint: %w", err)
		}
	}
	o.Console.Alone.Decimals = pointsOf(programs)
	s.store = durable.Over(s.db, durable.Options{Programs: programs, AtHand: 100_000, Now: func() reward.Instant { return reward.At(time.Now()) }, Damaged: s.foundDamaged, Secrets: s.secrets,
		Velocity: durable.Velocity{Days: o.Risk.QuickDays, Times: o.VelocityTimes}})
	s.engine = engine.New(s.store)
	s.engine.WatchAside(s.setAside)
	s.metrics.Aside(s.asideByReason)
	if err := understood(ctx, s.store, o.Database.Name); err != nil {
		return nil, err
	}
	s.outbox = webhook.New(s.db, s.db.Records, time.Now).Sealed(s.secrets)
	s.feed = webhook.FeedOf(s.db)
	if err := s.outbox.Check(ctx); err != nil {
		return nil, err
	}
	if !o.Dev {
		secrets.Warn(s.log, *o.Secrets, s.secrets)
	}
	if s.exempt, err = exempt.Open(ctx, s.db, time.Now); err != nil {
		return nil, err
	}
	s.overview = s.newOverview()
	s.group = engine.NewGroup(s.engine, engine.GroupOptions{
		MaxBatch: o.MaxBatch, Target: o.CommitTarget, Workers: o.Workers, Unavailable: reachesAll, Observe: s.metrics.Committed, Waited: s.metrics.Waited,
	})
	s.metrics.Queue(s.group.Waiting)
	s.clock = clock.New(s.db, o.MaxAhead, o.AcceptClock || o.Dev, s.log)
	if err := s.clock.Start(ctx); err != nil {
		return nil, err
	}
	s.applier = &clock.Punctual{Group: s.group, Clock: s.clock}
	s.budgets = budget.New(budget.Limits{Rate: o.MinRate})
	s.metrics.Budgets(s.budgets)
	s.health = observe.NewHealth(s.log, observe.Check{Name: "database", Run: s.writable}, observe.Check{Name: "home", Run: s.homeAnswers}, observe.Check{Name: "clock", Run: s.clock.Ready})
	s.metrics.Home(s.db.HomeLost)
	watch := &observe.HTTP{Metrics: s.metrics, Log: s.log, Tracing: s.tracing, FailuresOnly: !o.LogRequests}
	keys := access.New(s.db, time.Now)
	if shards.Is(o.Database.Name) {
		keys.Outlast(durable.HomeGrace)
	}
	s.keys = keys
	s.security = security.New(s.db, time.Now)
	s.proposals = approval.New(approval.Options{
		Records: s.db, Now: time.Now, Accounts: s.store, Apply: s.applyOne,
		People: access.NewPeople(s.db, time.Now), Programs: programs, Security: s.security,
	})
	s.sources = sources.New(sources.Options{Records: s.db, Secrets: s.secrets, List: processors, Now: time.Now, Apply: s.applyFrom})
	rates := new(access.Rates)
	pages, err := s.openConsole(keys, rates)
	if err != nil {
		return nil, err
	}
	var taken server.Sources // an interface that holds a nil is none that is nil
	if o.Sources != "" {
		taken = s.sources
	}
	var door *feed.Door
	if o.FeedKeys != "" {
		keys, err := feed.Open(o.FeedKeys, time.Now)
		if err != nil {
			return nil, fmt.Errorf("--feed-keys: %w", err)
		}
		door = &feed.Door{Keys: keys, Origins: o.FeedOrigins}
	}
	s.http, err = server.New(server.Options{
		Applier: s.applier, Ledger: s.store, Programs: programs, Authenticator: &doorkeeper{Keys: keys, rates: rates}, Approvals: s.approvals(), Alone: o.Console.Alone, Security: s.security, Exemptions: s.exempt, Open: o.Dev, Console: pages,
		Preview: func(ctx context.Context, id string, draft []byte, transactions int) (any, bool, error) {
			return s.preview(ctx, id, draft, transactions)
		},
		Webhooks: s.outbox, Feed: s.feed, Sources: taken, Door: door, AllowPrivate: o.WebhookAllowPrivate,
		Live: s.health.Live, Ready: s.health.Ready, Metrics: s.metrics.Handler(),
		Counter: s.metrics, Identify: observe.Identify, Explain: observe.Explain, Aside: s.engine.Aside, Watch: watch.Middleware, Log: s.log,
		MaxAhead: o.MaxAhead, Unavailable: unavailable, Budgets: s.budgets, Version: o.Version,
	})
	return s, err
}

// pointsOf says how many decimals the points of a program have, by their unit, which are the
// same in all programs.
func pointsOf(programs *durable.Programs) func(unit string) (decimals int, known bool) {
	return func(unit string) (int, bool) {
		for _, v := range programs.List() {
			if v.Terms.Reward.Name == unit && unit != "" {
				return v.Terms.Reward.Decimals, true
			}
		}
		return 0, false
	}
}

// applyFrom applies the events of a processor's webhook.
func (s *service) applyFrom(ctx context.Context, name string, events []reward.Event) ([]string, error) {
	return s.http.ApplyFrom(ctx, name, events)
}

// homeAnswers reports whether home can be reached, or was a while ago.
func (s *service) homeAnswers(context.Context) error {
	since := s.db.HomeLost()
	if since.IsZero() {
		return nil
	}
	err := fmt.Errorf("home cannot be reached since %s; events are applied until %v later", since.UTC().Format(time.RFC3339), durable.HomeGrace)
	if time.Since(since) < durable.HomeGrace {
		return &observe.Degraded{Err: err}
	}
	return err
}

// understood refuses a database whose accounts were written down when events had
// another meaning. One account tells: all of a database are of one version.
func understood(ctx context.Context, s *durable.Store, url string) error {
	ids, err := s.AccountsFrom(ctx, "", "", 1)
	if err != nil {
		return err
	}
	for _, id := range ids {
		var damage *reward.CorruptError
		if _, _, err := s.Account(ctx, id); errors.As(err, &damage) && damage.Outdated {
			return fmt.Errorf("%s was written by a version of Recoup that gave events another meaning: make a new database of its log with recoup rebuild --from %s --to URL, and serve that", url, url)
		}
	}
	return nil
}

// unavailable says of an error that the database cannot be used just now, rather
// than that something in it is damaged, which only those notice who need it.
func unavailable(err error) bool {
	reach := store.ReachOf(err)
	return reach != store.OneAccount && reach != store.OneEvent
}

// reachesAll says of an error that a commit would fail in parts, too.
func reachesAll(err error) bool {
	reach := store.ReachOf(err)
	return reach == store.Busy || reach == store.Database
}

// preview compares a draft of a program with the version that it will follow.
func (s *service) preview(ctx context.Context, id string, draft []byte, transactions int) (*preview.Comparison, bool, error) {
	return preview.Draft(ctx, s.db, s.store.Programs(), id, draft, transactions, reward.At(time.Now()))
}

// approvals are what the API has wait for a second person. In a service that is open
// everybody is one.
func (s *service) approvals() *approval.Book {
	if s.options.Dev {
		return nil
	}
	return s.proposals
}

// close ends everything in good order: what was accepted is finished first.
func (s *service) close(grace time.Duration) (err error) {
	if s.health != nil {
		s.health.End()
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if s.group != nil {
		err = errors.Join(err, s.group.Close(ctx))
	}
	s.stop()
	s.background.Wait()
	if s.tracing != nil {
		err = errors.Join(err, s.tracing.End(ctx))
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	return err
}
