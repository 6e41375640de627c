package triage

import (
	"context"
	"strings"

	"recoup/internal/store/record"
)

// Asked selects among resolved reviews. Zero members select everything.
type Asked struct {
	Account string // whole
	Text    string // part of an id, a reason, or the name of who decided, in whatever case
	Before  int64  // numbers below this
}

// mostLooked is how many resolved reviews are looked through for a page.
const mostLooked = 5000

// Resolutions returns up to limit resolved reviews, the latest first, and where to go on;
// zero: nowhere. It looks through so many and may return fewer than there are.
func (b *Book) Resolutions(ctx context.Context, a Asked, limit int) (list []Resolved, next int64, err error) {
	text := strings.ToLower(a.Text)
	err = b.home.Read(ctx, func(r record.Reader) error {
		list, next = nil, 0
		looked := 0
		take := func(found *Resolved) bool {
			if len(list) == limit || looked == mostLooked {
				return false
			}
			looked++
			next = found.Number
			if text == "" || strings.Contains(strings.ToLower(found.ID+"\n"+found.Account+"\n"+found.Reason+"\n"+found.By.Name), text) {
				list = append(list, *found)
			}
			return true
		}
		whole := true
		if a.Account == "" {
			span := record.Span{}
			if a.Before > 0 {
				span = span.Until(record.Key(a.Before))
			}
			err := resolved.Each(ctx, r, span.Reverse(), func(_ string, found *Resolved) (bool, error) {
				whole = take(found)
				return whole, nil
			})
			if whole {
				next = 0
			}
			return err
		}
		span := record.Under(a.Account)
		if a.Before > 0 {
			span = span.Until(record.Key(a.Account, a.Before))
		}
		err := resolvedOf.Each(ctx, r, span.Reverse(), func(_ string, number *int64) (bool, error) {
			found, there, err := resolved.Get(ctx, r, record.Key(*number))
			if err != nil || !there {
				return true, err
			}
			whole = take(&found)
			return whole, nil
		})
		if whole {
			next = 0
		}
		return err
	})
	return list, next, failed("reading resolved reviews", err)
}

// Filters returns the filters that somebody saved, by name.
func (b *Book) Filters(ctx context.Context, of Person) (list []Saved, err error) {
	err = b.home.Read(ctx, func(r record.Reader) error {
		list, err = saved.List(ctx, r, record.Under(of.ID), MaxSaved)
		return err
	})
	return list, failed("reading saved filters", err)
}

// Save keeps a filter of somebody under a name, in place of the one that had it.
func (b *Book) Save(ctx context.Context, of Person, s Saved) error {
	if err := checkText("name", s.Name); err != nil {
		return err
	}
	if len(s.Query) > MaxQuery {
		return invalid("filter", "it has %d bytes, and at most %d can be kept", len(s.Query), MaxQuery)
	}
	err := b.home.Change(ctx, func(tx record.Tx) error {
		at := record.Key(of.ID, s.Name)
		_, there, err := saved.Get(ctx, tx, at)
		if err != nil {
			return err
		}
		n, err := saved.Count(ctx, tx, record.Under(of.ID))
		if err != nil {
			return err
		}
		if !there && n >= MaxSaved {
			return invalid("name", "you have as many filters as can be kept: delete one first")
		}
		return saved.Put(tx, at, &s)
	})
	return failed("saving a filter", err)
}

// Unsave forgets a filter of somebody.
func (b *Book) Unsave(ctx context.Context, of Person, name string) error {
	return failed("forgetting a filter", b.home.Change(ctx, func(tx record.Tx) error {
		saved.Delete(tx, record.Key(of.ID, name))
		return nil
	}))
}

// Forget forgets what was said of the reviews of an account.
func Forget(ctx context.Context, home record.Store, account string) error {
	return failed("forgetting what was said of reviews", home.Change(ctx, func(tx record.Tx) error {
		drop := func(table string, of record.Span) error {
			return tx.Scan(ctx, table, of, func(key string, _ []byte) (bool, error) {
				tx.Delete(table, key)
				return true, nil
			})
		}
		err := resolvedOf.Each(ctx, tx, record.Under(account), func(key string, number *int64) (bool, error) {
			resolved.Delete(tx, record.Key(*number))
			resolvedOf.Delete(tx, key)
			return true, nil
		})
		if err != nil {
			return err
		}
		if err := drop(string(works), record.Under(account)); err != nil {
			return err
		}
		return drop(string(notes), record.Under(account))
	}))
}
