// Package access lets in who has an API key, and says what the key may be used
// for.
//
// A key is shown once, when it is created. The database has its SHA-256 alone,
// so neither a copy of the database nor a log of its statements opens anything.
package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recoup/reward"
)

// Key is what is known of an API key besides its secret.
type Key struct {
	ID      string
	Name    string // what people call it
	Scopes  Scopes
	Created reward.Instant
	Revoked reward.Instant // zero: it is not
}

// Limits on keys.
const (
	// MaxKeys is how many keys may be in force at a time: all of them are kept
	// in memory.
	MaxKeys = 10_000
	// MaxName is the longest name, in bytes.
	MaxName = 200
)

// ErrUnknownKey: there is no key with that id.
var ErrUnknownKey = errors.New("there is no such key")

// Keys are the API keys of a database. It is safe for concurrent use.
type Keys struct {
	db     *sql.DB
	rebind func(string) string
	now    func() time.Time
	cache
}

// New returns the keys in the table keys of a database. Statements number their
// parameters $1, $2; rebind turns that into what the database takes.
func New(db *sql.DB, rebind func(string) string, now func() time.Time) *Keys {
	return &Keys{db: db, rebind: rebind, now: now, cache: newCache()}
}

// Create makes a new key and returns, besides what is known of it, the secret
// text that its owner sends: it cannot be had again.
func (k *Keys) Create(ctx context.Context, name string, scopes Scopes) (key Key, text string, err error) {
	switch {
	case strings.TrimSpace(name) == "":
		return Key{}, "", errors.New("a key needs a name, so that people know later whose it is")
	case len(name) > MaxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return Key{}, "", fmt.Errorf("name of a key: expected at most %d bytes of plain text on one line", MaxName)
	case len(scopes.Names()) == 0:
		return Key{}, "", errors.New("a key without a scope is of no use")
	}
	var inForce int
	if err := k.db.QueryRowContext(ctx, `SELECT count(*) FROM keys WHERE revoked_at IS NULL`).Scan(&inForce); err != nil {
		return Key{}, "", fmt.Errorf("counting the keys: %w", err)
	}
	if inForce >= MaxKeys {
		return Key{}, "", fmt.Errorf("there are %d keys in force already, as many as there may be: revoke those that nobody uses", inForce)
	}
	text, id := newKey()
	key = Key{ID: id, Name: name, Scopes: scopes, Created: reward.At(k.now())}
	hash := digestOf(text)
	_, err = k.db.ExecContext(ctx, k.rebind(`INSERT INTO keys (id, name, scopes, hash, created_at) VALUES ($1, $2, $3, $4, $5)`),
		id, name, scopes.String(), hash[:], int64(key.Created))
	if err != nil {
		return Key{}, "", fmt.Errorf("storing the key: %w", err)
	}
	k.forget()
	return key, text, nil
}

// List returns all keys, the oldest first, those that were revoked among them.
func (k *Keys) List(ctx context.Context) ([]Key, error) {
	rows, err := k.db.QueryContext(ctx, `SELECT id, name, scopes, created_at, revoked_at FROM keys ORDER BY created_at, id`)
	if err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	defer rows.Close()
	var list []Key
	for rows.Next() {
		key, err := scanKey(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("reading the keys: %w", err)
		}
		list = append(list, key)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	return list, nil
}

// Revoke ends a key for good and returns it. Other processes let it in for
// another Staleness at most. A key that is revoked already stays as it is. The
// error is ErrUnknownKey if there is none with the id.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	_, err := k.db.ExecContext(ctx, k.rebind(`UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL`), int64(reward.At(k.now())), id)
	if err != nil {
		return Key{}, fmt.Errorf("revoking key %s: %w", id, err)
	}
	k.forget()
	key, err := scanKey(k.db.QueryRowContext(ctx, k.rebind(`SELECT id, name, scopes, created_at, revoked_at FROM keys WHERE id = $1`), id).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Key{}, fmt.Errorf("key %q: %w", id, ErrUnknownKey)
	case err != nil:
		return Key{}, fmt.Errorf("reading key %s: %w", id, err)
	}
	return key, nil
}

// scanKey reads one row of keys; more are further columns.
func scanKey(scan func(...any) error, more ...any) (Key, error) {
	var key Key
	var scopes string
	var created int64
	var revoked sql.NullInt64
	if err := scan(append([]any{&key.ID, &key.Name, &scopes, &created, &revoked}, more...)...); err != nil {
		return Key{}, err
	}
	key.Scopes, key.Created, key.Revoked = stored(scopes), reward.Instant(created), reward.Instant(revoked.Int64)
	return key, nil
}
