package server

import (
	"context"
	"errors"

	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

// Applier applies well-formed events in order and appends a result for each,
// once all of them are kept durably. After it returns the caller may reuse the
// events. Of its errors, engine.ErrBusy and engine.ErrClosed are told apart.
type Applier interface {
	Apply(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error)
	// Decide applies one event and returns its result with the postings that it caused.
	Decide(ctx context.Context, e reward.Event) (reward.Result, []reward.Posting, error)
}

// ErrClock is the error of an Applier that applies nothing since it does not believe the
// clock of its machine.
var ErrClock = errors.New("the clock of this machine is not believed")

// Ledger reads what is committed. Where ok is false there is no such thing.
type Ledger interface {
	// Units returns what the amounts of an account are in, and so whether it is there.
	Units(ctx context.Context, account string) (units reward.Units, ok bool, err error)
	// AccountAsOf returns an account as a moment finds it if nothing is delivered until
	// then.
	AccountAsOf(ctx context.Context, account string, at reward.Instant) (v durable.AccountView, ok bool, err error)
	// BalanceAt returns the balance after the account's last posting at or before
	// a moment of its time; zero if there is none.
	BalanceAt(ctx context.Context, account string, at reward.Instant) (balance int64, err error)
	// Bonuses returns up to limit of those for which something counts or was paid, after a
	// place in the list, and where to go on; "" if there is nothing beyond.
	Bonuses(ctx context.Context, account, after string, limit int) (list []reward.BonusState, next string, err error)
	// Transactions returns up to limit of those authorised, posted or canceled
	// with an id after the given one, in byte order.
	Transactions(ctx context.Context, account, after string, limit int) ([]reward.Detail, error)
	// TransactionsNamed returns those of some ids that are there, by id.
	TransactionsNamed(ctx context.Context, account string, ids []string) (map[string]reward.Detail, error)
	// Transaction returns one of them with its refunds and chargebacks.
	Transaction(ctx context.Context, account, id string) (v reward.Detail, ok bool, err error)
	// Entries returns up to limit postings with a number below before, the newest
	// first; before is zero for the newest of all.
	Entries(ctx context.Context, account string, before int64, limit int) ([]durable.EntryView, error)
	// Feed returns a page of an account as its holder sees it, the newest first.
	Feed(ctx context.Context, account string, after durable.FeedPlace, limit int) (f durable.Feed, ok bool, err error)
	// Statements returns up to limit statements of cycles before the given one,
	// the latest first, the open one among them; zero is for the latest of all.
	Statements(ctx context.Context, account string, before reward.Cycle, limit int) ([]durable.StatementView, error)
	Statement(ctx context.Context, account string, cycle reward.Cycle) (v durable.StatementView, ok bool, err error)
	// Reviews returns up to limit of what is open for review and selected, after a
	// place in the list, the oldest first, and where to go on: more is false if
	// there is nothing beyond. It may return fewer although there is more.
	Reviews(ctx context.Context, filter durable.ReviewFilter, after durable.ReviewPlace, limit int) (list []durable.ReviewView, next durable.ReviewPlace, more bool, err error)
	// FreeRefundID returns an id under which what was refused under a refund's id can
	// count as a refund of its own.
	FreeRefundID(ctx context.Context, account, refund string) (id string, err error)
	// KeepApart keeps events that may have the number of a card until somebody decides,
	// and sets what becomes of each.
	KeepApart(ctx context.Context, suspects []durable.Suspect) error
	// Refused returns a fact that was refused for its currency, or an event that was kept
	// apart, decided or not.
	Refused(ctx context.Context, account, number string) (r durable.Refused, ok bool, err error)
	// DecideRefused takes it off the review list, and reports whether it was on it.
	DecideRefused(ctx context.Context, r *durable.Refused, decision, actor, reason string) (open bool, err error)
	// Try says what an event would do; see durable.Store.
	Try(ctx context.Context, e reward.Event) (t durable.Trial, ok bool, err error)
	// ProgramOf returns the id of the program that an account belongs to.
	ProgramOf(ctx context.Context, account string) (id string, ok bool, err error)
	// ProgramsOf returns the ids of the programs that accounts belong to, of those that are
	// there.
	ProgramsOf(ctx context.Context, accounts []string) (map[string]string, error)
	// AsSent returns an event that was kept apart as it was sent.
	AsSent(r *durable.Refused) (reward.Event, error)
	// Logged returns the event that was logged under an identity.
	Logged(ctx context.Context, account, source, id string) (v durable.LoggedView, ok bool, err error)
}

// Programs are the programs in all their versions; see durable.Programs.
type Programs interface {
	List() []durable.ProgramVersion
	Default() (*reward.Program, bool)
	Get(id string) (*reward.Program, bool)
	Versions(id string) []durable.ProgramVersion
	Put(ctx context.Context, id string, document []byte, effective reward.Instant, actor string) (v durable.ProgramVersion, added bool, err error)
}

// Exemptions say which members of which sources' events are ids that may look like the
// number of a card; see exempt.Rules.
type Exemptions interface {
	Has(source, member string) bool
	Set(ctx context.Context, c exempt.Change) (done exempt.Change, changed bool, err error)
	InForce(ctx context.Context) ([]exempt.Change, error)
	Changes(ctx context.Context, before int64, limit int) ([]exempt.Change, error)
}

// Authenticator tells who sends a request by its Authorization header. The error
// is ErrUnauthenticated if the header does not say so; any other is a failure to
// find out.
type Authenticator interface {
	Authenticate(ctx context.Context, header string) (Principal, error)
}

// ErrRate says that the key was used more often than it may be.
var ErrRate = errors.New("the API key is used too often")

// ErrUnauthenticated says that no valid key came with the request.
var ErrUnauthenticated = errors.New("no valid API key")

// Principal is whose key a request came with.
type Principal struct {
	ID, Name string // of the key
	Scopes   scope.Set
	Limits   Bounds // nil: none
}

// Counter counts what became of events; see observe.Metrics.
type Counter interface {
	Answered(results []reward.Result)
	Malformed()
	// Refused is for an event that is not handed on, with the code of the answer.
	Refused(code string)
}
