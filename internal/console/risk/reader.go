package risk

import (
	"cmp"
	"context"
	"maps"
	"time"

	"recoup/event"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Options say by what risk is judged.
type Options struct {
	// ReturnDays is for how many days after its settlement a purchase can come back,
	// 90 by default.
	ReturnDays int
	// QuickDays is how many days a refund may come after a payout to be a dip, 7 by
	// default.
	QuickDays int
	// Alerts are the thresholds; the zero one has the defaults.
	Alerts Thresholds
}

// WithDefaults returns the options with the defaults where nothing is said.
func (o Options) WithDefaults() Options {
	o.ReturnDays, o.QuickDays = cmp.Or(o.ReturnDays, 90), cmp.Or(o.QuickDays, 7)
	o.Alerts = o.Alerts.withDefaults()
	return o
}

// Database is where the store keeps the log of events, as durable.Driver has it.
type Database interface {
	View(ctx context.Context, f func(durable.Reader) error) error
}

// Ledger says on which purchases a refund lies that names none; durable.Store is one.
type Ledger interface {
	LiesOn(ctx context.Context, account, refund string) (transactions []string, err error)
}

// Account names an account and how many events it had.
type Account struct {
	ID, Program, Currency string
	Version               int64
}

// Reader reads the logs of accounts, and remembers their books. It is for one caller at
// a time.
type Reader struct {
	options Options
	db      Database
	ledger  Ledger
	books   map[string]*Book
}

// NewReader returns a reader that has read nothing yet.
func NewReader(db Database, l Ledger, o Options) *Reader {
	return &Reader{options: o.WithDefaults(), db: db, ledger: l, books: make(map[string]*Book)}
}

// An account with more events than heavy is read again once an hour at most, though it
// has new ones.
const (
	heavy      = 50_000
	heavyEvery = reward.Instant(time.Hour)
)

// stale reports whether an account is to be read.
func (r *Reader) stale(a *Account, now reward.Instant) bool {
	b := r.books[a.ID]
	if b == nil {
		return true
	}
	return b.version != a.Version && (b.version < heavy || now-b.read >= heavyEvery)
}

// Since returns when the oldest posting was made that an account has not repaid, which
// is zero where it owes nothing. The error is that of a log that cannot be read.
func (r *Reader) Since(ctx context.Context, a *Account, now reward.Instant) (reward.Instant, error) {
	if r.stale(a, now) {
		if err := r.read(ctx, []Account{*a}, false, now); err != nil {
			return 0, err
		}
	}
	b := r.books[a.ID]
	return b.since, b.failed
}

// together is how many accounts are read in one snapshot. Those of many lie all over the
// log, so that the log is gone through once for so many.
const together = 2_000

// Update reads the accounts that have had events since they were read. each calls its
// argument with every account, in byte order.
func (r *Reader) Update(ctx context.Context, now reward.Instant, each func(func(Account) error) error) error {
	seen := make(map[string]bool, len(r.books))
	var page []Account
	apart := false // others lie between those of the page
	flush := func() error {
		list := page
		page = page[:0]
		return r.read(ctx, list, !apart, now)
	}
	err := each(func(a Account) error {
		seen[a.ID] = true
		if !r.stale(&a, now) {
			apart = true
			return nil
		}
		if len(page) == 0 {
			apart = false
		}
		if page = append(page, a); len(page) == together {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	for id := range r.books {
		if !seen[id] {
			delete(r.books, id) // it was forgotten
		}
	}
	return nil
}

// read reads the logs of some accounts, in byte order. beside: no others lie between them.
// An account whose log cannot be read has a book that says so.
func (r *Reader) read(ctx context.Context, list []Account, beside bool, now reward.Instant) error {
	if len(list) == 0 {
		return ctx.Err()
	}
	if beside && len(list) > 1 {
		err := r.readBetween(ctx, list, now)
		if store.ReachOf(err) != store.OneAccount {
			return err
		}
	}
	var open []*fold
	err := r.db.View(ctx, func(in durable.Reader) error {
		decoder := event.NewDecoder()
		for i := range list {
			a := &list[i]
			f := newFold(&r.options, now, a, decoder)
			err := in.EventsOf(ctx, a.ID, a.ID, func(row *durable.EventRow) error {
				f.take(row)
				return nil
			})
			if err != nil && store.ReachOf(err) != store.OneAccount {
				return err
			}
			f.book.failed = cmp.Or(f.book.failed, err)
			r.books[a.ID] = f.close()
			open = f.leave(open)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.place(ctx, open)
}

// place has what a ledger says of refunds counted in, once the snapshot is left that the logs
// were read in.
func (r *Reader) place(ctx context.Context, open []*fold) error {
	for _, f := range open {
		err := f.place(func(account, refund string) ([]string, error) { return r.ledger.LiesOn(ctx, account, refund) })
		if err != nil && store.ReachOf(err) != store.OneAccount {
			return err
		}
		f.book.failed = cmp.Or(f.book.failed, err)
	}
	return nil
}

// readBetween reads the accounts from the first of a list to its last.
func (r *Reader) readBetween(ctx context.Context, list []Account, now reward.Instant) error {
	var open []*fold
	err := r.db.View(ctx, func(in durable.Reader) error {
		decoder := event.NewDecoder()
		books := make(map[string]*Book, len(list))
		var at *fold
		account, next := "", 0
		err := in.EventsOf(ctx, list[0].ID, list[len(list)-1].ID, func(row *durable.EventRow) error {
			if at == nil || row.Account != account {
				if account = row.Account; at != nil {
					books[list[next].ID] = at.close()
					open = at.leave(open)
					at = nil
				}
				for next < len(list) && list[next].ID < account {
					next++
				}
				if next == len(list) || list[next].ID != account {
					at = nil // it came meanwhile
					return nil
				}
				at = newFold(&r.options, now, &list[next], decoder)
			}
			at.take(row)
			return nil
		})
		if err != nil {
			return err
		}
		if at != nil {
			books[list[next].ID] = at.close()
			open = at.leave(open)
		}
		maps.Copy(r.books, books)
		return nil
	})
	if err != nil {
		return err
	}
	return r.place(ctx, open)
}
