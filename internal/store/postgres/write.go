package postgres

import (
	"cmp"
	"context"
	"slices"

	"recoup/internal/store/durable"
)

const (
	insertAccounts = `INSERT INTO accounts (account, program, version, last, due, head)
		SELECT account, program, version, last, nullif(due, 0), head
		FROM unnest($1::TEXT[], $2::TEXT[], $3::INT8[], $4::INT8[], $5::INT8[], $6::BYTEA[]) AS k (account, program, version, last, due, head)`
	updateAccounts = `WITH changed AS (
		UPDATE accounts a SET program = k.program, version = k.version, last = k.last, due = nullif(k.due, 0), head = k.head
		FROM unnest($1::TEXT[], $2::TEXT[], $3::INT8[], $4::INT8[], $5::INT8[], $6::BYTEA[], $7::INT8[], $8::INT8[]) AS k (account, program, version, last, due, head, base, base_last)
		WHERE a.account = k.account AND a.version = k.base AND (k.base_last = 0 OR a.last = k.base_last) RETURNING 1)
		SELECT expect_accounts((SELECT count(*) FROM changed), cardinality($1::TEXT[]))`
	insertEvents = `INSERT INTO events (number, sequence, before, received, outcome, code, account, source, id, type, principal, event, postings)
		SELECT * FROM unnest($1::INT8[], $2::INT8[], $3::INT8[], $4::INT8[], $5::INT2[], $6::INT2[], $7::TEXT[], $8::TEXT[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::BYTEA[], $13::BYTEA[])`
	insertStatements = `INSERT INTO statements (account, cycle, opening, granted, clawed_back, redeemed, adjusted, closing, last)
		SELECT * FROM unnest($1::TEXT[], $2::INT8[], $3::INT8[], $4::INT8[], $5::INT8[], $6::INT8[], $7::INT8[], $8::INT8[], $9::INT8[])`
)

// insertParts takes parts that are known to be new, which is a third faster than
// upsertParts.
var insertParts, upsertParts = perKind(insertPart), perKind(insertPart + `
	ON CONFLICT (account, id) DO UPDATE SET data = excluded.data, working = excluded.working,
	bucket = excluded.bucket, settled = excluded.settled, review_since = excluded.review_since`)

const insertPart = `INSERT INTO %[1]s (account, id, data, working, bucket, settled, review_since)
	SELECT account, id, data, working, nullif(bucket, 0), nullif(settled, 0), nullif(review_since, 0)
	FROM unnest($1::TEXT[], $2::TEXT[], $3::BYTEA[], $4::BOOL[], $5::INT8[], $6::INT8[], $7::INT8[]) AS k (account, id, data, working, bucket, settled, review_since)`

// Write makes the changes ready. They are sent with the next exchange, which is
// the commit unless the unit of work goes on reading; that is where a conflict
// shows, and the unit of work begins again. What c refers to must stay as it is
// until the unit of work has ended.
func (t *tx) Write(ctx context.Context, c *durable.Changes) error {
	if t.failed != nil {
		return t.failed
	}
	// Accounts first: of two transactions that make the same account, the second
	// stops here.
	for i := range c.Accounts {
		t.wanted = append(t.wanted, c.Accounts[i].Account)
	}
	writeAccounts(&t.pending, c.Accounts)
	writeEvents(&t.pending, c.Events)
	t.writeParts(c.Parts)
	writeStatements(&t.pending, c.Statements)
	writeRecords(&t.pending, c.Records)
	return nil
}

// accountColumns are the rows of accounts, column by column.
type accountColumns struct {
	ids, programs                        []string
	versions, last, due, bases, baseLast []int64
	heads                                [][]byte
}

func (c *accountColumns) add(a *durable.AccountRow) {
	c.ids, c.programs, c.heads = append(c.ids, a.Account), append(c.programs, a.Program), append(c.heads, a.Head)
	c.versions, c.last = append(c.versions, a.Version), append(c.last, a.Last)
	c.due, c.bases, c.baseLast = append(c.due, int64(a.Due)), append(c.bases, a.Base), append(c.baseLast, a.BaseLast)
}

