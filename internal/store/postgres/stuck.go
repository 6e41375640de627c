package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"recoup/internal/store"
)

// A unit of work holds the accounts that it has locked for as long as a commit takes. Who
// holds one much longer has stopped in the middle, or is a person with an open transaction:
// there the others must not wait in a row for one account.
const (
	// stuckAfter is how long a unit of work waits for an account, unless Options.LockTimeout
	// says, and stuckStill how long the same transaction has to hold it after that.
	stuckAfter, stuckStill = 300 * time.Millisecond, 150 * time.Millisecond
	// While accounts were found to be held lately, there are likely to be more of them.
	wary            = 10 * time.Second
	waryAfter       = 50 * time.Millisecond
	lockPatience    = 2 * time.Second // for locks that nobody is found to hold
	recordsPatience = 10 * time.Second
)

const lockTimedOut = "55P03"

// isLockTimeout reports whether something was waited for that somebody else has locked.
func isLockTimeout(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.Code == lockTimedOut
}

// patiently has f wait for locks no longer than it has to: where one cannot be had, it says
// which accounts are held by somebody who does not let go of them. begin is what the
// transaction begins with, and accounts are those of the latest attempt.
func (d *DB) patiently(ctx context.Context, f func(start exchange) error, accounts func() []string) error {
	for began, unseen := time.Now(), 0; ; {
		start := d.writers.begin(begin)
		if d.isWary() {
			start.do(`SET LOCAL lock_timeout = ` + strconv.Itoa(int(min(waryAfter, d.lockTimeout).Milliseconds())))
		}
		err := f(start)
		if !isLockTimeout(err) || ctx.Err() != nil {
			return err
		}
		wanted := accounts()
		stuck, unmade, looking := d.stuck(ctx, wanted)
		switch {
		case looking != nil && !isLockTimeout(looking):
			return failure(looking, "")
		case looking != nil && time.Since(began) > lockPatience:
			return &store.Failure{Reach: store.Database, Err: fmt.Errorf("somebody has locked all accounts: %w", err)}
		case looking != nil:
			continue
		case len(stuck) == 0:
			// They were let go of, or somebody is making one of them.
			if unseen++; unseen < 2 || len(unmade) == 0 && time.Since(began) < lockPatience {
				continue
			}
			stuck = unmade
		}
		d.waryUntil.Store(time.Now().Add(wary).UnixNano())
		if len(stuck) == 0 {
			return failure(err, "")
		}
		return &store.Failure{Reach: store.Locked, Accounts: stuck, Err: fmt.Errorf("somebody else has %s locked and does not let go: %w", some(stuck), err)}
	}
}

func (d *DB) isWary() bool { return time.Now().UnixNano() < d.waryUntil.Load() }

// some names accounts.
func some(accounts []string) string {
	if len(accounts) == 1 {
		return "account " + accounts[0]
	}
	return fmt.Sprintf("%d accounts, such as %s,", len(accounts), accounts[0])
}

// heldRows are the rows of accounts that somebody else has locked, each with the
// transaction that has.
const heldRows = `WITH free AS (SELECT account FROM accounts WHERE account = ANY ($1::TEXT[]) FOR NO KEY UPDATE SKIP LOCKED)
	SELECT a.account, a.xmax::TEXT, f.account IS NULL FROM accounts a LEFT JOIN free f ON f.account = a.account WHERE a.account = ANY ($1::TEXT[])`

// errLooked ends a transaction that was there to look.
var errLooked = errors.New("looked")

// stuck returns which of the accounts one transaction holds for longer than any should, and
// which are not there: somebody may be making them.
func (d *DB) stuck(ctx context.Context, accounts []string) (stuck, unmade []string, err error) {
	look := func() (held map[string]string, there map[string]bool, err error) {
		held, there = make(map[string]string), make(map[string]bool)
		err = d.writers.transact(ctx, d.writers.begin(begin), func(t *transaction) error {
			clear(held)
			err := t.ask(ctx, heldRows, []any{accounts}, func(v row) {
				there[text(v[0])] = true
				if v[2][0] == 1 {
					held[text(v[0])] = text(v[1])
				}
			})
			if err != nil {
				return err
			}
			return errLooked
		})
		if errors.Is(err, errLooked) {
			err = nil
		}
		return held, there, err
	}
	before, _, err := look()
	if err != nil {
		return nil, nil, err
	}
	if len(before) > 0 {
		still := stuckStill
		if d.isWary() {
			still = waryAfter
		}
		select {
		case <-time.After(still):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	after, there, err := look()
	if err != nil {
		return nil, nil, err
	}
	for _, account := range accounts {
		switch {
		case after[account] != "" && after[account] == before[account]:
			stuck = append(stuck, account)
		case !there[account]:
			unmade = append(unmade, account)
		}
	}
	slices.Sort(stuck)
	slices.Sort(unmade)
	return slices.Compact(stuck), slices.Compact(unmade), nil
}
