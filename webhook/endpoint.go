package webhook

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/store/durable"
)

// ErrNotFound: there is no endpoint or dead letter of that name.
var ErrNotFound = errors.New("not found")

// Outbox is the tables of a database that webhooks live in. It may be used by
// several goroutines and processes at once.
type Outbox struct {
	db     *sql.DB
	rebind func(string) string
	now    func() time.Time
}

// New returns the outbox of a database; rebind turns $1, $2 into what the
// database takes, and now is the clock, in general time.Now.
func New(db *sql.DB, rebind func(string) string, now func() time.Time) *Outbox {
	return &Outbox{db: db, rebind: rebind, now: now}
}

// Endpoint is where deliveries go.
type Endpoint struct {
	ID  string
	URL string
	// Types are the types of notices that it wants; none for all.
	Types    []string
	Created  time.Time
	Disabled time.Time // zero: it is not
	Due      int64     // deliveries that are or will be tried
	Dead     int64     // deliveries that were given up
}

// Add adds an endpoint that wants notices of the types, or of all if there are
// none, and returns it with its secret, which is not shown again. From then on
// the store writes deliveries for it.
func (o *Outbox) Add(ctx context.Context, address string, types []string, allowPrivate bool) (Endpoint, string, error) {
	if err := checkURL(address, allowPrivate); err != nil {
		return Endpoint{}, "", err
	}
	for _, t := range types {
		if !slices.Contains(durable.NoticeTypes[:], t) {
			return Endpoint{}, "", fmt.Errorf("type %q: expected one of %s", t, strings.Join(durable.NoticeTypes[:], ", "))
		}
	}
	types = slices.Compact(slices.Sorted(slices.Values(types)))
	e := Endpoint{ID: "ep_" + strings.ToLower(rand.Text()[:16]), URL: address, Types: types, Created: o.now().UTC()}
	secret := newSecret()
	_, err := o.exec(ctx, `INSERT INTO endpoints (id, url, types, secrets, created_at) VALUES ($1, $2, $3, $4, $5)`,
		e.ID, e.URL, strings.Join(types, ","), keyring{{secret: secret}}.String(), e.Created.UnixNano())
	if err != nil {
		return Endpoint{}, "", fmt.Errorf("adding an endpoint: %w", err)
	}
	return e, secret, nil
}

// List returns all endpoints, the oldest first, with what waits for them.
func (o *Outbox) List(ctx context.Context) ([]Endpoint, error) {
	list, err := o.endpoints(ctx, `ORDER BY e.created_at, e.id`)
	if err != nil {
		return nil, fmt.Errorf("listing endpoints: %w", err)
	}
	return list, nil
}

// Endpoint returns one endpoint.
func (o *Outbox) Endpoint(ctx context.Context, id string) (Endpoint, error) {
	list, err := o.endpoints(ctx, `WHERE e.id = $1`, id)
	switch {
	case err != nil:
		return Endpoint{}, fmt.Errorf("reading endpoint %s: %w", id, err)
	case len(list) == 0:
		return Endpoint{}, unknownEndpoint(id)
	}
	return list[0], nil
}

func (o *Outbox) endpoints(ctx context.Context, which string, args ...any) ([]Endpoint, error) {
	rows, err := o.db.QueryContext(ctx, o.rebind(
		`SELECT e.id, e.url, e.types, e.created_at, e.disabled_at,
		   (SELECT count(*) FROM deliveries d WHERE d.endpoint = e.id AND d.state = 0),
		   (SELECT count(*) FROM deliveries d WHERE d.endpoint = e.id AND d.state = 1)
		 FROM endpoints e `+which), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Endpoint
	for rows.Next() {
		var e Endpoint
		var types string
		var created int64
		var disabled sql.NullInt64
		if err := rows.Scan(&e.ID, &e.URL, &types, &created, &disabled, &e.Due, &e.Dead); err != nil {
			return nil, err
		}
		if types != "" {
			e.Types = strings.Split(types, ",")
		}
		e.Created = moment(created)
		if disabled.Valid {
			e.Disabled = moment(disabled.Int64)
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// Rotate gives an endpoint a new secret and returns it; it is not shown again.
// For as long as the overlap deliveries are signed with the old secret as well,
// so that the receiver can change over at leisure. No overlap stops the old one
// at once, as a secret that has leaked wants it.
func (o *Outbox) Rotate(ctx context.Context, id string, overlap time.Duration) (string, error) {
	var old string
	err := o.db.QueryRowContext(ctx, o.rebind(`SELECT secrets FROM endpoints WHERE id = $1`), id).Scan(&old)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", unknownEndpoint(id)
	case err != nil:
		return "", fmt.Errorf("rotating the secret of endpoint %s: %w", id, err)
	}
	ring, err := parseKeyring(old)
	if err != nil {
		return "", fmt.Errorf("rotating the secret of endpoint %s: %w", id, err)
	}
	secret := newSecret()
	n, err := o.exec(ctx, `UPDATE endpoints SET secrets = $1 WHERE id = $2 AND secrets = $3`,
		ring.rotated(secret, o.now(), overlap).String(), id, old)
	if err != nil {
		return "", fmt.Errorf("rotating the secret of endpoint %s: %w", id, err)
	}
	if n == 0 {
		return "", fmt.Errorf("endpoint %s was changed by somebody else at the same time: look at it and try again", id)
	}
	return secret, nil
}

// Disable stops an endpoint: nothing new is written for it, and what waits for
// it waits until it is enabled. Disabling it again changes nothing.
func (o *Outbox) Disable(ctx context.Context, id string) error {
	n, err := o.exec(ctx, `UPDATE endpoints SET disabled_at = coalesce(disabled_at, $1) WHERE id = $2`, o.now().UnixNano(), id)
	return o.changed(id, "disabling", n, err)
}

// Enable starts an endpoint again, beginning with what waits for it. What
// happened while it was disabled is not told.
func (o *Outbox) Enable(ctx context.Context, id string) error {
	n, err := o.exec(ctx, `UPDATE endpoints SET disabled_at = NULL WHERE id = $1`, id)
	return o.changed(id, "enabling", n, err)
}

// Remove forgets an endpoint, with everything that waits for it and its dead
// letters.
func (o *Outbox) Remove(ctx context.Context, id string) error {
	n, err := o.exec(ctx, `DELETE FROM endpoints WHERE id = $1`, id)
	if err := o.changed(id, "removing", n, err); err != nil {
		return err
	}
	// Notices that nobody else wants are swept up in time.
	if _, err := o.exec(ctx, `DELETE FROM deliveries WHERE endpoint = $1`, id); err != nil {
		return fmt.Errorf("removing the deliveries of endpoint %s: %w", id, err)
	}
	return nil
}

func (o *Outbox) changed(id, doing string, rows int64, err error) error {
	if err != nil {
		return fmt.Errorf("%s endpoint %s: %w", doing, id, err)
	}
	if rows == 0 {
		return unknownEndpoint(id)
	}
	return nil
}

func unknownEndpoint(id string) error {
	return fmt.Errorf("endpoint %q: %w; `recoup webhooks list` shows those that are there", id, ErrNotFound)
}

// exec runs a statement and returns how many rows it changed.
func (o *Outbox) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := o.db.ExecContext(ctx, o.rebind(statement), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// moment is a time as the tables keep it, in nanoseconds since 1970.
func moment(n int64) time.Time { return time.Unix(0, n).UTC() }
