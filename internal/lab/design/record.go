package design

import (
	"fmt"

	"recoup/internal/issuer"
)

// Recorder is an issuer whose books can be read: the literal algorithms and
// Recoup. Nothing that is found out about a design from outside may use it.
type Recorder interface {
	issuer.Issuer
	Record(account, transaction string) (Record, error)
}

var (
	_ Recorder = (*Literal)(nil)
	_ Recorder = (*Recoup)(nil)
)

// Record shows what Recoup keeps of one transaction.
func (r *Recoup) Record(account, id string) (Record, error) {
	if a := r.store.Account(account); a != nil {
		for _, t := range a.State().Transactions {
			if t.ID == id {
				return Record{t.Status.String(), t.Amount, t.Reversed, t.Original, t.Retained}, nil
			}
		}
	}
	return Record{}, fmt.Errorf("lab: account %q has no transaction %q", account, id)
}

// NetSpend is what Recoup takes the account to have spent, less what came back,
// in minor units.
func (r *Recoup) NetSpend(account string) int64 {
	if a := r.store.Account(account); a != nil {
		return a.Summary().NetSpend
	}
	return 0
}
