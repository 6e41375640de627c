// Package store says what the engine needs kept. The folders below it keep it:
// in memory today, in databases later.
package store

import (
	"context"
	"errors"

	"recoup/reward"
)

// Store keeps accounts, their journals and the log of events.
type Store interface {
	// Update opens one unit of work over the accounts that the events touch,
	// calls apply with it, and keeps all that apply did, or nothing if it
	// returns an error. Units that share an account run one after the other. A
	// store may call apply again after a conflict, with a fresh unit.
	Update(ctx context.Context, events []reward.Event, apply func(Unit)) error
	// EachAccount calls f with the id of every account, in byte order, until it
	// returns an error, which it then returns.
	EachAccount(ctx context.Context, f func(id string) error) error
}

// Laned is a Store that keeps accounts in several lanes. The events of a unit of work
// must be of accounts in one; lanes do not wait for each other. Now and then accounts are
// dealt out anew, each time to more lanes than before; see ErrDealt.
type Laned interface {
	Store
	Lanes() int
	LaneOf(account string) int // from zero
}

// Prober is a Store of which single accounts may be out of use for a while.
type Prober interface {
	Store
	// Probe tries to lock an account, and if whole is set to read all that is kept of it,
	// and changes nothing. An error is as those of Update are.
	Probe(ctx context.Context, account string, whole bool) error
}

// ErrDealt says that the accounts of a unit of work are in several lanes, or in another than they
// were, since accounts have been dealt out anew. Nothing was kept; ask LaneOf again.
var ErrDealt = errors.New("accounts have been dealt out to the shards anew: try again")

// Unit is one atomic piece of work on a store: a batch of events, named by their
// place in it, each of which is sighted, applied and recorded in turn.
type Unit interface {
	// Sighting tells what the log of events, with what was recorded of this
	// batch, knows of the event's identity: its account, source and id.
	Sighting(i int) Sighting
	// Account returns the account that the event is of, a new one if it is not
	// there yet. A new account is kept only once an event of it is recorded. It may be one
	// that others have changed since, until the work is done: who neither sights nor records
	// the event is not told so.
	Account(i int) *reward.Account
	// Record logs the event with who sent it ("" if nobody said so), its result and the
	// postings that it caused. The caller may reuse the postings afterwards.
	Record(i int, by string, r reward.Result, postings []reward.Posting)
}

// Refuser is a Unit that keeps besides what the rules refused without a trace, where
// somebody may want to make it count after all.
type Refuser interface {
	// Refuse tells that the event left no trace, and its result. It is called instead
	// of Record.
	Refuse(i int, r reward.Result)
}

// Versioned is a Unit that knows how many events of an account are logged.
type Versioned interface {
	// Version counts those of the event's account, with what was recorded of this batch.
	// It is asked after Account.
	Version(i int) int64
}

// Sighting is what a log of events knows of an identity.
type Sighting uint8

// The sightings.
const (
	Unseen       Sighting = iota // no event of that identity
	SameContent                  // the same event
	OtherContent                 // another event under the same identity
)