func writeAccounts(x *exchange, rows []durable.AccountRow) {
	byID := func(a, b durable.AccountRow) int { return cmp.Compare(a.Account, b.Account) }
	if !slices.IsSortedFunc(rows, byID) {
		// In one order, so that those who make the same accounts do not wait for
		// each other in a circle.
		rows = slices.SortedFunc(slices.Values(rows), byID)
	}
	var made, changed accountColumns
	for i := range rows {
		if rows[i].Base == 0 {
			made.add(&rows[i])
		} else {
			changed.add(&rows[i])
		}
	}
	if c := &made; len(c.ids) > 0 {
		x.do(insertAccounts, c.ids, c.programs, c.versions, c.last, c.due, c.heads)
	}
	if c := &changed; len(c.ids) > 0 {
		x.do(updateAccounts, c.ids, c.programs, c.versions, c.last, c.due, c.heads, c.bases, c.baseLast)
	}
}

func writeEvents(x *exchange, rows []durable.EventRow) {
	n := len(rows)
	if n == 0 {
		return
	}
	var (
		numbers, sequences, before, received = make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
		outcomes, codes                      = make([]int16, n), make([]int16, n)
		accounts, sources, ids, types        = make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		principals                           = make([]string, n)
		events, postings                     = make([][]byte, n), make([][]byte, n)
	)
	for i := range rows {
		e := &rows[i]
		numbers[i], sequences[i], before[i], received[i] = e.Number, e.Sequence, e.Before, int64(e.Received)
		outcomes[i], codes[i] = int16(e.Outcome), int16(e.Code)
		accounts[i], sources[i], ids[i], types[i], principals[i] = e.Account, e.Source, e.ID, e.Type, e.Principal
		events[i], postings[i] = e.Event, e.Postings
	}
	x.do(insertEvents, numbers, sequences, before, received, outcomes, codes, accounts, sources, ids, types, principals, events, postings)
}

// partColumnsOf are the rows of parts of one kind, column by column.
type partColumnsOf struct {
	accounts, ids             []string
	data                      [][]byte
	working                   []bool
	buckets, settled, reviews []int64
}

func (c *partColumnsOf) add(p *durable.Part) {
	c.accounts, c.ids, c.data = append(c.accounts, p.Account), append(c.ids, p.ID), append(c.data, p.Data)
	c.working, c.buckets = append(c.working, p.Working), append(c.buckets, p.Bucket)
	c.settled, c.reviews = append(c.settled, int64(p.Settled)), append(c.reviews, int64(p.ReviewSince))
}

func (c *partColumnsOf) queue(x *exchange, statement string) {
	if len(c.ids) > 0 {
		x.do(statement, c.accounts, c.ids, c.data, c.working, c.buckets, c.settled, c.reviews)
	}
}

func (t *tx) writeParts(parts []durable.Part) {
	var made, others [len(tables)]partColumnsOf
	for i := range parts {
		p := &parts[i]
		key := durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}
		if _, absent := t.absent[key]; absent {
			delete(t.absent, key)
			made[p.Kind].add(p)
		} else {
			others[p.Kind].add(p)
		}
	}
	for kind := range tables {
		made[kind].queue(&t.pending, insertParts[kind])
		others[kind].queue(&t.pending, upsertParts[kind])
	}
}

func writeStatements(x *exchange, rows []durable.StatementRow) {
	if len(rows) == 0 {
		return
	}
	var (
		accounts []string
		columns  [8][]int64
	)
	for i := range rows {
		s := &rows[i]
		accounts = append(accounts, s.Account)
		for n, v := range [...]int64{int64(s.Cycle), s.Opening, s.Granted, s.ClawedBack, s.Redeemed, s.Adjusted, s.Closing, s.Last} {
			columns[n] = append(columns[n], v)
		}
	}
	x.do(insertStatements, accounts, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6], columns[7])
}
