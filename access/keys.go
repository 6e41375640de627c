// Package access lets in who has an API key, and says what the key may be used
// for.
//
// A key is shown once, when it is created. The database has its SHA-256 alone,
// so neither a copy of the database nor a log of what it was asked opens anything.
package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recoup/reward"
	"recoup/store/record"
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
	records record.Store
	now     func() time.Time
	cache
}

// New returns the keys of a database.
func New(records record.Store, now func() time.Time) *Keys {
	return &Keys{records: records, now: now, cache: newCache()}
}

// Outlast has known keys let in for so long while the database cannot be asked for them at
// all, where there is something to let them in to that can be reached all the same. It is
// to be called before anybody is let in.
func (k *Keys) Outlast(d time.Duration) { k.outlast = d }

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
	text, id := newKey()
	key = Key{ID: id, Name: name, Scopes: scopes, Created: reward.At(k.now())}
	err = k.records.Change(ctx, func(tx record.Tx) error {
		inForce := 0
		err := table.Each(ctx, tx, record.Span{}, func(_ string, r *row) (bool, error) {
			if r.Revoked == 0 {
				inForce++
			}
			return true, nil
		})
		switch {
		case err != nil:
			return err
		case inForce >= MaxKeys:
			return fmt.Errorf("there are %d keys in force already, as many as there may be: revoke those that nobody uses", inForce)
		}
		return table.Put(tx, id, rowOf(&key, digestOf(text)))
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("making a key: %w", err)
	}
	k.forget()
	return key, text, nil
}

// List returns all keys, the oldest first, those that were revoked among them.
func (k *Keys) List(ctx context.Context) ([]Key, error) {
	var list []Key
	err := k.records.Read(ctx, func(r record.Reader) error {
		list = nil
		return table.Each(ctx, r, record.Span{}, func(_ string, row *row) (bool, error) {
			list = append(list, row.key())
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	slices.SortFunc(list, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Revoke ends a key for good and returns it. Other processes let it in for
// another Staleness at most. A key that is revoked already stays as it is. The
// error is ErrUnknownKey if there is none with the id.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	var key Key
	err := k.records.Change(ctx, func(tx record.Tx) error {
		row, ok, err := table.Get(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case !ok:
			return ErrUnknownKey
		}
		if row.Revoked == 0 {
			row.Revoked = int64(reward.At(k.now()))
			err = table.Put(tx, id, &row)
		}
		key = row.key()
		return err
	})
	if err != nil {
		return Key{}, fmt.Errorf("revoking key %q: %w", id, err)
	}
	k.forget()
	return key, nil
}
