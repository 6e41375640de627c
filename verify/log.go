package verify

import (
	"context"

	"recoup/store/durable"
	"recoup/store/record"
)

// Log checks the log of one account, apart from what else is kept of it: that it is whole,
// comes out as it was logged, and is what was sealed. It returns what differs.
func Log(ctx context.Context, r durable.Reader, programs Programs, account string) ([]Difference, error) {
	key := record.Key(account)
	seals, err := readSeals(ctx, r, record.Span{From: key, Before: key + "\x00"})
	if err != nil {
		return nil, err
	}
	c := &run{options: Options{Programs: programs}, found: differences{perAccount: 5}}
	w := worker{run: c, examination: newExamination(c)}
	err = w.alone(ctx, r, []expected{{kept: &kept{id: account, logAlone: true, seal: seals[key]}}})
	return w.tally.list, err
}
