// Package outbox is what waits to be sent to other people's servers or to be fetched by
// them: which endpoints there are, what is on its way to each, what was given up, and the
// feed. The store writes notices with the events that they tell of, in one transaction;
// package webhook sends them and hands them out.
package outbox

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/store/record"
)

// The tables. Endpoints lie under their ids in the home of a database, and so does the
// number of the last dead letter under LastDead. Deliveries lie under their Key, dead
// letters under their DeadKey, both in the lane of their account.
const (
	Endpoints   record.Table[Endpoint] = "endpoints"
	Deliveries  record.Table[Delivery] = "deliveries"
	DeadLetters record.Table[Delivery] = "dead_letters"
	Counters    record.Table[int64]    = "counters"
)

// LastDead is the key of the counter of dead letters.
const LastDead = "dead_letters"

// Endpoint is where deliveries go. Times are nanoseconds since 1970.
type Endpoint struct {
	ID      string   `json:"id"`
	URL     string   `json:"url"`
	Types   []string `json:"types,omitzero"` // of notices that it wants; none for all
	Secrets string   `json:"secrets"`        // that deliveries are signed with, perhaps sealed; see package webhook
	Created int64    `json:"created_at"`
	// Disabled is since when nothing is written or sent for it; 0: it is not disabled.
	Disabled int64 `json:"disabled_at,omitzero"`
	// Askers are who had more of the notices go there than somebody else agreed to. While
	// there are any it is disabled, and none of them enables it.
	Askers []Asker `json:"askers,omitzero"`
}

// Asker is who changed an endpoint: a principal, and what it was called then.
type Asker struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Wants reports whether a notice of a type is to be delivered to it.
func (e *Endpoint) Wants(kind string) bool {
	return e.Disabled == 0 && (len(e.Types) == 0 || slices.Contains(e.Types, kind))
}

// Delivery is one notice on its way to one endpoint. Times are nanoseconds since 1970.
type Delivery struct {
	Endpoint string         `json:"endpoint"`
	Event    int64          `json:"event"` // number of the event that it tells of
	Place    int64          `json:"place"` // among the notices of the event
	Account  string         `json:"account"`
	Type     string         `json:"type"`
	Body     jsontext.Value `json:"body"`
	Created  int64          `json:"created_at"`
	Next     int64          `json:"next_at"`         // when it is to be tried
	Attempts int64          `json:"attempts"`        // that were made
	Error    string         `json:"error,omitzero"`  // of the last attempt
	Number   int64          `json:"number,omitzero"` // of a dead letter, in the whole database
}

// Key is where a delivery lies: by endpoint and then by when it is to be tried.
func (d *Delivery) Key() string { return record.Key(d.Endpoint, d.Next, d.Event, d.Place) }

// DeadKey is where a dead letter lies: by endpoint and then by number.
func (d *Delivery) DeadKey() string { return record.Key(d.Endpoint, d.Number) }

// To is the span of all that there is for an endpoint, of deliveries as of dead letters.
func To(endpoint string) record.Span { return record.Under(endpoint) }

// DueAt is the span of the deliveries to an endpoint that are to be tried at a moment or
// before.
func DueAt(endpoint string, at int64) record.Span {
	return To(endpoint).Until(record.Key(endpoint, at+1))
}

// DeadAfter is the span of the dead letters of an endpoint with numbers after one.
func DeadAfter(endpoint string, number int64) record.Span {
	return To(endpoint).After(record.Key(endpoint, number))
}

// DeadUpTo is the span of the dead letters of an endpoint up to a number.
func DeadUpTo(endpoint string, number int64) record.Span {
	return To(endpoint).Until(record.Key(endpoint, number+1))
}
