package durable

import (
	"context"
	"fmt"
)

// Totals add up the accounts of one currency, in minor units.
type Totals struct {
	Accounts int64
	Balance  int64 // Σ of the balances above zero: what is owed to cardholders
	Debt     int64 // Σ of those below zero, without sign: what cardholders owe
	Held     int64 // of the balances, what may not be redeemed yet
}

// Totals adds up all accounts by currency, as EachStanding reads them.
func (s *Store) Totals(ctx context.Context) (map[string]Totals, error) {
	sums := make(map[string]Totals)
	err := s.EachStanding(ctx, func(v *Standing) error {
		t := sums[v.Currency]
		t.Accounts++
		t.Balance += max(v.Balance, 0)
		t.Debt += max(-v.Balance, 0)
		t.Held += v.Held
		sums[v.Currency] = t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("adding up accounts: %w", err)
	}
	return sums, nil
}
