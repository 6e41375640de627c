// Package outbox is what waits to be sent to other people's servers or to be fetched by
// them: which endpoints there are, what is on its way to each, what was given up, and the
// feed. The store writes notices with the events that they tell of, in one transaction;
// package webhook sends them and hands them out.
package outbox

import (
	"slices"
	"strings"

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

// Wants reports whether a notice of a type is to be delivered to it. The journal is for those
// who name it.
func (e *Endpoint) Wants(kind string) bool {
	if len(e.Types) == 0 {
		return e.Disabled == 0 && kind != JournalPosted
	}
	return e.Disabled == 0 && slices.Contains(e.Types, kind)
}

// InOrder reports whether notices go to a topic of a broker, those of an account in order,
// rather than to a server that is posted to.
func (e *Endpoint) InOrder() bool {
	return strings.HasPrefix(e.URL, "kafka://") || strings.HasPrefix(e.URL, "nats://")
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
	// Order is of one that goes out in the order of its account; nil: it goes when it is its
	// time.
	Order *Order `json:"order,omitzero"`
}

// Order is where a notice comes among those of its account: after how many of the account's
// events it is, then by the moment that it tells of if it is of time alone. Numbers of events
// do not tell, for each process gives out its own.
type Order struct {
	Sequence int64 `json:"sequence"`
	Moment   int64 `json:"moment"`
}

// Key is where a delivery lies: by endpoint and then by when it is to be tried. One that goes
// out in order is to be tried at any time, and lies by account and its order there.
func (d *Delivery) Key() string {
	if d.Order != nil {
		return record.Key(d.Endpoint, d.Next, d.Account, d.Order.Sequence, d.Order.Moment, d.Event, d.Place)
	}
	return record.Key(d.Endpoint, d.Next, d.Event, d.Place)
}

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
