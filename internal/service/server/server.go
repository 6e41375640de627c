package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/budget"
	"recoup/internal/service/command"
	"recoup/internal/service/feed"
	"recoup/internal/service/security"
	"recoup/reward"
)

// Options are what a server is made of. Applier, Ledger and Programs must be
// there, and either an Authenticator or Open.
type Options struct {
	Applier       Applier
	Ledger        Ledger
	Programs      Programs
	Authenticator Authenticator
	// Exemptions are members that are not looked at for numbers of cards. Nil: there are
	// none, and none can be made.
	Exemptions Exemptions
	// Open lets in everybody who comes by a loopback address, with all scopes.
	Open bool

	// Preview compares a draft of a program with the version that it will follow, on a sample
	// of the transactions that are there. Its answer is written as JSON. ok is
	// false if there is no such program; a draft that is no program is a
	// *durable.ProgramError. Nil: there are no previews.
	Preview func(ctx context.Context, program string, draft []byte, transactions int) (comparison any, ok bool, err error)

	// Webhooks are the endpoints that notices are sent to, Feed is the notices for those
	// who fetch them. Nil: there are no such paths.
	Webhooks Webhooks
	Feed     Feed
	// Sources take processors' webhooks. Nil: there are no such paths.
	Sources Sources
	// Door is which tokens read the feeds of accounts, and which sites' pages. Nil: API keys
	// alone do.
	Door *feed.Door
	// AllowPrivate allows endpoints in private networks, and with them plain HTTP.
	AllowPrivate bool

	// Console answers what is below /console/, with pages for people who sign in
	// there; whoever asks for / is sent to it. Nil: there is no console.
	Console http.Handler

	// Approvals are what waits for a second person. Nil: nothing does, and whoever may
	// decide decides alone.
	Approvals *approval.Book
	// Alone is what one person may do to balances alone.
	Alone approval.Limits
	// Security is told who was refused. Nil: nobody is.
	Security *security.Log

	// Live and Ready answer /healthz and /readyz. Nil: yes.
	Live, Ready http.HandlerFunc
	// Metrics answers /metrics, for the scope read. Nil: there is no such path.
	Metrics http.Handler
	// Counter counts what became of events. Nil: nobody does.
	Counter Counter
	// Identify notes whose key a request came with, for the log. Nil: nobody does.
	Identify func(ctx context.Context, key string)
	// Watch goes around everything, to count, log and trace requests. It must hand
	// on a ResponseWriter that http.ResponseController can look through. Nil: nobody.
	Watch func(http.Handler) http.Handler
	// Explain notes why a request fails, for its line in the log. Nil: there is a line of
	// its own.
	Explain func(ctx context.Context, err error)
	// Aside lists the accounts that are set aside; see engine.Engine. Nil: none ever is.
	Aside func() []engine.SetAside
	// Log is for what fails here. Nil: it is lost.
	Log *slog.Logger

	Now func() time.Time // nil: time.Now
	// MaxAhead is how far ahead of its receipt an event may be dated. Zero: 15 min.
	MaxAhead time.Duration
	// Unavailable says of an error whether the database cannot be used just now.
	// Any other is a fault of ours. Nil: all are of that kind.
	Unavailable func(error) bool
	// Budgets bound what the process takes on; the console may share them. Nil: those
	// of the machine.
	Budgets *budget.Budgets
	Version string // of the program, for the documentation
}

// Server is Recoup over HTTP. It is an http.Handler; Serve adds the timeouts that
// a handler alone cannot have.
type Server struct {
	applier     Applier
	desk        command.Desk
	ledger      Ledger
	programs    Programs
	exemptions  Exemptions    // nil: none
	auth        Authenticator // nil: open
	approvals   *approval.Book
	alone       approval.Limits
	security    *security.Log
	preview     func(context.Context, string, []byte, int) (any, bool, error)
	webhooks    Webhooks
	private     bool // AllowPrivate
	notices     Feed
	sources     Sources      // nil: none
	door        *feed.Door   // nil: none
	waiting     atomic.Int64 // requests that wait for notices
	counter     Counter
	identify    func(context.Context, string)
	explain     func(context.Context, error)
	aside       func() []engine.SetAside
	log         *slog.Logger
	now         func() time.Time
	maxAhead    reward.Instant
	unavailable func(error) bool
	budgets     *budget.Budgets

	moulds sync.Pool // of *mould
	mux    *http.ServeMux
	// crossSite is for a service that is open, of which any page that somebody looks at
	// could ask things in their browser.
	crossSite *http.CrossOriginProtection
	api       huma.API
	handler   http.Handler
	// ending ends when the server stops taking requests, and with it streams that
	// could go on for ever.
	ending context.Context
	end    context.CancelFunc
}

// New returns a server, which must be closed.
func New(o Options) (*Server, error) {
	switch {
	case o.Applier == nil || o.Ledger == nil || o.Programs == nil:
		return nil, errors.New("server: expected an applier, a ledger and programs")
	case o.Authenticator == nil && !o.Open:
		return nil, errors.New("server: expected an authenticator, or to be open")
	case o.Open:
		o.Authenticator = nil
	}
	s := &Server{
		applier: o.Applier, desk: command.Desk{Applier: o.Applier, Log: o.Ledger}, ledger: o.Ledger, programs: o.Programs, exemptions: o.Exemptions, auth: o.Authenticator, preview: o.Preview,
		approvals: o.Approvals, alone: o.Alone, security: o.Security,
		webhooks: o.Webhooks, sources: o.Sources, door: o.Door, private: o.AllowPrivate, notices: o.Feed, counter: o.Counter, identify: o.Identify, explain: o.Explain, aside: o.Aside,
		log: o.Log, now: o.Now, unavailable: o.Unavailable, budgets: o.Budgets,
	}
	if s.counter == nil {
		s.counter = noCounter{}
	}
	if s.identify == nil {
		s.identify = func(context.Context, string) {}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.explain == nil {
		s.explain = func(ctx context.Context, err error) { s.log.ErrorContext(ctx, "request failed", "error", err) }
	}
	if s.aside == nil {
		s.aside = func() []engine.SetAside { return nil }
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.maxAhead = reward.Instant(15 * time.Minute)
	if o.MaxAhead > 0 {
		s.maxAhead = reward.Instant(o.MaxAhead)
	}
	if s.budgets == nil {
		s.budgets = budget.New(budget.Limits{})
	}
	s.crossSite = http.NewCrossOriginProtection()
	s.moulds.New = func() any { return newMould() }
	s.ending, s.end = context.WithCancel(context.Background())
	s.routes(&o)
	s.handler = s.guard(s.mux)
	if o.Watch != nil {
		s.handler = o.Watch(s.handler)
	}
	return s, nil
}

// Close ends streams that are under way. Requests after it are still answered.
func (s *Server) Close() { s.end() }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// instant is the moment at which a request is received.
func (s *Server) instant() reward.Instant { return reward.At(s.now()) }

type noCounter struct{}

func (noCounter) Answered([]reward.Result) {}
func (noCounter) Malformed()               {}
func (noCounter) Refused(string)           {}
