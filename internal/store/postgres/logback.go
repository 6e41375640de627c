package postgres

import (
	"context"
	"fmt"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// looked is how many events LogBack goes through at a time. Of a rare type there may be
// few or none among them: so it is what is looked at that is bounded, and not what is
// found, or a statement could take as long as there are events.
const looked = 5000

// The pages of the log are told by their lowest number, since numbers have gaps.
var (
	lowestBack = fmt.Sprintf(`SELECT min(number) FROM (SELECT number FROM events WHERE number < $1 AND number > $2 ORDER BY number DESC LIMIT %d) AS page`, looked)
	logBack    = fmt.Sprintf(`SELECT %s FROM events WHERE number < $1 AND number >= (%s)
		AND outcome IN (%d, %d) AND type = ANY ($3::TEXT[]) ORDER BY number DESC`, eventColumns, lowestBack, reward.Applied, reward.Parked)
)

// LogBack implements durable.Reader.
func (r *reader) LogBack(ctx context.Context, before, after int64, types []reward.Type, f func(*durable.EventRow) (bool, error)) error {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	var found []durable.EventRow
	for {
		var (
			x      exchange
			lowest int64
			last   durable.EventRow
		)
		found = found[:0]
		x.ask(lowestBack, []any{before, after}, func(v row) { lowest = integer(v[0]) })
		x.ask(logBack, []any{before, after, names}, func(v row) {
			last = event(v, &last)
			found = append(found, last)
		})
		if err := r.send(ctx, x); err != nil {
			return err
		}
		for i := range found {
			if more, err := f(&found[i]); err != nil || !more {
				return err
			}
		}
		if lowest == 0 {
			return nil
		}
		before = lowest
	}
}
