package postgres

import (
	"context"
	"fmt"
	"strings"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// reviews and reviewsOf merge the five tables that have a review list, of all
// accounts and of one. Each table's index is in the order wanted, apart from the
// kind, so a page reads no more of each than it may need.
var reviews, reviewsOf = mergeReviews(""), mergeReviews("AND account = $6")

func mergeReviews(filter string) string {
	var tables []string
	for _, kind := range []reward.PartKind{reward.TransactionPart, reward.RefundPart, reward.ChargebackPart, reward.RedemptionPart, reward.AttributePart} {
		tables = append(tables, fmt.Sprintf(`(SELECT %[1]d::INT2 AS kind, %[2]s FROM %[3]s
			WHERE review_since IS NOT NULL AND (review_since, account) >= ($1, $2)
			AND (review_since, account, %[1]d, id) > ($1, $2, $3::INT8, $4) %[4]s
			ORDER BY review_since, account, id LIMIT $5)`, kind, partColumns, tableOf(kind), filter))
	}
	return strings.Join(tables, " UNION ALL ") + " ORDER BY review_since, account, kind, id LIMIT $5"
}

func tableOf(kind reward.PartKind) string { return tables[kind] }

func (r *reader) Reviews(ctx context.Context, account string, after durable.ReviewPlace, limit int) (parts []durable.Part, err error) {
	statement, arguments := reviews, []any{int64(after.Since), after.Account, int64(after.Kind), after.ID, limit}
	if account != "" {
		statement, arguments = reviewsOf, append(arguments, account)
	}
	err = r.read(ctx, func(v row) { parts = append(parts, part(v)) }, statement, arguments...)
	return parts, err
}
