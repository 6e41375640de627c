package sqlite

import (
	"cmp"
	"context"
	"slices"

	"recoup/reward"
	"recoup/store/durable"
)

// source reads accounts and parts on one snapshot: the tables with the backlog
// over them.
type source struct {
	conn *conn
	overlay
	fresh map[string]*durable.AccountRow // allAccounts, once it was asked for
}

// partTables are the tables of parts by kind.
var partTables = [...]string{
	reward.TransactionPart: "transactions", reward.RefundPart: "refunds", reward.ChargebackPart: "chargebacks",
	reward.RedemptionPart: "redemptions", reward.AdjustmentPart: "adjustments", reward.BucketPart: "buckets",
}

const partColumns = ` id, working, bucket, settled, review_since, data, account FROM `

// partQueries are the statements on each table of parts. They name the indexes that
// have a few parts of an account: SQLite would rather read all of its parts, which
// are next to each other, but may be very many.
type partQueries struct {
	byID, working, bucket, settled, page string
	reviewsFrom, reviewsAfter, reviewsOf string
	named                                string
	write                                string
}

var (
	queriesOf    [len(partTables)]partQueries
	workingQuery string // of all kinds
)

func init() {
	for kind, table := range partTables {
		if table == "" {
			continue
		}
		read := `SELECT` + partColumns + table
		queriesOf[kind] = partQueries{
			byID:    read + ` WHERE account = ? AND id = ?`,
			working: read + ` INDEXED BY ` + table + `_working WHERE account = ? AND working = 1`,
			bucket:  read + ` INDEXED BY ` + table + `_bucket WHERE account = ? AND bucket = ?`,
			settled: read + ` WHERE account = ? AND settled >= ? AND settled < ?`,
			page:    read + ` WHERE account = ? AND id > ? ORDER BY id`,
			// A place in the order of reviews lies before, in, or after the parts of a
			// kind that are of its account and time.
			reviewsFrom:  read + ` WHERE review_since IS NOT NULL AND (review_since, account, id) >= (?, ?, ?) ORDER BY review_since, account, id`,
			reviewsAfter: read + ` WHERE review_since IS NOT NULL AND (review_since, account) > (?, ?) ORDER BY review_since, account, id`,
			reviewsOf:    read + ` INDEXED BY ` + table + `_review_of WHERE account = ? AND review_since IS NOT NULL`,
			named:        `SELECT account FROM ` + table + ` WHERE id = ? ORDER BY account LIMIT ?`,
			write: `INSERT INTO ` + table + ` (account, id, working, bucket, settled, review_since, data) VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET working = excluded.working, bucket = excluded.bucket, settled = excluded.settled,
				review_since = excluded.review_since, data = excluded.data`,
		}
		if workingQuery != "" {
			workingQuery += ` UNION ALL `
		}
		workingQuery += `SELECT ` + string(rune('0'+kind)) + `,` + partColumns + table + ` INDEXED BY ` + table + `_working WHERE account = ?1 AND working = 1`
	}
}

// partAt reads a part from a row whose columns begin at one.
func (s *statement) partAt(column int32, kind reward.PartKind, account string) durable.Part {
	return durable.Part{Account: account, Part: reward.Part{
		Kind: kind, ID: s.textAt(column), Working: s.intAt(column+1) == 1, Bucket: s.intAt(column + 2),
		Settled: reward.Instant(s.intAt(column + 3)), ReviewSince: reward.Instant(s.intAt(column + 4)), Data: s.blobAt(column + 5),
	}}
}

// copied is a part from the backlog for somebody who may change it.
func copied(p *durable.Part) durable.Part {
	c := *p
	c.Data = slices.Clone(p.Data)
	return c
}

// appendPart appends a part by its key, if it is there.
func (s *source) appendPart(dst []durable.Part, key durable.PartKey) ([]durable.Part, error) {
	if p := s.part(key); p != nil {
		return append(dst, copied(p)), nil
	}
	if !s.backlog.mayHavePart(key) {
		return dst, nil
	}
	q := s.conn.query(queriesOf[key.Kind].byID).text(key.Account).text(key.ID)
	if q.next() {
		dst = append(dst, q.partAt(0, key.Kind, key.Account))
	}
	return dst, q.end()
}

