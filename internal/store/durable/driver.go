package durable

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"recoup/internal/store/record"
	"recoup/ledger"
	"recoup/reward"
)

// Driver is a database that a Store lives in: how rows are locked, read and
// written. It knows nothing of rewards. As a record.Store it keeps what is beside the
// accounts.
type Driver interface {
	record.Store
	// Update runs f in one transaction and commits it durably if f returns nil.
	// It rolls back and runs f again, a bounded number of times and after a
	// growing random pause, where the database reports a serialisation failure
	// or a deadlock, or f returns ErrConflict.
	Update(ctx context.Context, f func(Tx) error) error
	// Replace locks an account, calls f with its log, in order, and keeps durably what f
	// returns in place of all else that is kept of the account, whether or not that can be
	// read. f may be run again.
	Replace(ctx context.Context, account string, f func(log []EventRow) (*Changes, error)) error
	// Forget is Replace of all that is kept of an account, its log included: of what it
	// leaves, f returns what is to be kept, of whichever account. f also reads records, as
	// they are when it is called or later.
	Forget(ctx context.Context, account string, f func(in record.Reader, log []EventRow) (*Changes, error)) error
	// Purge has what Forget took away leave the files of the database too, as far as that
	// is for this program to do: of an account, and under the numbers of events; nil: of all.
	Purge(ctx context.Context, account string, numbers []int64) error
	// View runs f on one consistent snapshot of what is committed.
	View(ctx context.Context, f func(Reader) error) error
	// Inspect is View for who looks at how things are kept.
	Inspect(ctx context.Context, f func(Inspector) error) error
	// Presumes reports whether it pays to write new things without having looked
	// whether they are there. If so, Write returns ErrConflict where an event is
	// logged under its identity already, or a part of Request.Presumed is there.
	Presumes() bool
	// Ping reports whether the database answers.
	Ping(ctx context.Context) error
	// TryWrite reports whether what a unit of work writes would be kept: it commits
	// durably something that leaves nothing behind.
	TryWrite(ctx context.Context) error
	Close() error
}

// ErrConflict says that an account was changed by somebody else since it was read.
var ErrConflict = errors.New("account changed meanwhile")

// Tx is one transaction that changes accounts. It reads records as they were when it
// began or later, without what it writes itself.
type Tx interface {
	record.Reader
	// Timeline names the past that the transaction goes on from. It is another one after a
	// copy of the database has taken its place, which may lack what was acknowledged last:
	// then nothing that is at hand is what it has. 0: it is not known.
	Timeline(ctx context.Context) (int64, error)
	// Load locks the accounts of the request until the transaction ends, then
	// reads what it asks for, all in as few exchanges as the database allows.
	Load(ctx context.Context, r *Request) (*Loaded, error)
	// Find reads further parts of an account that Load has locked.
	Find(ctx context.Context, q Query) ([]Part, error)
	// Events is as Reader has it, of an account that Load has locked, without what the
	// transaction writes itself.
	Events(ctx context.Context, from int64, limit int) ([]EventRow, error)
	// Write writes all of it. It returns ErrConflict if an account's version is
	// not the one that its row is based on.
	Write(ctx context.Context, c *Changes) error
}

