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

	"recoup/internal/service/scope"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Key is what is known of an API key besides its secret.
type Key struct {
	ID      string
	Name    string // what people call it
	Scopes  scope.Set
	Created reward.Instant
	Revoked reward.Instant // zero: it is not
	Expires reward.Instant // from then on it lets nobody in; zero: never
	// Used is when it let somebody in, to a minute or so, as far as anybody noted.
	Used    reward.Instant
	Follows string // id of the key that it was made to follow; "" for none
	Limits
}

// Limits on keys.
const (
	// MaxKeys is how many keys may be in force at a time: all of them are kept
	// in memory.
	MaxKeys = 10_000
	// MaxName is the longest name, in bytes.
	MaxName = 200
	// MaxOverlap is for how long at most a key that was rotated lets people in.
	MaxOverlap = 90 * 24 * time.Hour
)

// ErrUnknownKey says that there is no key with that id.
var ErrUnknownKey = errors.New("there is no such key")

// Keys are the API keys of a database. It is safe for concurrent use.
type Keys struct {
	records record.Store
	now     func() time.Time
	used    uses
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

// Create makes a new key with the name, scopes, limits and end of another, and returns,
// besides what is known of it, the secret text that its owner sends: it cannot be had
// again. The name is kept as Normal has it.
func (k *Keys) Create(ctx context.Context, like Key) (key Key, text string, err error) {
	key, text, err = k.fresh(like)
	if err != nil {
		return Key{}, "", err
	}
	err = k.records.Change(ctx, func(tx record.Tx) error { return insert(ctx, tx, &key, text, key.Created) })
	if err != nil {
		return Key{}, "", fmt.Errorf("making a key: %w", err)
	}
	k.forget()
	return key, text, nil
}

// fresh makes up a key that is like another.
func (k *Keys) fresh(like Key) (key Key, text string, err error) {
	name, err := checkName(like.Name)
	switch {
	case err != nil:
		return Key{}, "", fmt.Errorf("of a key: %w", err)
	case len(like.Scopes.Names()) == 0:
		return Key{}, "", errors.New("a key without a scope is of no use")
	}
	if err := like.check(); err != nil {
		return Key{}, "", err
	}
	text, id := newKey()
	key = Key{ID: id, Name: name, Scopes: like.Scopes, Limits: like.Limits, Expires: like.Expires, Created: reward.At(k.now())}
	if key.Expires != 0 && key.Expires <= key.Created {
		return Key{}, "", fmt.Errorf("end of a key: expected a time to come, found %v", key.Expires)
	}
	return key, text, nil
}

// insert keeps a new key, unless there are as many as there may be.
func insert(ctx context.Context, tx record.Tx, key *Key, text string, now reward.Instant) error {
	inForce := 0
	err := table.Each(ctx, tx, record.Span{}, func(_ string, r *row) (bool, error) {
		if r.Revoked == 0 && (r.Expires == 0 || r.Expires > int64(now)) {
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
	return table.Put(tx, key.ID, rowOf(key, digestOf(text)))
}

// Rotate makes a key that follows another: for the same, with the same limits and of the
// same person. The other one lets people in for the overlap and then ends, unless it ends
// before. The error is ErrUnknownKey if there is none with the id.
func (k *Keys) Rotate(ctx context.Context, id string, overlap time.Duration) (key Key, text string, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return Key{}, "", fmt.Errorf("overlap: expected from 0 to %v, found %v", MaxOverlap, overlap)
	}
	now := reward.At(k.now())
	err = k.records.Change(ctx, func(tx record.Tx) error {
		old, ok, err := table.Get(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case !ok:
			return ErrUnknownKey
		case old.Revoked != 0 || old.Expires != 0 && old.Expires <= int64(now):
			return errors.New("it has ended: make a new one")
		}
		like := old.key()
		like.Expires = 0
		if old.Expires != 0 { // it had a lifetime, and so has what follows it
			like.Expires = now + like.renewed(old.Expires)
		}
		if key, text, err = k.fresh(like); err != nil {
			return err
		}
		key.Follows = id
		if err := insert(ctx, tx, &key, text, now); err != nil {
			return err
		}
		if end := int64(now + reward.Instant(overlap)); old.Expires == 0 || old.Expires > end {
			old.Expires = end
		}
		if err := table.Put(tx, id, &old); err != nil {
			return err
		}
		return inherit(ctx, tx, id, key.ID)
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("rotating key %q: %w", id, err)
	}
	k.forget()
	return key, text, nil
}

// renewed is how long a key lasts that follows one which ends: as long as that was made
// for.
func (k *Key) renewed(expires int64) reward.Instant { return reward.Instant(expires) - k.Created }

// inherit links a key to the person whose another one is.
func inherit(ctx context.Context, tx record.Tx, from, to string) error {
	id, linked, err := peopleOf.Get(ctx, tx, from)
	if err != nil || !linked {
		return err
	}
	row, err := personWith(ctx, tx, id)
	if err != nil {
		return err
	}
	row.Principals = append(row.Principals, to)
	if err := peopleOf.Put(tx, to, &id); err != nil {
		return err
	}
	return people.Put(tx, id, &row)
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
