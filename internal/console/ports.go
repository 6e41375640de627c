package console

import (
	"context"

	"recoup/internal/console/overview"
	"recoup/internal/service/preview"
	"recoup/internal/service/sources"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

// Ledger reads what is committed; durable.Store is one. Where ok is false there is
// no such thing.
type Ledger interface {
	Sitting(ctx context.Context, f func(ctx context.Context) error) error
	Account(ctx context.Context, account string) (v durable.AccountView, ok bool, err error)
	Transaction(ctx context.Context, account, id string) (v reward.Detail, ok bool, err error)
	TransactionsNamed(ctx context.Context, account string, ids []string) (map[string]reward.Detail, error)
	Entries(ctx context.Context, account string, before int64, limit int) ([]durable.EntryView, error)
	EntriesFrom(ctx context.Context, account string, event int64, limit int) ([]reward.Posting, error)
	Standings(ctx context.Context, accounts []string) ([]durable.Standing, error)
	Statements(ctx context.Context, account string, before reward.Cycle, limit int) ([]durable.StatementView, error)
	Statement(ctx context.Context, account string, cycle reward.Cycle) (v durable.StatementView, ok bool, err error)
	Reviews(ctx context.Context, filter durable.ReviewFilter, after durable.ReviewPlace, limit int) (list []durable.ReviewView, next durable.ReviewPlace, more bool, err error)
	Find(ctx context.Context, id string, limit int) ([]durable.Found, error)
	AccountsFrom(ctx context.Context, prefix, after string, limit int) ([]string, error)
	CycleStatements(ctx context.Context, cycle reward.Cycle, currency, after string, limit int) (list []durable.AccountStatement, next string, more bool, err error)
	History(ctx context.Context, account string, before int64, limit int) ([]durable.LoggedView, error)
	TransactionHistory(ctx context.Context, account, transaction string) (list []durable.LoggedView, cut bool, err error)
	EventsOfAccount(ctx context.Context, account string, limit int) (list []durable.LoggedView, whole bool, err error)
	Candidates(ctx context.Context, account, refund string, limit int) ([]reward.Candidate, error)
	Refund(ctx context.Context, account, id string) (v reward.RefundDetail, ok bool, err error)
	FreeRefundID(ctx context.Context, account, refund string) (id string, err error)
	Refused(ctx context.Context, account, number string) (r durable.Refused, ok bool, err error)
	DecideRefused(ctx context.Context, r *durable.Refused, decision, actor, reason string) (open bool, err error)
	AsSent(r *durable.Refused) (reward.Event, error)
	ReviewsOf(ctx context.Context, part durable.PartKey) ([]durable.ReviewView, error)
	ReviewsAmong(ctx context.Context, parts []durable.PartKey) (map[durable.PartKey][]durable.ReviewView, error)
	FactHistory(ctx context.Context, account string, kind reward.PartKind, id string) (list []durable.LoggedView, cut bool, err error)
	Try(ctx context.Context, e reward.Event) (t durable.Trial, ok bool, err error)
	Logged(ctx context.Context, account, source, id string) (v durable.LoggedView, ok bool, err error)
}

// Applier applies one event, and answers once it is kept durably; engine.Group is one.
type Applier interface {
	Decide(ctx context.Context, e reward.Event) (reward.Result, []reward.Posting, error)
}

// Programs are the programs in all their versions; see durable.Programs.
type Programs interface {
	List() []durable.ProgramVersion
	Get(id string) (*reward.Program, bool)
	Versions(id string) []durable.ProgramVersion
}

// Previewer compares a draft of a program with the version in force, on the last
// transactions that are there. ok is false if there is no such program; a draft that
// is no program is a *durable.ProgramError.
type Previewer func(ctx context.Context, program string, draft []byte, transactions int) (comparison *preview.Comparison, ok bool, err error)

// Overview is the figures of the program as a whole; nil until they were first read.
type Overview interface{ Latest() *overview.Figures }

// Webhooks are the endpoints that notices go to; see webhook.Outbox.
type Webhooks interface {
	List(ctx context.Context) ([]webhook.Endpoint, error)
	Dead(ctx context.Context, endpoint string, after int64, limit int) ([]webhook.DeadLetter, error)
	Replay(ctx context.Context, number int64) error
	ReplayAll(ctx context.Context, endpoint string) (int64, error)
}

// Sources are the processors' webhooks that could not be mapped; see sources.Sources.
type Sources interface {
	Dead(ctx context.Context, after int64, limit int) ([]sources.Letter, error)
	Payload(ctx context.Context, number int64) (l sources.Letter, body string, err error)
	Replay(ctx context.Context, number int64) error
	Dismiss(ctx context.Context, number int64) error
}

// Exemptions say which members of which sources' events are not looked at for numbers of
// cards, and who changed that; see exempt.Rules.
type Exemptions interface {
	InForce(ctx context.Context) ([]exempt.Change, error)
	Changes(ctx context.Context, before int64, limit int) ([]exempt.Change, error)
}

// Story is an account of the sample data that is worth looking at.
type Story struct{ Account, Title, Text string }