// Reader reads what is committed.
type Reader interface {
	record.Reader
	// Census returns the highest number of an event, and how many events there are.
	Census(ctx context.Context) (last, events int64, err error)
	// Account returns the row of an account; ok is false if there is none.
	Account(ctx context.Context, id string) (row AccountRow, ok bool, err error)
	// Accounts returns up to limit ids of accounts after one, in byte order.
	Accounts(ctx context.Context, after string, limit int) ([]string, error)
	// Rows returns up to limit rows of accounts after one, in byte order.
	Rows(ctx context.Context, after string, limit int) ([]AccountRow, error)
	// Named returns up to limit keys of transactions, refunds and chargebacks of
	// whichever accounts with exactly this id, by account in byte order and then
	// by kind.
	Named(ctx context.Context, id string, limit int) ([]PartKey, error)
	// Due returns up to limit ids of accounts whose Due is set and at or before
	// the instant, the longest overdue first.
	Due(ctx context.Context, at reward.Instant, limit int) ([]string, error)
	// Find reads parts of an account.
	Find(ctx context.Context, q Query) ([]Part, error)
	// Opened returns what several accounts are opened with, in as few exchanges as the
	// database allows: the rows of those that are there, in byte order, and, in no order and
	// perhaps some twice, all their working parts and those of other parts that are there.
	// The accounts are distinct and in byte order, the other parts, of whichever accounts,
	// are distinct.
	Opened(ctx context.Context, accounts []string, others []PartKey) ([]AccountRow, []Part, error)
	// Event returns the event that is logged under an identity; ok is false if
	// there is none.
	Event(ctx context.Context, id Identity) (row EventRow, ok bool, err error)
	// Numbered returns the event with a number; ok is false if there is none.
	Numbered(ctx context.Context, number int64) (row EventRow, ok bool, err error)
	// Numbers returns the numbers of what Events returns.
	Numbers(ctx context.Context, from int64, limit int) ([]int64, error)
	// Events returns up to limit of an account's events, the newest first, from
	// the one with number from (AccountRow.Last for the newest) backwards.
	Events(ctx context.Context, from int64, limit int) ([]EventRow, error)
	// EventsOf calls f with every event of the accounts from first to last, both
	// included ("" is no bound), by account in byte order and then in order.
	EventsOf(ctx context.Context, first, last string, f func(*EventRow) error) error
	// LogBack calls f with the events of the whole database that are of one of the types
	// and were applied or parked, from the highest number below one backwards to the lowest
	// above another, until it returns false or an error, which it then returns. It reads
	// all events in between, of whichever type. What f is given is f's only until it
	// returns.
	LogBack(ctx context.Context, before, after int64, types []reward.Type, f func(*EventRow) (more bool, err error)) error
	// Statements returns up to limit closed statements of an account with a
	// cycle before the given one, the latest first.
	Statements(ctx context.Context, account string, before reward.Cycle, limit int) ([]StatementRow, error)
	// StatementsOf returns the closed statements of a cycle of the accounts after
	// one up to and with another, by account in byte order.
	StatementsOf(ctx context.Context, cycle reward.Cycle, after, last string) ([]StatementRow, error)
	// StatementSums adds up the closed statements from a cycle on, by cycle and
	// program; the same two may come more than once. In no order.
	StatementSums(ctx context.Context, from reward.Cycle) ([]ProgramSum, error)
	// Reviews returns up to limit parts that have something to review, after a
	// place in the order of (ReviewSince, Account, Kind, ID). Empty account: of all.
	Reviews(ctx context.Context, account string, after ReviewPlace, limit int) ([]Part, error)
}

// Inspector looks at how a database keeps things, rather than at what: for who checks
// that nothing in it is damaged, and for nobody else. What an f is given is f's only
// until it returns.
type Inspector interface {
	Reader
	// Log calls f with every event that is kept with a number above one and up to
	// another, by number, whether or not anything leads to it. It calls damaged with what
	// cannot be read, and goes on after that.
	Log(ctx context.Context, after, upTo int64, f func(*EventRow) error, damaged func(error) error) error
	// Kept calls f with all that is kept of the accounts from first to last, both included
	// ("" is no bound), besides their events, by account in byte order: also with those
	// that have no row.
	Kept(ctx context.Context, first, last string, f func(*Kept) error) error
	// Loose returns all events of an account that anything leads to, by sequence and
	// number: its row, their identities, or another of these events.
	Loose(ctx context.Context, account string) ([]EventRow, error)
	// Check reads the database's files, down to what nothing of it is found by, and calls
	// damaged with what is not as it was written. unchecked says in words what it could
	// not look at, and why.
	Check(ctx context.Context, damaged func(error) error) (unchecked []string, err error)
}

// Kept is all that is kept of an account besides its events.
type Kept struct {
	Account    string
	Row        *AccountRow // nil: there is none
	Parts      []reward.Part
	Statements []StatementRow // the earliest first
	// Identities are what leads to its events by their identities. Apart says that they
	// are kept apart from the log; otherwise they are found in the log itself.
	Identities []Reference
	Apart      bool
	Damage     error // why something of it cannot be read and is not here; nil: all is
}

// Reference is what an identity leads to.
type Reference struct {
	Source, ID       string
	Number, Sequence int64
}

