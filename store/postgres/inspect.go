package postgres

import (
	"context"
	"fmt"
	"strings"

	"recoup/reward"
	"recoup/store/durable"
)

// Census implements durable.Inspector.
func (r *reader) Census(ctx context.Context) (last, events int64, err error) {
	x := unhurried()
	x.ask(`SELECT max(number), count(*) FROM events`, nil, func(v row) { last, events = integer(v[0]), integer(v[1]) })
	err = r.send(ctx, x)
	return last, events, err
}

// Loose implements durable.Inspector. It uses an index that the log is not read by
// otherwise.
func (r *reader) Loose(ctx context.Context, account string) (list []durable.EventRow, err error) {
	var last durable.EventRow
	err = r.read(ctx, func(v row) {
		last = event(v, &last)
		list = append(list, last)
	}, "SELECT "+eventColumns+" FROM events WHERE account = $1 ORDER BY sequence, number", account)
	return list, err
}

const orphans = `SELECT e.account, e.sequence, e.number FROM events e LEFT JOIN events later ON later.before = e.number
	WHERE later.number IS NULL AND e.number <= $1 AND NOT EXISTS (SELECT FROM accounts a WHERE a.account = e.account AND a.last = e.number)
	ORDER BY e.account, e.sequence`

// Orphans implements durable.Inspector.
func (r *reader) Orphans(ctx context.Context, upTo int64, f func(*durable.EventRow) error) error {
	read := func(v row, before *durable.EventRow) durable.EventRow {
		return durable.EventRow{Account: again(v[0], before.Account), Sequence: integer(v[1]), Number: integer(v[2])}
	}
	return pages(ctx, r, "orphans", orphans, []any{upTo}, read, f)
}

// strays looks into the tables of parts, in the order of their kinds, and then into that
// of statements.
var strays = func() string {
	var selects []string
	look := func(table string) {
		selects = append(selects, fmt.Sprintf(`SELECT %d AS place, '%[2]s' AS kind, account, count(*) FROM %[2]s AS t
			WHERE NOT EXISTS (SELECT FROM accounts a WHERE a.account = t.account) GROUP BY account`, len(selects), table))
	}
	for kind := reward.TransactionPart; kind <= reward.BucketPart; kind++ {
		look(tables[kind])
	}
	look("statements")
	return strings.Join(selects, " UNION ALL ") + " ORDER BY place, account"
}()

// stray is rows without an account.
type stray struct {
	kind, account string
	rows          int64
}

// Strays implements durable.Inspector.
func (r *reader) Strays(ctx context.Context, f func(kind, account string, rows int64) error) error {
	read := func(v row, _ *stray) stray { return stray{text(v[1]), text(v[2]), integer(v[3])} }
	return pages(ctx, r, "strays", strays, nil, read, func(s *stray) error { return f(s.kind, s.account, s.rows) })
}
