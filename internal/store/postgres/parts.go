package postgres

import (
	"fmt"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// tables has the table of each kind of part.
var tables = [...]string{
	reward.TransactionPart: "transactions",
	reward.RefundPart:      "refunds",
	reward.ChargebackPart:  "chargebacks",
	reward.RedemptionPart:  "redemptions",
	reward.AdjustmentPart:  "adjustments",
	reward.BucketPart:      "buckets",
	reward.AttributePart:   "attributes",
}

// partColumns are what part reads, in its order; the kind comes first.
const partColumns = "account, id, data, working, bucket, settled, review_since"

// part reads a row of a kind and the partColumns.
func part(r row) durable.Part {
	return durable.Part{Account: text(r[1]), Part: reward.Part{
		Kind: reward.PartKind(small(r[0])), ID: text(r[2]), Data: data(r[3]), Working: flag(r[4]),
		Bucket: integer(r[5]), Settled: reward.Instant(integer(r[6])), ReviewSince: reward.Instant(integer(r[7])),
	}}
}

// perKind makes a statement for the table of each kind. In the pattern, %[1]s is
// the table and %[2]s its columns with the kind in front.
func perKind(pattern string) (statements [len(tables)]string) {
	for kind, table := range tables {
		if table != "" {
			statements[kind] = fmt.Sprintf(pattern, table, fmt.Sprintf("%d::INT2, %s", kind, partColumns))
		}
	}
	return statements
}

// The look-ups of many parts at once name the index by their shape: for each key
// one search, which LIMIT and OFFSET keep the planner from turning into a join.
var (
	partsByKey = perKind(`SELECT p.* FROM unnest($1::TEXT[], $2::TEXT[]) AS k (of, name) CROSS JOIN LATERAL (
		SELECT %[2]s FROM %[1]s WHERE account = k.of AND id = k.name LIMIT 1) AS p`)
	workingOf = perKind(`SELECT p.* FROM unnest($1::TEXT[]) AS k (of) CROSS JOIN LATERAL (
		SELECT %[2]s FROM %[1]s WHERE account = k.of AND working OFFSET 0) AS p`)

	findByID = perKind(`SELECT p.* FROM unnest($2::TEXT[]) AS k (name) CROSS JOIN LATERAL (
		SELECT %[2]s FROM %[1]s WHERE account = $1 AND id = k.name LIMIT 1) AS p`)
	findWorking = perKind(`SELECT %[2]s FROM %[1]s WHERE account = $1 AND working`)
	findBucket  = perKind(`SELECT %[2]s FROM %[1]s WHERE account = $1 AND bucket = $2`)
	findSettled = perKind(`SELECT %[2]s FROM %[1]s WHERE account = $1 AND settled >= $2 AND settled < $3`)
	findPage    = perKind(`SELECT %[2]s FROM %[1]s WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3`)
)

// find is what answers a query.
func find(q *durable.Query) (statement string, arguments []any) {
	switch {
	case q.Page:
		return findPage[q.Kind], []any{q.Account, q.After, q.Limit}
	case q.Settled:
		return findSettled[q.Kind], []any{q.Account, int64(q.From), int64(q.To)}
	case q.Bucket != 0:
		return findBucket[q.Kind], []any{q.Account, q.Bucket}
	case q.Working:
		return findWorking[q.Kind], []any{q.Account}
	}
	return findByID[q.Kind], []any{q.Account, q.IDs}
}
