package postgres

import (
	"context"
	"fmt"
	"strings"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// eventColumns are what event reads, in its order.
const eventColumns = "number, sequence, before, received, outcome, code, account, source, id, type, principal, event, postings"

// event reads a row of the eventColumns. Of the texts that few rows differ in,
// it uses those of the row before.
func event(v row, before *durable.EventRow) durable.EventRow {
	return durable.EventRow{
		Number: integer(v[0]), Sequence: integer(v[1]), Before: integer(v[2]), Received: reward.Instant(integer(v[3])),
		Outcome: reward.Outcome(small(v[4])), Code: reward.Code(small(v[5])),
		Account: again(v[6], before.Account), Source: again(v[7], before.Source), ID: text(v[8]), Type: again(v[9], before.Type),
		Principal: again(v[10], before.Principal), Event: data(v[11]), Postings: data(v[12]),
	}
}

// again reads a TEXT that is likely to be the same as another.
func again(v []byte, other string) string {
	if string(v) == other {
		return other
	}
	return string(v)
}

// eventsBack follows the chain of an account's events backwards: each row names
// the one before it, so no index but the primary key is needed.
var eventsBack = fmt.Sprintf(`WITH RECURSIVE chain AS (
	(SELECT 1::INT8 AS place, %[1]s FROM events WHERE number = $1 AND $2 > 0)
	UNION ALL
	SELECT c.place + 1, e.* FROM chain c CROSS JOIN LATERAL (SELECT %[1]s FROM events WHERE number = c.before LIMIT 1) AS e WHERE c.place < $2)
	SELECT %[1]s FROM chain ORDER BY place`, eventColumns)

// eventsOf collects the rows that eventsBack answers with.
func eventsOf(list *[]durable.EventRow) func(row) {
	var last durable.EventRow
	return func(v row) {
		last = event(v, &last)
		*list = append(*list, last)
	}
}

func (r *reader) Events(ctx context.Context, from int64, limit int) (list []durable.EventRow, err error) {
	err = r.read(ctx, eventsOf(&list), eventsBack, from, int64(limit))
	return list, err
}

func (r *reader) Event(ctx context.Context, id durable.Identity) (e durable.EventRow, ok bool, err error) {
	err = r.read(ctx, func(v row) { e, ok = event(v, &durable.EventRow{}), true },
		"SELECT "+eventColumns+" FROM events WHERE account = $1 AND source = $2 AND id = $3", id.Account, id.Source, id.ID)
	return e, ok, err
}

func (r *reader) Numbered(ctx context.Context, number int64) (e durable.EventRow, ok bool, err error) {
	err = r.read(ctx, func(v row) { e, ok = event(v, &durable.EventRow{}), true },
		"SELECT "+eventColumns+" FROM events WHERE number = $1", number)
	return e, ok, err
}

// numbersBack is eventsBack with the numbers alone.
const numbersBack = `WITH RECURSIVE chain AS (
	(SELECT 1::INT8 AS place, number, before FROM events WHERE number = $1 AND $2 > 0)
	UNION ALL
	SELECT c.place + 1, e.number, e.before FROM chain c CROSS JOIN LATERAL (SELECT number, before FROM events WHERE number = c.before LIMIT 1) AS e WHERE c.place < $2)
	SELECT number FROM chain ORDER BY place`

func (r *reader) Numbers(ctx context.Context, from int64, limit int) (list []int64, err error) {
	err = r.read(ctx, func(v row) { list = append(list, integer(v[0])) }, numbersBack, from, int64(limit))
	return list, err
}

// EventsOf implements durable.Reader.
func (r *reader) EventsOf(ctx context.Context, first, last string, f func(*durable.EventRow) error) error {
	var (
		bounds    []string
		arguments []any
	)
	if first != "" {
		bounds, arguments = append(bounds, "account >= $1"), append(arguments, first)
	}
	if last != "" {
		arguments = append(arguments, last)
		bounds = append(bounds, fmt.Sprintf("account <= $%d", len(arguments)))
	}
	where := ""
	if len(bounds) > 0 {
		where = "WHERE " + strings.Join(bounds, " AND ")
	}
	return pages(ctx, r, "events_of", fmt.Sprintf("SELECT %s FROM events %s ORDER BY account, sequence", eventColumns, where), arguments, event, f)
}
