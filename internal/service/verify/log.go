package verify

import (
	"context"
	"fmt"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
)

// Log checks the log of one account, apart from what else is kept of it: that it is whole,
// comes out as it was logged, and is what was sealed. It returns what differs.
func Log(ctx context.Context, r durable.Reader, programs Programs, account string) ([]Difference, error) {
	key := record.Key(account)
	seals, err := readSeals(ctx, r, record.Span{From: key, Before: key + "\x00"})
	if err != nil {
		return nil, err
	}
	keys, err := erasure.KeysOf(ctx, r, record.Span{From: key, Before: key + "\x00"})
	if err != nil {
		return nil, err
	}
	x := newExamination(&run{options: Options{Programs: programs}, found: differences{perAccount: 5}})
	x.logAlone = true
	x.start(&durable.Kept{Account: account}, evidence{seals[key], keys[key], nil})
	err = r.EventsOf(ctx, account, account, func(row *durable.EventRow) error {
		if row.Account != account {
			return &store.Failure{Reach: store.OneAccount, Account: account, Err: fmt.Errorf("its log leads to event %d, which is of account %q", row.Number, row.Account)}
		}
		x.event(row)
		return nil
	})
	if err != nil {
		if ctx.Err() != nil || !store.IsDamage(err) {
			return nil, err
		}
		x.differ(0, "log", "one event that leads to the next", err.Error())
	}
	x.finish()
	return x.list, nil
}
