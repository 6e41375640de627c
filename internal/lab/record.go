package lab

import (
	"fmt"

	"recoup/internal/issuer"
)

// recorder is an issuer whose books can be read: the literal algorithms and
// Recoup. Nothing that is found out about a design from outside may use it.
type recorder interface {
	issuer.Issuer
	Record(account, transaction string) (Record, error)
}

var (
	_ recorder = (*Literal)(nil)
	_ recorder = (*recoup)(nil)
)

// Record shows what Recoup keeps of one transaction.
func (r *recoup) Record(account, id string) (Record, error) {
	if a := r.store.Account(account); a != nil {
		for _, t := range a.State().Transactions {
			if t.ID == id {
				return Record{t.Status.String(), t.Amount, t.Reversed, t.Original, t.Retained}, nil
			}
		}
	}
	return Record{}, fmt.Errorf("lab: account %q has no transaction %q", account, id)
}

// netSpend is what Recoup takes the account to have spent, less what came back,
// in minor units.
func (r *recoup) netSpend(account string) int64 {
	if a := r.store.Account(account); a != nil {
		return a.Summary().NetSpend
	}
	return 0
}
