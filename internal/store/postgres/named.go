package postgres

import (
	"context"
	"fmt"
	"strings"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// named merges the three tables that have an index by id. OFFSET keeps the planner
// from walking through all accounts in their order instead.
var named = mergeNamed()

func mergeNamed() string {
	var tables []string
	for _, kind := range []reward.PartKind{reward.TransactionPart, reward.RefundPart, reward.ChargebackPart} {
		tables = append(tables, fmt.Sprintf(`(SELECT %d::INT2 AS kind, account FROM (SELECT account FROM %s WHERE id = $1 OFFSET 0) AS k ORDER BY account LIMIT $2)`, kind, tableOf(kind)))
	}
	return strings.Join(tables, " UNION ALL ") + " ORDER BY account, kind LIMIT $2"
}

func (r *reader) Named(ctx context.Context, id string, limit int) (keys []durable.PartKey, err error) {
	err = r.read(ctx, func(v row) {
		keys = append(keys, durable.PartKey{Account: text(v[1]), Kind: reward.PartKind(small(v[0])), ID: id})
	}, named, id, limit)
	return keys, err
}
