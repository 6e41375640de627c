package durable

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recoup/internal/store"
	"recoup/ledger"
	"recoup/reward"
)

// CycleSum adds up the stored statements of one cycle in one currency or unit of rewards, in minor
// units. Opening and Closing are added up as well: they are what those accounts
// had before and after, not all accounts, for one without postings in the cycle
// has no statement of it. So the sum ties as each statement does.
type CycleSum struct {
	Currency string
	Accounts int64 // that have such a statement
	ledger.Statement
}

// StatementSums adds up the stored statements from a cycle on, by cycle and then
// by currency, the oldest first. Not among them is each account's latest one,
// Standing.Tally, which is stored when a posting of a later cycle comes.
func (s *Store) StatementSums(ctx context.Context, from reward.Cycle) ([]CycleSum, error) {
	type place struct {
		cycle    reward.Cycle
		currency string
	}
	sums := make(map[place]CycleSum)
	err := s.db.View(ctx, func(r Reader) error {
		list, err := r.StatementSums(ctx, from)
		if err != nil {
			return err
		}
		for i := range list {
			part := &list[i]
			p, err := s.programNamed(ctx, part.Program)
			if err != nil {
				return err
			}
			at := place{part.Cycle, p.RewardUnit()}
			sum := sums[at]
			sum.Currency, sum.Cycle = at.currency, part.Cycle
			sum.Accounts += part.Accounts
			sum.add(&part.Statement)
			sums[at] = sum
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("adding up statements: %w", err)
	}
	list := make([]CycleSum, 0, len(sums))
	for _, sum := range sums {
		list = append(list, sum)
	}
	slices.SortFunc(list, func(a, b CycleSum) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.Currency, b.Currency))
	})
	return list, nil
}

// add adds the amounts of a statement or sum.
func (s *CycleSum) add(v *ledger.Statement) {
	s.Opening += v.Opening
	s.Granted += v.Granted
	s.ClawedBack += v.ClawedBack
	s.Redeemed += v.Redeemed
	s.Expired += v.Expired
	s.Adjusted += v.Adjusted
	s.Closing += v.Closing
}

// AccountStatement is one account's statement of a cycle, in minor units of the
// account's currency.
type AccountStatement struct {
	Account string
	Open    bool // the account is still in the cycle
	ledger.Statement
}

// maxLooked bounds how many accounts a page of CycleStatements looks at.
const maxLooked = 2000

// CycleStatements returns up to limit statements of a cycle in a currency, stored
// or the account's latest, of accounts after one, in byte order; next is the
// account to go on after, and more whether there may be more. It may return fewer
// although there is more. A currency has the same rows as its StatementSums with
// the tallies of the cycle.
func (s *Store) CycleStatements(ctx context.Context, cycle reward.Cycle, currency, after string, limit int) (list []AccountStatement, next string, more bool, err error) {
	next = after
	err = s.db.View(ctx, func(r Reader) error {
		for looked := 0; looked < maxLooked; {
			page := min(max(limit, 100), maxLooked-looked)
			rows, last, err := s.readable(ctx, r, next, page)
			if err != nil || len(rows) == 0 && last == "" {
				more = false
				return err
			}
			if len(rows) == 0 {
				next, more = last, true
				looked += page
				continue
			}
			stored, err := r.StatementsOf(ctx, cycle, next, rows[len(rows)-1].Account)
			if err != nil {
				return err
			}
			for i := range rows {
				if more = len(list) >= limit; more {
					return nil
				}
				next = rows[i].Account
				v, is, err := s.statementIn(ctx, cycle, currency, &rows[i], &stored)
				if err = s.noticed(err); err != nil && store.ReachOf(err) != store.OneAccount {
					return err
				}
				if is {
					list = append(list, v)
				}
			}
			if last == "" {
				more = false
				return nil
			}
			looked += page
			next, more = last, true
		}
		return nil
	})
	if err != nil {
		return nil, after, false, fmt.Errorf("listing the statements of %v: %w", cycle, err)
	}
	return list, next, more, nil
}

// statementIn returns an account's statement of a cycle if it has one and is of
// the currency. The stored statements are those from this account on, of which
// its own is taken off.
func (s *Store) statementIn(ctx context.Context, cycle reward.Cycle, currency string, row *AccountRow, stored *[]StatementRow) (v AccountStatement, is bool, err error) {
	var own *StatementRow
	for len(*stored) > 0 && (*stored)[0].Account < row.Account {
		*stored = (*stored)[1:] // of one whose row cannot be read
	}
	if rest := *stored; len(rest) > 0 && rest[0].Account == row.Account {
		own, *stored = &rest[0], rest[1:]
	}
	p, err := s.programOf(ctx, row)
	if err != nil || p.RewardUnit() != currency {
		return v, false, err
	}
	if own != nil {
		return AccountStatement{Account: row.Account, Statement: own.Statement}, true, nil
	}
	var at Standing
	if err := s.standing(ctx, row, &at); err != nil || at.Tally.Cycle != cycle || at.Tally == (ledger.Statement{}) {
		return v, false, err
	}
	return AccountStatement{Account: row.Account, Open: cycle == p.CycleAt(at.Latest), Statement: at.Tally}, true, nil
}
