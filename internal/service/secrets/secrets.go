// Package secrets looks after what a database has sealed: with which keys, and what lies
// under which.
package secrets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"recoup/internal/kit/files"
	"recoup/internal/service/sources"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/seal"
)

// Variable is the environment variable that may have the keys themselves.
const Variable = "RECOUP_SECRETS_KEY"

// maxKeyFile is far more than a file of keys has.
const maxKeyFile = 64 << 10

// Keys reads the keys of a file, or without a name those that the environment has; nil:
// there are none.
func Keys(file string) (*seal.Keys, error) {
	text, from := os.Getenv(Variable), Variable
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("--secrets-key: %w", err)
		}
		defer f.Close()
		read, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
		if err != nil {
			return nil, fmt.Errorf("--secrets-key: %w", err)
		}
		text, from = string(read), "--secrets-key "+file
	}
	if text == "" && file == "" {
		return nil, nil
	}
	keys, err := seal.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return keys, nil
}

// MustKeys is Keys where there must be some.
func MustKeys(file string) (*seal.Keys, error) {
	keys, err := Keys(file)
	if err == nil && keys == nil {
		err = fmt.Errorf("expected --secrets-key or %s: recoup secrets new makes a file of keys", Variable)
	}
	return keys, err
}

// Warn tells the log of a service what it keeps unsealed, and who can read its keys.
func Warn(log *slog.Logger, file string, keys *seal.Keys) {
	if keys == nil {
		log.Warn("no secrets key: secrets of webhook endpoints lie in the database as they are, and events with what looks like a card number are masked for good; recoup secrets new makes a key, --secrets-key names it")
	}
	if info, err := os.Stat(file); file != "" && err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn("others than the owner can read the secrets keys: give the file the mode 0600", "file", file, "mode", info.Mode().Perm().String())
	}
}

// New puts a new key before those of a file, which is made if it is not there, and returns
// what is in it then.
func New(file string) (*seal.Keys, error) {
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	text := seal.NewKey() + "\n" + string(before)
	keys, err := seal.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return keys, files.Write(file, bytes.NewBufferString(text))
}

// Sealed is how much of a kind is sealed under a key.
type Sealed struct {
	What  string `json:"what"`
	Key   string `json:"key"` // "": not sealed
	Count int    `json:"count"`
}

// List says what of a database is sealed under which key.
func List(ctx context.Context, db *durable.Database) (rows []Sealed, err error) {
	endpoints, err := webhook.New(db, db.Records, time.Now).Keys(ctx)
	if err != nil {
		return nil, err
	}
	events, err := durable.KeptApartKeys(ctx, db)
	if err != nil {
		return nil, err
	}
	webhooks, err := sources.Keys(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		what   string
		counts map[string]int
	}{{"webhook endpoints", endpoints}, {"events kept apart", events}, {"webhooks of processors", webhooks}} {
		for _, key := range slices.Sorted(maps.Keys(of.counts)) {
			rows = append(rows, Sealed{of.what, key, of.counts[key]})
		}
	}
	return rows, nil
}

// Rotate seals under the first key what is sealed under another, or not at all, and
// returns how many endpoints, events and webhooks of processors that was.
func Rotate(ctx context.Context, db *durable.Database, keys *seal.Keys) (endpoints, events, webhooks int, err error) {
	if endpoints, err = webhook.New(db, db.Records, time.Now).Sealed(keys).Reseal(ctx); err != nil {
		return 0, 0, 0, err
	}
	if events, err = durable.ResealKeptApart(ctx, db, keys); err != nil {
		return endpoints, events, 0, err
	}
	webhooks, err = sources.Reseal(ctx, db, keys)
	return endpoints, events, webhooks, err
}
