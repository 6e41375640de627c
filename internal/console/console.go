package console

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"recoup/internal/console/session"
	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/budget"
	"recoup/internal/service/command"
	"recoup/internal/service/drafts"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// Path is where the console lives; it begins and ends with a slash.
const Path = "/console/"

// Options are what a console is made of. All but those said to be optional must be
// there.
type Options struct {
	Ledger    Ledger
	Applier   Applier
	Programs  Programs
	Preview   Previewer
	Overview  Overview
	Webhooks  Webhooks
	Sources   Sources
	Sessions  *session.Sessions
	Proposals *approval.Book
	Drafts    *drafts.Book
	// Triage is what people who work reviews say of them.
	Triage *triage.Book
	// Exemptions are those of the server around it.
	Exemptions Exemptions
	// Open: everybody is let in, and may choose a role; as Sessions are.
	Open bool
	// Alone is what one person may do to balances alone.
	Alone approval.Limits
	// Aside lists the accounts that are set aside; see engine.Engine. Optional.
	Aside func() []engine.SetAside
	// Explain notes why a page cannot be shown, for its line in the log. Optional: there
	// is a line of its own.
	Explain func(ctx context.Context, err error)
	// Stories are accounts of sample data to begin with. Optional.
	Stories []Story
	// Security is the security log, which is told who signs in. Optional: there is none.
	Security *security.Log
	// Budgets bound what is at work; the server around it has the same. Optional: those
	// of the machine.
	Budgets *budget.Budgets
	// Log is for what fails here. Optional.
	Log *slog.Logger
	Now func() time.Time // nil: time.Now
}

// Console answers what is below Path. It is an http.Handler.
type Console struct {
	ledger     Ledger
	desk       command.Desk
	programs   Programs
	preview    Previewer
	overview   Overview
	webhooks   Webhooks
	sources    Sources
	exemptions Exemptions
	sessions   *session.Sessions
	proposals  *approval.Book
	drafts     *drafts.Book
	triage     *triage.Book
	queue      queue
	open       bool
	alone      approval.Limits
	aside      func() []engine.SetAside
	explain    func(context.Context, error)
	stories    []Story
	security   *security.Log
	budgets    *budget.Budgets
	log        *slog.Logger
	now        func() time.Time

	mux       *http.ServeMux
	handler   http.Handler
	templates sync.Map // pages as they were parsed, by locale and name
}

// New returns a console.
func New(o Options) (*Console, error) {
	if o.Ledger == nil || o.Applier == nil || o.Programs == nil || o.Preview == nil || o.Overview == nil || o.Webhooks == nil || o.Sources == nil || o.Sessions == nil || o.Proposals == nil || o.Triage == nil || o.Drafts == nil || o.Exemptions == nil {
		return nil, errors.New("console: expected a ledger, an applier, programs, previews, an overview, webhooks, sources, sessions, proposals, triage, drafts and exemptions")
	}
	c := &Console{
		ledger: o.Ledger, desk: command.Desk{Applier: o.Applier, Log: o.Ledger}, programs: o.Programs, preview: o.Preview, overview: o.Overview, webhooks: o.Webhooks, sources: o.Sources, exemptions: o.Exemptions,
		sessions: o.Sessions, proposals: o.Proposals, triage: o.Triage, drafts: o.Drafts, open: o.Open, alone: o.Alone, stories: o.Stories, security: o.Security, budgets: o.Budgets,
		log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), now: o.Now, mux: http.NewServeMux(),
	}
	if c.aside = o.Aside; c.aside == nil {
		c.aside = func() []engine.SetAside { return nil }
	}
	if c.explain = o.Explain; c.explain == nil {
		c.explain = func(ctx context.Context, err error) {
			c.log.ErrorContext(ctx, "a page could not be shown", "error", err)
		}
	}
	if c.budgets == nil {
		c.budgets = budget.New(budget.Limits{})
	}
	if c.now == nil {
		c.now = time.Now
	}
	c.routes()
	c.handler = c.guard(compressed(c.sessions.Protect(c.mux)))
	return c, nil
}

// routes sets up all pages. What each is for is in the file of its name.
func (c *Console) routes() {
	c.staticRoutes()
	c.signInRoutes()
	c.overviewRoutes()
	c.riskRoutes()
	c.accountRoutes()
	c.searchRoutes()
	c.reviewRoutes()
	c.adjustmentRoutes()
	c.programRoutes()
	c.playgroundRoutes()
	c.securityRoutes()
	c.deadWebhookRoutes()
	c.exemptionRoutes()
	c.listRoutes()
	c.page("GET "+Path, scope.Read, func(v *visit) error { return errNoPage })
}

// ServeHTTP answers a request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// instant is the moment at which a request is received.
func (c *Console) instant() reward.Instant { return reward.At(c.now()) }
