package durable

import (
	"context"

	"recoup/ledger"
	"recoup/reward"
)

// An account as it is written down is as of its last event. What is read of it is as of
// the moment of reading: rewards have matured since, holds have ended, its cycle is over
// though nobody has closed it yet. Who reads moves on what it has opened, as the next
// event would, and throws that away.

// readAsOf is read with the account as of a moment. latest is its own time.
func (s *Store) readAsOf(ctx context.Context, id string, at reward.Instant, f func(r Reader, row *AccountRow, e *entry, latest reward.Instant) error) (ok bool, err error) {
	return s.read(ctx, id, func(r Reader, row *AccountRow, e *entry) error {
		latest := e.account.Now()
		e.account.AsOf(at, nil)
		return f(r, row, e, latest)
	})
}

// catchUp brings the balances of an account as its row has them up to now.
func (s *Store) catchUp(ctx context.Context, r Reader, row *AccountRow, v *Standing) error {
	now := s.now()
	if v.Held == 0 && v.Reserved == 0 && (row.Due == 0 || row.Due > now) {
		return nil // time changes nothing
	}
	e, err := s.openIn(ctx, r, row)
	if err != nil {
		return err
	}
	e.account.AsOf(now, nil)
	b := e.account.Balances()
	v.Balance, v.Held, v.Reserved = b.Balance, b.Held, b.Reserved
	return nil
}

// currentStatements are those of an account that are not stored, as of now, the latest
// first: its tally and, where its cycle is over and yet to be closed, what the close
// makes of it. There are none before the first posting.
func (s *Store) currentStatements(ctx context.Context, r Reader, row *AccountRow, at *Standing) (list []ledger.Statement, err error) {
	tally := at.Tally
	if row.Due != 0 && row.Due <= s.now() {
		e, err := s.openIn(ctx, r, row)
		if err != nil {
			return nil, err
		}
		postings := e.account.AsOf(s.now(), nil)
		for i := range postings {
			if closed, is := tally.Post(&postings[i]); is {
				list = append([]ledger.Statement{closed}, list...)
			}
		}
	}
	if tally == (ledger.Statement{}) {
		return nil, nil
	}
	return append([]ledger.Statement{tally}, list...), nil
}
