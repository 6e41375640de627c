package durable

import (
	"context"
	"fmt"

	"recoup/ledger"
	"recoup/reward"
	"recoup/store"
)

// Standing is where an account stands, as far as its head says. Amounts are minor
// units of the account's currency.
type Standing struct {
	Account, Program, Currency string
	Version                    int64 // how many events are logged
	Closed                     bool
	Latest                     reward.Instant // the account's latest time

	Balance  int64 // negative: a debt
	Held     int64 // of the balance, not redeemable yet
	Redeemed int64
	// Tally is the account's latest statement, which is not stored yet. Its cycle
	// may be over, if nothing was posted since; it is zero before the first posting.
	Tally ledger.Statement
}

// EachStanding calls f with every account, in byte order; the standing is used
// again for the next. It reads a page of accounts at a time, so that nobody waits
// for it; the pages are of different moments. It stops at an error of f. Accounts that are
// damaged are left out.
func (s *Store) EachStanding(ctx context.Context, f func(*Standing) error) error {
	const page = 5000
	after := ""
	for {
		var rows []AccountRow
		err := s.db.View(ctx, func(r Reader) (err error) {
			rows, after, err = s.readable(ctx, r, after, page)
			return err
		})
		if err != nil {
			return fmt.Errorf("reading accounts: %w", err)
		}
		var v Standing
		for i := range rows {
			switch err := s.noticed(s.standing(ctx, &rows[i], &v)); {
			case store.ReachOf(err) == store.OneAccount:
				continue
			case err != nil:
				return err
			}
			if err := f(&v); err != nil {
				return err
			}
		}
		if after == "" {
			return nil
		}
	}
}

// Standings returns where some accounts stand, those of them that are there and not
// damaged, in the order of the ids. Of each it reads its row alone, whatever its history is.
func (s *Store) Standings(ctx context.Context, ids []string) (list []Standing, err error) {
	err = s.db.View(ctx, func(r Reader) error {
		for _, id := range ids {
			var v Standing
			row, there, err := r.Account(ctx, id)
			if there && err == nil {
				err = s.standing(ctx, &row, &v)
			}
			switch err = s.noticed(err); {
			case store.ReachOf(err) == store.OneAccount:
			case err != nil:
				return err
			case there:
				list = append(list, v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading accounts: %w", err)
	}
	return list, nil
}

// standing reads an account's row.
func (s *Store) standing(ctx context.Context, row *AccountRow, v *Standing) error {
	p, err := s.programOf(ctx, row)
	if err != nil {
		return err
	}
	*v = Standing{Account: row.Account, Program: row.Program, Currency: p.Currency, Version: row.Version}
	head, err := readTally(row.Head, &v.Tally)
	if err != nil {
		return fmt.Errorf("account %s: %w", row.Account, err)
	}
	a, err := reward.Open(row.Account, p, head, nil, nil) // balances need no more than the head
	if err != nil {
		return err
	}
	b := a.Balances()
	v.Closed, v.Latest = b.Closed, a.Now()
	v.Balance, v.Held, v.Redeemed = b.Balance, b.Held, b.Redeemed
	return nil
}

// EachWithEvents calls account with every account, in byte order, and logged with every
// event, by account and in order, all as one snapshot has them. What they are given is
// theirs only until they return.
func (s *Store) EachWithEvents(ctx context.Context, account func(*Standing) error, logged func(*EventRow) error) error {
	const page = 1000
	return s.db.View(ctx, func(r Reader) error {
		for after := ""; ; {
			rows, err := r.Rows(ctx, after, page)
			if err != nil || len(rows) == 0 {
				return err
			}
			for i := range rows {
				var v Standing
				if err := s.standing(ctx, &rows[i], &v); err != nil {
					return err
				}
				if err := account(&v); err != nil {
					return err
				}
			}
			last := rows[len(rows)-1].Account
			if err := r.EventsOf(ctx, rows[0].Account, last, logged); err != nil {
				return err
			}
			after = last
		}
	})
}
