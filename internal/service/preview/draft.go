package preview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// Draft compares a draft of a program with what is in force, over the latest transactions
// of a database; known is false if there is no such program. What is wrong with the draft is
// a *durable.ProgramError.
func Draft(ctx context.Context, db *durable.Database, programs *durable.Programs, id string, draft []byte, transactions int) (c *Comparison, known bool, err error) {
	latest, ok := programs.Get(id)
	if !ok {
		return nil, false, nil
	}
	terms, err := program.Parse("draft", draft)
	if err != nil {
		return nil, true, &durable.ProgramError{Code: durable.ProgramInvalid, Err: err}
	}
	if terms.ID != id {
		return nil, true, &durable.ProgramError{Code: durable.ProgramMisnamed, Err: fmt.Errorf("the draft is of program %q, expected one of %q", terms.ID, id)}
	}
	sample, err := Sample(ctx, db, id, transactions)
	if err != nil {
		return nil, true, err
	}
	comparison, err := Compare(ctx, latest.In(latest.CycleAt(reward.At(time.Now()))), terms, sample)
	if errors.Is(err, ErrCurrency) {
		err = &durable.ProgramError{Code: durable.CurrencyChanged, Err: err}
	}
	return comparison, true, err
}
