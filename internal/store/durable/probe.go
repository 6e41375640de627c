package durable

import (
	"context"
	"errors"
	"fmt"

	"recoup/internal/store"
	"recoup/reward"
)

var _ store.Prober = (*Store)(nil)

// Probe implements store.Prober. An account that is not there is one with which nothing
// is wrong.
func (s *Store) Probe(ctx context.Context, account string, whole bool) error {
	err := s.db.of(account).do(func(d Driver) error {
		return d.Update(ctx, func(tx Tx) error {
			_, err := tx.Load(ctx, &Request{Accounts: []string{account}, Held: []int64{-1}})
			return err
		})
	})
	if err == nil && whole {
		_, err = s.read(ctx, account, func(_ Reader, _ *AccountRow, e *entry) error {
			if broken := e.account.Check(); len(broken) > 0 {
				return &reward.CorruptError{Account: account, Problem: broken[0].String()}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("trying account %s: %w", account, err)
	}
	return nil
}

// noticed returns an error that says that an account is damaged as one that reaches no
// further, and has Options.Damaged told of it. Others it returns as they are.
func (s *Store) noticed(err error) error {
	if damage := (*reward.CorruptError)(nil); errors.As(err, &damage) && store.ReachOf(err) == store.Unknown {
		err = &store.Failure{Reach: store.OneAccount, Account: damage.Account, Err: err}
	}
	if s.damaged != nil && store.ReachOf(err) == store.OneAccount {
		s.damaged(err)
	}
	return err
}

// readable reads up to limit rows of accounts after one. Those that cannot be read are left
// out, and noticed; last is the id of the last of the page, "" if it is the last page.
func (s *Store) readable(ctx context.Context, r Reader, after string, limit int) (rows []AccountRow, last string, err error) {
	rows, err = r.Rows(ctx, after, limit)
	if store.ReachOf(err) != store.OneAccount {
		if len(rows) == limit {
			last = rows[limit-1].Account
		}
		return rows, last, err
	}
	ids, err := r.Accounts(ctx, after, limit)
	if err != nil {
		return nil, "", err
	}
	rows = rows[:0]
	for _, id := range ids {
		row, there, err := r.Account(ctx, id)
		switch {
		case store.ReachOf(err) == store.OneAccount:
			_ = s.noticed(err)
		case err != nil:
			return nil, "", err
		case there:
			rows = append(rows, row)
		}
	}
	if len(ids) == limit {
		last = ids[limit-1]
	}
	return rows, last, nil
}
