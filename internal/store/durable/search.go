package durable

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"recoup/reward"
)

// Found is where an id that somebody searches for was found.
type Found struct {
	Account string
	Kind    reward.PartKind // 0: the account itself
	ID      string
}

// mayBeID reports whether somebody's text can be an id at all; of what cannot,
// PostgreSQL does not even take a look.
func mayBeID(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// Find returns where an id is found, at most limit places: the account with
// exactly this id, then the transactions, refunds and chargebacks with exactly
// this id, by account in byte order and then by kind.
func (s *Store) Find(ctx context.Context, id string, limit int) (list []Found, err error) {
	if limit <= 0 || !mayBeID(id) {
		return nil, nil
	}
	err = s.db.View(ctx, func(r Reader) error {
		if _, there, err := r.Account(ctx, id); err != nil {
			return err
		} else if there {
			list = append(list, Found{Account: id, ID: id})
		}
		keys, err := r.Named(ctx, id, limit-len(list))
		for _, k := range keys {
			list = append(list, Found(k))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("searching for an id: %w", err)
	}
	return list, nil
}

// AccountsFrom returns up to limit ids of accounts that begin with a prefix and
// come after an id, in byte order; the id is empty for the first of all.
func (s *Store) AccountsFrom(ctx context.Context, prefix, after string, limit int) (ids []string, err error) {
	if limit <= 0 || !mayBeID(prefix) || !mayBeID(after) {
		return nil, nil
	}
	err = s.db.View(ctx, func(r Reader) error {
		// The first is the one that is the prefix and nothing more.
		if after < prefix {
			if _, there, err := r.Account(ctx, prefix); err != nil {
				return err
			} else if there {
				ids = append(ids, prefix)
			}
		}
		more, err := r.Accounts(ctx, max(prefix, after), limit-len(ids))
		for _, id := range more {
			if !strings.HasPrefix(id, prefix) {
				break
			}
			ids = append(ids, id)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing accounts: %w", err)
	}
	return ids, nil
}
