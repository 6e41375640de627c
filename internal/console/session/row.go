package session

import (
	"context"

	"recoup/internal/store/record"
	"recoup/reward"
)

// The tables. Sessions lie under the hash of their token. Two lists lead to them: those
// of a person, and all by when they end. The values of both have what it takes to remove
// a session without looking at it, so that one which is damaged goes like the others.
const (
	sessions   record.Table[row]   = "sessions"
	sessionsOf record.Table[place] = "sessions_of"
	sessionEnd record.Table[place] = "sessions_end"
)

// row is a session as it is kept. Times are nanoseconds since 1970.
type row struct {
	Person  string `json:"person"` // Person.ID
	Name    string `json:"name"`
	Scopes  string `json:"scopes"` // their names, with commas between them
	Created int64  `json:"created_at"`
	Expires int64  `json:"expires_at"`

	Seen int64 `json:"seen_at,omitzero"` // when it was used last, to a minute or so
	// Of a provider's: its own id of the session, when it said last who they are, when it
	// is to be asked again (0: never), and what to ask with, sealed by the cookie.
	Sid       string `json:"sid,omitzero"`
	Confirmed int64  `json:"confirmed_at,omitzero"`
	Due       int64  `json:"due_at,omitzero"`
	Refresh   []byte `json:"refresh,omitzero"`
}

// place is where all of a session lies.
type place struct {
	ID      string `json:"id"`
	Person  string `json:"person"`
	Created int64  `json:"created_at"`
	Expires int64  `json:"expires_at"`
}

func placeOf(id string, r *row) *place {
	return &place{ID: id, Person: r.Person, Created: r.Created, Expires: r.Expires}
}

func (p *place) of() string  { return record.Key(p.Person, p.Created, p.ID) }
func (p *place) end() string { return record.Key(p.Expires, p.ID) }

// write writes a session.
func write(tx record.Tx, id string, r *row) error {
	p := placeOf(id, r)
	if err := sessions.Put(tx, id, r); err != nil {
		return err
	}
	if err := sessionsOf.Put(tx, p.of(), p); err != nil {
		return err
	}
	return sessionEnd.Put(tx, p.end(), p)
}

// remove removes a session.
func (p *place) remove(tx record.Tx) {
	sessions.Delete(tx, p.ID)
	sessionsOf.Delete(tx, p.of())
	sessionEnd.Delete(tx, p.end())
}

// maxExpired is how many sessions that have expired go when somebody signs in: more than
// come, so that they grow fewer, and few enough that nobody waits for it.
const maxExpired = 100

// removeExpired removes sessions that have expired, those first that did first.
func removeExpired(ctx context.Context, tx record.Tx, now reward.Instant) error {
	expired, err := sessionEnd.List(ctx, tx, record.Span{}.Until(record.Key(int64(now)+1)), maxExpired)
	for i := range expired {
		expired[i].remove(tx)
	}
	return err
}

// removeOldest leaves a person at most so many sessions, the youngest.
func removeOldest(ctx context.Context, tx record.Tx, person string, most int) error {
	var old []place
	err := sessionsOf.Each(ctx, tx, record.Under(person).Reverse(), func(_ string, p *place) (bool, error) {
		if most--; most < 0 {
			old = append(old, *p)
		}
		return true, nil
	})
	for i := range old {
		old[i].remove(tx)
	}
	return err
}
