package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"slices"
	"sync"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/budget"
	"recoup/internal/service/demo"
	"recoup/internal/service/observe"
	"recoup/internal/service/preview"
	"recoup/internal/service/security"
	"recoup/internal/service/server"
	"recoup/internal/service/webhook"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/pebble"
	"recoup/internal/store/seal"
	"recoup/internal/store/shards"
	"recoup/program"
	"recoup/reward"
)

// service is a running `recoup serve`: the database, the engine over it, the HTTP
// interface in front, and what works in the background.
type service struct {
	options   *serveOptions
	log       *slog.Logger
	db        *durable.Database
	store     *durable.Store
	engine    *engine.Engine
	group     *engine.Group
	clock     *timekeeper
	applier   *punctual
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
	http      *server.Server

	background sync.WaitGroup
	stop       context.CancelFunc
}

func openService(ctx context.Context, o *serveOptions, level slog.Level) (s *service, err error) {
	s = &service{options: o, log: observe.NewLog(os.Stderr, level), metrics: observe.NewMetrics(), stop: func() {}}
	opened := s // a return with an error leaves s nil
	defer func() {
		if err != nil {
			opened.close(0)
		}
	}()
	if len(o.programs) == 0 && !o.dev && isMissing(o.db) {
		return nil, fmt.Errorf("--db: there is no ledger at %s: name its program with --program FILE to make one", o.db)
	}
	if s.secrets, err = o.secrets.keys(); err != nil {
		return nil, err
	}
	given, err := readPrograms(o.programs)
	if err != nil {
		return nil, err
	}
	if s.db, err = waitToServe(ctx, o.db, o.wait, s.log); err != nil {
		return nil, err
	}
	if o.demo {
		if err := loadDemo(ctx, s.db); err != nil {
			return nil, fmt.Errorf("--demo: %w", err)
		}
	}
	programs, err := openPrograms(ctx, s.db, given, o.dev)
	if err != nil {
		return nil, err
	}
	if o.otlp != "" {
		if s.tracing, err = observe.StartTracing(ctx, o.otlp, version(), o.otlpShare, s.log); err != nil {
			return nil, fmt.Errorf("--otlp-endpoint: %w", err)
		}
	}
	s.store = durable.Over(s.db, durable.Options{Programs: programs, AtHand: 100_000, Now: func() reward.Instant { return reward.At(time.Now()) }, Damaged: s.foundDamaged, Secrets: s.secrets})
	s.engine = engine.New(s.store)
	s.engine.WatchAside(s.setAside)
	s.metrics.Aside(s.asideByReason)
	if err := understood(ctx, s.store, o.db); err != nil {
		return nil, err
	}
	s.outbox = webhook.New(s.db, s.db.Records, time.Now).Sealed(s.secrets)
	s.feed = feedOf(s.db)
	if err := s.outbox.Check(ctx); err != nil {
		return nil, err
	}
	if !o.dev {
		o.secrets.warn(s.log, s.secrets)
	}
	if s.exempt, err = exempt.Open(ctx, s.db, time.Now); err != nil {
		return nil, err
	}
	s.overview = s.newOverview()
	s.group = engine.NewGroup(s.engine, engine.GroupOptions{
		MaxBatch: o.maxBatch, Target: o.commitTarget, Workers: o.workers, Unavailable: reachesAll, Observe: s.metrics.Committed, Waited: s.metrics.Waited,
	})
	s.metrics.Queue(s.group.Waiting)
	s.clock = newTimekeeper(s.db, o, s.log)
	if err := s.clock.start(ctx); err != nil {
		return nil, err
	}
	s.applier = &punctual{s.group, s.clock}
	s.budgets = budget.New(budget.Limits{Rate: o.minRate})
	s.metrics.Budgets(s.budgets)
	s.health = observe.NewHealth(s.log, observe.Check{Name: "database", Run: s.writable}, observe.Check{Name: "home", Run: s.homeAnswers}, observe.Check{Name: "clock", Run: s.clock.ready})
	s.metrics.Home(s.db.HomeLost)
	watch := &observe.HTTP{Metrics: s.metrics, Log: s.log, Tracing: s.tracing, FailuresOnly: !o.logRequests}
	keys := access.New(s.db, time.Now)
	if shards.Is(o.db) {
		keys.Outlast(durable.HomeGrace)
	}
	s.keys = keys
	s.security = security.New(s.db, time.Now)
	s.proposals = approval.New(approval.Options{
		Records: s.db, Now: time.Now, Accounts: s.store, Apply: s.applyOne,
		People: access.NewPeople(s.db, time.Now), Programs: programs, Security: s.security,
	})
	rates := new(access.Rates)
	pages, err := s.openConsole(keys, rates)
	if err != nil {
		return nil, err
	}
	s.http, err = server.New(server.Options{
		Applier: s.applier, Ledger: s.store, Programs: programs, Authenticator: &doorkeeper{Keys: keys, rates: rates}, Approvals: s.approvals(), Alone: o.console.alone, Security: s.security, Exemptions: s.exempt, Open: o.dev, Console: pages,
		Preview: func(ctx context.Context, id string, draft []byte, transactions int) (any, bool, error) {
			return s.preview(ctx, id, draft, transactions)
		},
		Webhooks: s.outbox, Feed: s.feed, AllowPrivate: o.webhookAllowPrivate,
		Live: s.health.Live, Ready: s.health.Ready, Metrics: s.metrics.Handler(),
		Counter: s.metrics, Identify: observe.Identify, Explain: observe.Explain, Aside: s.engine.Aside, Watch: watch.Middleware, Log: s.log,
		MaxAhead: o.maxAhead, Unavailable: unavailable, Budgets: s.budgets, Version: version(),
	})
	return s, err
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

// programFile is a file of --program, and the id of the program in it.
type programFile struct {
	name, id string
	document []byte
}

// readPrograms reads the files of --program: before a database is opened, which would be
// made in vain.
func readPrograms(names []string) (files []programFile, err error) {
	for _, name := range names {
		document, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--program: %w", err)
		}
		p, err := program.Parse(name, document)
		if err != nil {
			return nil, err
		}
		files = append(files, programFile{name, p.ID, document})
	}
	return files, nil
}

