package durable

import (
	"context"
	"fmt"

	"recoup/ledger"
	"recoup/reward"
)

// Totals add up the accounts of one currency, in minor units.
type Totals struct {
	Accounts int64
	Balance  int64 // Σ of the balances above zero: what is owed to cardholders
	Debt     int64 // Σ of those below zero, without sign: what cardholders owe
	Held     int64 // of the balances, what may not be redeemed yet
}

// Totals adds up all accounts by currency. It reads every account's row, a page
// at a time, so that nobody waits for it; the pages are of different moments.
func (s *Store) Totals(ctx context.Context) (map[string]Totals, error) {
	const page = 1000
	sums := make(map[string]Totals)
	after := ""
	for {
		var rows []AccountRow
		err := s.driver.View(ctx, func(r Reader) (err error) {
			rows, err = r.Rows(ctx, after, page)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("adding up accounts: %w", err)
		}
		for i := range rows {
			if err := s.addTo(ctx, sums, &rows[i]); err != nil {
				return nil, err
			}
		}
		if len(rows) < page {
			return sums, nil
		}
		after = rows[len(rows)-1].Account
	}
}

func (s *Store) addTo(ctx context.Context, sums map[string]Totals, row *AccountRow) error {
	p, err := s.programOf(ctx, row)
	if err != nil {
		return err
	}
	head, err := readTally(row.Head, new(ledger.Statement))
	if err != nil {
		return fmt.Errorf("account %s: %w", row.Account, err)
	}
	a, err := reward.Open(row.Account, p, head, nil, nil) // balances need no more than the head
	if err != nil {
		return err
	}
	b := a.Balances()
	t := sums[p.Currency]
	t.Accounts++
	t.Balance += max(b.Balance, 0)
	t.Debt += max(-b.Balance, 0)
	t.Held += b.Held
	sums[p.Currency] = t
	return nil
}
