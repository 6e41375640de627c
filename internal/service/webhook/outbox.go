package webhook

import (
	"errors"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
)

// ErrNotFound says that there is no endpoint or dead letter of that name.
var ErrNotFound = errors.New("not found")

// Outbox is the tables of a database that webhooks live in. It may be used by
// several goroutines and processes at once.
type Outbox struct {
	home  record.Store
	lanes func() []record.Store
	now   func() time.Time
	// keys seal the secrets of endpoints; nil: they lie in the database as they are.
	keys *seal.Keys
}

// New returns the outbox of a database: endpoints are in its home, what waits for them
// in its lanes, each with the deliveries of its accounts. There may come to be more of
// them, after those that there are; each keeps its place. Where there is but one database
// it is both. now is the clock, in general time.Now.
func New(home record.Store, lanes func() []record.Store, now func() time.Time) *Outbox {
	return &Outbox{home: home, lanes: lanes, now: now}
}

// Sealed returns the same outbox with keys that the secrets of endpoints are sealed with.
func (o *Outbox) Sealed(keys *seal.Keys) *Outbox {
	sealed := *o
	sealed.keys = keys
	return &sealed
}

// waiting are the tables of what waits for endpoints.
var waiting = [...]record.Table[outbox.Delivery]{outbox.Deliveries, outbox.DeadLetters}

// page is how many records one transaction deletes or moves: nobody else writes
// meanwhile.
const page = 1000

// moment is a time as the tables keep it, in nanoseconds since 1970.
func moment(n int64) time.Time { return time.Unix(0, n).UTC() }
