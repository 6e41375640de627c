package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"recoup/internal/store/record"
	"recoup/reward"
)

// Signed is a session, as whoever runs the service sees it.
type Signed struct {
	ID           string // names it, and opens nothing
	Person, Name string
	Created      reward.Instant
	Seen         reward.Instant // when it was used last, to a minute or so
	Expires      reward.Instant
}

// Desk lists and ends the sessions of a database.
type Desk struct {
	records record.Store
	now     func() time.Time
}

// NewDesk returns the desk of a database.
func NewDesk(records record.Store, now func() time.Time) *Desk { return &Desk{records, now} }

// List returns the sessions that have not expired, the latest first.
func (d *Desk) List(ctx context.Context) (list []Signed, err error) {
	now := int64(reward.At(d.now()))
	err = d.records.Read(ctx, func(r record.Reader) error {
		list = nil
		return sessions.Each(ctx, r, record.Span{}, func(id string, row *row) (bool, error) {
			if row.Expires > now {
				list = append(list, Signed{id[:idShown], row.Person, row.Name, reward.Instant(row.Created), reward.Instant(max(row.Created, row.Seen)), reward.Instant(row.Expires)})
			}
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the sessions: %w", err)
	}
	slices.SortFunc(list, func(a, b Signed) int { return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// idShown is how much of the hash that a session lies under names it.
const idShown = 16

// End ends the session with an id, or all of the person with one, and returns them.
func (d *Desk) End(ctx context.Context, id string) ([]Signed, error) {
	return endWhere(ctx, d.records, func(hash string, r *row) bool { return hash[:idShown] == id || r.Person == id })
}

// endWhere ends sessions, in all processes, at once.
func endWhere(ctx context.Context, records record.Store, which func(hash string, r *row) bool) (ended []Signed, err error) {
	err = records.Change(ctx, func(tx record.Tx) error {
		ended = nil
		var places []*place
		err := sessions.Each(ctx, tx, record.Span{}, func(id string, row *row) (bool, error) {
			if which(id, row) {
				places = append(places, placeOf(id, row))
				ended = append(ended, Signed{id[:idShown], row.Person, row.Name, reward.Instant(row.Created), reward.Instant(max(row.Created, row.Seen)), reward.Instant(row.Expires)})
			}
			return true, nil
		})
		for _, p := range places {
			p.remove(tx)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ending sessions: %w", err)
	}
	return ended, nil
}