// Request says what a unit of work needs.
type Request struct {
	Accounts []string // distinct, in byte order
	// Held has for each account the version that the caller has at hand, -1 for
	// none. The row of an account at that version comes back without its head.
	Held       []int64
	Identities []Identity // of the events
	// Parts are distinct, and likely to be needed. None is a working part of an account
	// at the version held.
	Parts    []PartKey
	Presumed []PartKey // distinct; parts that are presumed not to be there
	Numbers  int       // how many event numbers to allot
}

// Identity names an event.
type Identity struct{ Account, Source, ID string }

// PartKey names a part of an account.
type PartKey struct {
	Account string
	Kind    reward.PartKind
	ID      string
}

// Loaded is what a Request found.
type Loaded struct {
	Accounts []AccountRow // those that are there, in byte order
	// Logged has, for each identity asked for, the line of the event that was
	// logged under it, as reward events are written on the wire; nil for none.
	Logged [][]byte
	// Parts are those asked for that are there, and all working parts of accounts
	// whose row came with its head. In no order, and perhaps some twice.
	Parts   []Part
	Numbers []int64 // rising
}

// Query selects parts of one account by kind and by one of: ids, working or not,
// bucket, a span of settlement times, or a page in order of ids.
type Query struct {
	Account string
	Kind    reward.PartKind
	IDs     []string // these
	Working bool     // the working ones
	Bucket  int64    // transactions that take part in this bucket's ranking; 0: not asked
	// Settled: transactions settled at or after From and before To.
	Settled  bool
	From, To reward.Instant
	// Page: up to Limit with an id after After, in byte order.
	Page  bool
	After string
	Limit int
}

// AccountRow is the row of an account.
type AccountRow struct {
	Account string
	Program string // for as long as there is the account
	Version int64  // how many events are logged
	Base    int64  // in Changes: the version that the row was read at; 0: a new one
	Last    int64  // number of its latest event; 0: none
	// BaseLast is, in Changes, what Last was at the version of Base; 0: whatever it was. An
	// account that was made anew after it was forgotten may have the version again.
	BaseLast int64
	// Due is when the account wants its cycle closed, 0 for never.
	Due  reward.Instant
	Head []byte
}

// Part is one record of an account besides its head: a transaction, refund,
// chargeback, redemption, adjustment or bucket.
type Part struct {
	Account string
	reward.Part
}

// EventRow is one event in the log, with what became of it. The log is only ever
// appended to.
type EventRow struct {
	Number   int64 // unique in the database; grows with time, roughly
	Account  string
	Sequence int64 // counts the account's events from one
	Before   int64 // number of the account's event before; 0: none
	Received reward.Instant
	Source   string
	ID       string
	Type     string
	// Principal is the id of who sent it: of an API key, of a session's person, or
	// "system" for what the service does by itself; "" where nobody said so.
	Principal string
	Outcome   reward.Outcome
	Code      reward.Code
	Event     []byte // the event as a CloudEvents line, without newline
	Postings  []byte // a JSON array of the postings that it caused; nil: none
}

// StatementRow is an account's statement of a closed cycle.
type StatementRow struct {
	Account string
	ledger.Statement
	Last int64 // number of the latest event when it closed
}

// ProgramSum adds up closed statements of one cycle of accounts of one program,
// every amount of them.
type ProgramSum struct {
	Program  string
	Accounts int64
	ledger.Statement
}

// ReviewPlace is a place in the order of the review list; the zero one is its
// beginning.
type ReviewPlace struct {
	Since   reward.Instant
	Account string
	Kind    reward.PartKind
	ID      string
}

// Compare is negative where p comes before q in the list, and positive where after.
func (p ReviewPlace) Compare(q ReviewPlace) int {
	return cmp.Or(cmp.Compare(p.Since, q.Since), strings.Compare(p.Account, q.Account), cmp.Compare(p.Kind, q.Kind), strings.Compare(p.ID, q.ID))
}

// Changes is what a unit of work leaves behind.
type Changes struct {
	Accounts   []AccountRow
	Events     []EventRow
	Parts      []Part // each at most once: inserted or replaced
	Statements []StatementRow
	Records    []record.Record // distinct keys
}

// Migration is a step of a database's schema.
type Migration struct {
	Version int64
	Name    string
	Applied time.Time // zero: not yet
}
