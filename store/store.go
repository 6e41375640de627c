// Package store says what the engine needs kept. The folders below it keep it:
// in memory, in one SQLite file, in PostgreSQL.
package store

import (
	"context"

	"recoup/reward"
)

// Store keeps accounts, their journals and the log of events.
type Store interface {
	// Update opens one unit of work over the accounts that the events touch,
	// calls apply with it, and keeps all that apply did, or nothing if it or
	// apply returns an error. Units that share an account run one after the
	// other. A store may call apply again after a conflict, with a fresh unit.
	Update(ctx context.Context, events []reward.Event, apply func(Unit) error) error
}

// Unit is one atomic piece of work on a store.
type Unit interface {
	// Sighting tells whether an event of that account, source and id is in the
	// log.
	Sighting(*reward.Event) Sighting
	// Account returns the account to apply events to, a new one if it is not
	// there yet. A new account that no event leaves a trace on is not kept.
	Account(id string) *reward.Account
	// Record logs the event with its result and the postings it caused. The
	// postings may be reused by the caller afterwards.
	Record(*reward.Event, reward.Result, []reward.Posting)
}

// Sighting is what the log knows of an event's identity.
type Sighting uint8

// The sightings.
const (
	Unseen       Sighting = iota // no event of that identity
	SameContent                  // the same event
	OtherContent                 // another event under the same identity
)
