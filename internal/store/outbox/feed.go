package outbox

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/store/record"
)

// The feed is the notices as they may be fetched, rather than sent. Units of work of
// several processes commit in no order that numbers could tell, so they put notices into
// an inbox, by account; somebody takes what has arrived out of it, all of it before any of
// what comes later, and gives it places that rise. So nobody who reads on from a place
// misses what was committed late, and the notices of one account are in its order.

// The tables. Whether there is a feed is kept at home under FeedName, the others lie in the
// lane of their accounts: the inbox under FeedKey, what may be read under record.Key of its
// place, and how far that is under FeedName.
const (
	Feeds     record.Table[Feed]      = "feed"
	FeedInbox record.Table[Told]      = "feed_inbox"
	FeedRows  record.Table[Told]      = "feed_rows"
	FeedState record.Table[FeedPlace] = "feed_state"
)

// FeedName is the key of what there is one of.
const FeedName = "feed"

// Feed is that notices are kept for whoever fetches them.
type Feed struct {
	Since int64 `json:"since"` // nanoseconds since 1970: it is another feed if it was begun anew
	Keep  int64 `json:"keep"`  // nanoseconds that a notice is kept
}

// On reports whether there is a feed.
func (f Feed) On() bool { return f.Since != 0 }

// Told is a notice that may be fetched.
type Told struct {
	Account string         `json:"account"`
	Type    string         `json:"type"`
	Created int64          `json:"created_at"` // nanoseconds since 1970
	Body    jsontext.Value `json:"body"`
}

// FeedPlace is how far the feed of a lane is.
type FeedPlace struct {
	Lane string `json:"lane"` // its name: in a lane that was split off, the one that it was
	Last int64  `json:"last"` // the highest place that was given
	Gone int64  `json:"gone"` // what has this place or a lower one is not kept any more
	// Parent is the lane that this one was split off, which gave the places up to Split
	// in both; "" for none.
	Parent string `json:"parent,omitzero"`
	Split  int64  `json:"split,omitzero"`
}

// FeedKey is where a notice lies in the inbox: by account, then after how many of its
// events it is, then by the moment that it tells of if it is of time alone.
func (n *Notice) FeedKey() string {
	return record.Key(n.Account, n.Sequence, n.Moment, n.Event, n.Place)
}

// Audience is who is to be told.
type Audience struct {
	Endpoints []Endpoint
	Feed      Feed
}

// Listens reports whether anybody is to be told notices of any type.
func (a *Audience) Listens() bool { return len(a.Endpoints) > 0 || a.Feed.On() }

// Asked reports whether an endpoint wants notices of a type.
func (a *Audience) Asked(kind string) bool {
	return slices.ContainsFunc(a.Endpoints, func(e Endpoint) bool { return e.Wants(kind) })
}

// Wants reports whether anybody is to be told notices of a type.
func (a *Audience) Wants(kind string) bool {
	return a.Feed.On() && kind != JournalPosted || a.Asked(kind)
}

// Write appends what a notice leaves behind: a delivery for each of the endpoints that
// wants it, due at once, and itself in the inbox of the feed.
func (a *Audience) Write(dst []record.Record, n Notice) ([]record.Record, error) {
	dst, err := Write(dst, a.Endpoints, n)
	if err != nil || !a.Feed.On() || n.Type == JournalPosted {
		return dst, err
	}
	r, err := FeedInbox.Record(n.FeedKey(), &Told{Account: n.Account, Type: n.Type, Created: n.Created, Body: n.Body})
	if err != nil {
		return dst, err
	}
	return append(dst, r), nil
}

// Hearing returns who is to be told: the endpoints that are not disabled, and the feed.
func Hearing(ctx context.Context, r record.Reader) (a Audience, err error) {
	all, err := Listed(ctx, r)
	if err != nil {
		return a, err
	}
	for i := range all {
		if all[i].Disabled == 0 {
			a.Endpoints = append(a.Endpoints, all[i])
		}
	}
	a.Feed, _, err = Feeds.Get(ctx, r, FeedName)
	return a, err
}