// Find implements durable.Reader and durable.Tx.
func (s *source) Find(ctx context.Context, q durable.Query) (found []durable.Part, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.IDs != nil {
		for _, id := range q.IDs {
			if found, err = s.appendPart(found, durable.PartKey{Account: q.Account, Kind: q.Kind, ID: id}); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	queries := &queriesOf[q.Kind]
	fresh := s.partsOf(q.Account, q.Kind)
	limit := -1
	var rows *statement
	var want func(p *durable.Part) bool
	switch {
	case q.Working:
		rows = s.conn.query(queries.working).text(q.Account)
		want = func(p *durable.Part) bool { return p.Working }
	case q.Bucket != 0:
		rows = s.conn.query(queries.bucket).text(q.Account).int(q.Bucket)
		want = func(p *durable.Part) bool { return p.Bucket == q.Bucket }
	case q.Settled:
		rows = s.conn.query(queries.settled).text(q.Account).int(int64(q.From)).int(int64(q.To))
		want = func(p *durable.Part) bool { return p.Settled != 0 && p.Settled >= q.From && p.Settled < q.To }
	default:
		rows = s.conn.query(queries.page).text(q.Account).text(q.After)
		want = func(p *durable.Part) bool { return p.ID > q.After }
		limit = q.Limit
	}
	found, err = s.merge(nil, rows, q.Kind, fresh, want, limit)
	if err != nil || limit < 0 {
		return found, err
	}
	slices.SortFunc(found, func(a, b durable.Part) int { return cmp.Compare(a.ID, b.ID) })
	return found[:min(len(found), limit)], nil
}

// merge appends up to limit (below zero: all) of the rows that are not in the
// backlog, and what is wanted of those that are.
func (s *source) merge(dst []durable.Part, rows *statement, kind reward.PartKind, fresh partSet, want func(*durable.Part) bool, limit int) ([]durable.Part, error) {
	for n := 0; n != limit && rows.next(); {
		p := rows.partAt(0, kind, rows.textAt(6))
		if !fresh.has(keyOf(&p)) {
			dst = append(dst, p)
			n++
		}
	}
	for _, p := range fresh {
		if p.Kind == kind && want(p) {
			dst = append(dst, copied(p))
		}
	}
	return dst, rows.end()
}

// appendWorking appends all working parts of an account.
func (s *source) appendWorking(dst []durable.Part, account string) ([]durable.Part, error) {
	fresh := s.partsOf(account, 0)
	q := s.conn.query(workingQuery).text(account)
	for q.next() {
		p := q.partAt(1, reward.PartKind(q.intAt(0)), account)
		if !fresh.has(keyOf(&p)) {
			dst = append(dst, p)
		}
	}
	for _, p := range fresh {
		if p.Working {
			dst = append(dst, copied(p))
		}
	}
	return dst, q.end()
}

// Reviews implements durable.Reader.
func (s *source) Reviews(ctx context.Context, account string, after durable.ReviewPlace, limit int) ([]durable.Part, error) {
	var fresh partSet
	if account == "" {
		fresh = s.allParts()
	} else {
		fresh = s.partsOf(account, 0)
	}
	want := func(p *durable.Part) bool {
		return p.ReviewSince != 0 && (account == "" || p.Account == account) && comparePlaces(placeOf(p), after) > 0
	}
	var found []durable.Part
	for kind := range partTables {
		if partTables[kind] == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows, most := s.reviewRows(reward.PartKind(kind), account, after, limit)
		var err error
		if found, err = s.merge(found, rows, reward.PartKind(kind), fresh, want, most); err != nil {
			return nil, err
		}
	}
	found = slices.DeleteFunc(found, func(p durable.Part) bool { return !want(&p) })
	slices.SortFunc(found, func(a, b durable.Part) int { return comparePlaces(placeOf(&a), placeOf(&b)) })
	return found[:min(len(found), limit)], nil
}

// reviewRows are the rows of a kind on the review list after a place, or, of one
// account, all of them; and how many of them to take.
func (s *source) reviewRows(kind reward.PartKind, account string, after durable.ReviewPlace, limit int) (*statement, int) {
	queries := &queriesOf[kind]
	switch {
	case account != "":
		return s.conn.query(queries.reviewsOf).text(account), -1
	case kind < after.Kind:
		return s.conn.query(queries.reviewsAfter).int(int64(after.Since)).text(after.Account), limit
	case kind == after.Kind:
		// The place itself is among them.
		return s.conn.query(queries.reviewsFrom).int(int64(after.Since)).text(after.Account).text(after.ID), limit + 1
	default:
		return s.conn.query(queries.reviewsFrom).int(int64(after.Since)).text(after.Account).text(""), limit
	}
}

func placeOf(p *durable.Part) durable.ReviewPlace {
	return durable.ReviewPlace{Since: p.ReviewSince, Account: p.Account, Kind: p.Kind, ID: p.ID}
}

func comparePlaces(a, b durable.ReviewPlace) int {
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}