// openPrograms reads the programs of a database, and puts those that are given and not
// there.
func openPrograms(ctx context.Context, d *durable.Database, given []programFile, dev bool) (*durable.Programs, error) {
	programs, err := durable.OpenPrograms(ctx, d, parseStored, time.Now)
	if err != nil {
		return nil, err
	}
	for _, file := range given {
		if err := putOnce(ctx, programs, file.id, file.document); err != nil {
			return nil, fmt.Errorf("--program %s: %w", file.name, err)
		}
	}
	if _, ok := programs.Default(); !ok {
		if !dev {
			return nil, errors.New("the database has no program: give one with --program FILE")
		}
		if err := putOnce(ctx, programs, program.Everyday().ID, program.EverydayDocument()); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// putOnce puts a program that is not in the database. One that is must be there
// as it stands in the file, in one of its versions.
func putOnce(ctx context.Context, programs *durable.Programs, id string, document []byte) error {
	versions := programs.Versions(id)
	for _, v := range versions {
		if bytes.Equal(v.Document, document) {
			return nil
		}
	}
	if len(versions) > 0 {
		return fmt.Errorf("program %q is in the database with other terms: publish new ones with PUT /v1/programs/%s", id, id)
	}
	_, _, err := programs.Put(ctx, id, document, 0, "recoup serve")
	return err
}

// approvals are what the API has wait for a second person. In a service that is open
// everybody is one.
func (s *service) approvals() *approval.Book {
	if s.options.dev {
		return nil
	}
	return s.proposals
}

// doorkeeper lets in who has an API key.
type doorkeeper struct {
	*access.Keys
	rates *access.Rates
}

// Authenticate implements server.Authenticator.
func (k *doorkeeper) Authenticate(ctx context.Context, header string) (server.Principal, error) {
	p, err := k.Keys.Authenticate(ctx, header)
	if refusal := access.Refusal(0); errors.As(err, &refusal) {
		return server.Principal{ID: p.ID, Name: p.Name}, fmt.Errorf("%w: %w", server.ErrUnauthenticated, refusal)
	}
	if err != nil {
		return server.Principal{}, err
	}
	if _, ok := k.rates.Take(&p, time.Now()); !ok {
		return server.Principal{}, server.ErrRate
	}
	// The scopes of both packages are the same bits; a test holds them to it.
	return server.Principal{ID: p.ID, Name: p.Name, Scopes: server.Scopes(p.Scopes), Limits: &p.Limits}, nil
}

// preview compares a draft of a program with what is in force.
func (s *service) preview(ctx context.Context, id string, draft []byte, transactions int) (*preview.Comparison, bool, error) {
	latest, ok := s.store.Programs().Get(id)
	if !ok {
		return nil, false, nil
	}
	terms, err := program.Parse("draft", draft)
	if err != nil {
		return nil, true, &durable.ProgramError{Code: durable.ProgramInvalid, Err: err}
	}
	if terms.ID != id {
		return nil, true, &durable.ProgramError{Code: durable.ProgramMisnamed, Err: fmt.Errorf("the draft is of program %q, expected one of %q", terms.ID, id)}
	}
	sample, err := preview.Sample(ctx, s.db, id, transactions)
	if err != nil {
		return nil, true, err
	}
	comparison, err := preview.Compare(ctx, latest.In(reward.CycleAt(reward.At(time.Now()))), terms, sample)
	if errors.Is(err, preview.ErrCurrency) {
		err = &durable.ProgramError{Code: durable.CurrencyChanged, Err: err}
	}
	return comparison, true, err
}

// start starts what works in the background.
func (s *service) start(ctx context.Context) {
	ctx, s.stop = context.WithCancel(engine.By(ctx, engine.System))
	s.every(ctx, time.Second, "learning of new program versions", s.store.Programs().Refresh)
	s.every(ctx, time.Second, "learning of new exemptions", s.exempt.Refresh)
	s.every(ctx, time.Second, "looking at the clock", s.clock.look)
	s.every(ctx, 10*time.Second, "closing cycles", func(ctx context.Context) error {
		if s.clock.doubted() != nil {
			return nil
		}
		closed, err := s.engine.CloseDue(ctx, reward.At(time.Now().Add(-s.options.closeAfter)), s.store.Due)
		if closed > 0 {
			s.log.Info("cycles closed", "count", closed)
		}
		return err
	})
	s.every(ctx, time.Second, "telling of what has ended", s.tellEnded())
	s.every(ctx, collectEvery, "collecting notices for those who fetch them", s.feed.Collect)
	s.every(ctx, 5*time.Second, "sealing the log", (&sealers{db: s.db}).seal)
	if keeper := &s.options.checkpoints; keeper.to != "" {
		s.every(ctx, s.options.checkpointEvery, "keeping a checkpoint", func(ctx context.Context) error { return keeper.next(ctx, s.db) })
	}
	s.every(ctx, time.Minute, "closing what was decided", func(ctx context.Context) error {
		_, err := s.proposals.Finish(ctx)
		return err
	})
	s.every(ctx, time.Minute, "noting which keys were used", s.keys.NoteUses)
	if s.options.demo {
		s.every(ctx, time.Minute, "making up events", func(ctx context.Context) error {
			return demo.Live(ctx, s.applier.Apply, time.Now)
		})
	}
	s.background.Go(func() {
		webhook.Dispatch(ctx, s.outbox, webhook.Options{Alone: inFolder(s.options.db), AllowPrivate: s.options.webhookAllowPrivate, Log: s.log})
	})
	for _, lane := range s.db.Lanes() {
		if folder, is := lane.(*pebble.DB); is {
			s.background.Go(func() {
				if err := folder.Serve(ctx); err != nil {
					s.log.Error("other commands cannot look at the folder", "error", err)
				}
			})
		}
	}
	s.background.Go(func() { s.metrics.Watch(ctx, time.Minute, s.figures, s.log) })
}

// tellEnded returns what tells of rewards that have matured and holds that have ended. What
// is to end of accounts from a time when that was not kept is written down first.
func (s *service) tellEnded() func(context.Context) error {
	written := false
	return func(ctx context.Context) error {
		if !written {
			if err := s.store.WriteEndings(ctx); err != nil {
				return err
			}
			written = true
		}
		_, err := s.store.TellEnded(ctx)
		return err
	}
}

// every does something now and again, until the context ends. A failure is
// logged, and it is done again all the same.
func (s *service) every(ctx context.Context, pause time.Duration, what string, do func(context.Context) error) {
	s.background.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				s.log.Error(what+" failed and will be tried again", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// serveAside answers those who watch the service, on an address of their own.
func (s *service) serveAside(l net.Listener) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	mux.HandleFunc("GET /healthz", s.health.Live)
	mux.HandleFunc("GET /readyz", s.health.Ready)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	names := s.options.metricsHosts
	if own, err := os.Hostname(); err == nil {
		names = append(slices.Clone(names), own)
	}
	h := &http.Server{Handler: observe.OnlyHosts(mux, names...), ReadHeaderTimeout: 10 * time.Second}
	s.background.Go(func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the address for metrics does not answer any more", "error", err)
		}
	})
	return h
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
