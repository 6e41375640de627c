package shards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"recoup/internal/store/postgres"
)

// target is a place that a shard, or a part of it, is moved to.
type target struct {
	Shard
	conn   *postgres.Conn
	part   bool            // it gets some of the buckets only
	staged map[string]bool // the tables that rows can be brought to by way of another, in this transaction

	accounts, events int64
}

// has is the condition that a row of a table of the old place is the target's.
func (t *target) has(table string) string {
	switch {
	case !t.part:
		return "true"
	case table == "records":
		return t.hasRecord()
	}
	return t.Buckets.inBuckets()
}

// hasRecord is the condition that a record is of an account of the target's, or of one
// that is not there any more. Which account that is stands in the key or in the value,
// depending on the table. Leases are of nobody: who needs one takes it anew. How far
// something is that goes on in both halves, both know.
func (t *target) hasRecord() string {
	// A key's first part, if it is a text, ends with the bytes 0 and 1.
	const first = `convert_from(substring(key FROM 1 FOR position('\x0001'::BYTEA IN key) - 1), 'UTF8')`
	const refused = `(SELECT r.value #>> '{event,subject}' FROM records r WHERE r.tab = 'refused' AND r.key = substring(records.key FROM octet_length(records.key) - 7))`
	account := `CASE tab WHEN 'seals' THEN ` + first + ` WHEN 'erasure_keys' THEN ` + first + ` WHEN 'refused_named' THEN ` + first + ` WHEN 'refused_open_of' THEN ` + first +
		` WHEN 'refused' THEN value #>> '{event,subject}' WHEN 'refused_open' THEN ` + refused +
		` WHEN 'deliveries' THEN value ->> 'account' WHEN 'dead_letters' THEN value ->> 'account' WHEN 'endings' THEN value ->> 'account'` +
		` WHEN 'feed_inbox' THEN value ->> 'account' WHEN 'feed_rows' THEN value ->> 'account' END`
	return fmt.Sprintf("(tab IN ('feed_state', 'endings_state') OR (SELECT %s FROM (SELECT %s AS account OFFSET 0) AS k))", t.Buckets.inBuckets(), account)
}

// prepare makes the schema, closed, in the name of a move. What an earlier move has left
// there is removed.
func (t *target) prepare(ctx context.Context, ledger, token string, pooler bool) error {
	id := postgres.Identity{Ledger: ledger, Shard: t.Number, Epoch: t.Epoch}
	kept, is, err := postgres.Peek(ctx, t.URL, t.Schema)
	if err == nil && is && kept.Identity == id && kept.Closed != "" && kept.Closed != token {
		if err := dropSchema(ctx, t.Place); err != nil {
			return err
		}
	}
	if err := postgres.Make(ctx, t.URL, t.Schema, postgres.Kept{Identity: id, Closed: token}, pooler); err != nil {
		return fmt.Errorf("%s: %w", t.Place, err)
	}
	t.conn, err = postgres.ConnectTo(ctx, t.URL, t.Schema)
	return err
}

// in runs f in one transaction of the target.
func (t *target) in(ctx context.Context, f func() error) error {
	t.staged = make(map[string]bool)
	return t.conn.In(ctx, f)
}

// dropSchema removes a schema and all that is in it.
func dropSchema(ctx context.Context, p Place) error {
	return postgres.At(ctx, p.URL, p.Schema, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, "DROP SCHEMA IF EXISTS "+pgx.Identifier{p.Schema}.Sanitize()+" CASCADE")
		return err
	})
}

// prove compares what the target has of some accounts with what there is in the old
// place, row by row, in all tables of accounts: in one statement, since the shard may be
// stopped meanwhile.
func (t *target) prove(ctx context.Context, now *snapshot, tables []table, accounts []string) error {
	for part := range slices.Chunk(accounts, atATime) {
		of := array(part)
		var rows []string
		for i := range tables {
			if one := &tables[i]; one.name != "records" {
				rows = append(rows, fmt.Sprintf("SELECT '%s', ROW(%s)::TEXT FROM unnest(%s) AS k (of) CROSS JOIN LATERAL (SELECT * FROM %[1]s WHERE account = k.of OFFSET 0) AS t", one.name, one.list("t."), of))
			}
		}
		query := strings.Join(rows, " UNION ALL ")
		if _, err := t.compare(ctx, now, "accounts", query, query); err != nil {
			return err
		}
	}
	return nil
}

// proveWhole compares the version and last event of every account, and all records, and
// returns how many accounts there are.
func (t *target) proveWhole(ctx context.Context, now *snapshot, tables []table) (accounts int64, err error) {
	const heads = "SELECT account, version, last FROM accounts WHERE "
	if accounts, err = t.compare(ctx, now, "accounts", heads+t.has("accounts"), heads+"true"); err != nil {
		return 0, err
	}
	records := &tables[len(tables)-1]
	all := "SELECT " + records.list("") + " FROM records WHERE "
	_, err = t.compare(ctx, now, "records", all+t.has("records"), all+"true")
	return accounts, err
}

// compare compares what two queries find, here and there, and returns how many rows.
func (t *target) compare(ctx context.Context, now *snapshot, what, from, to string) (rows int64, err error) {
	var was, is digest
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		was, err = digestOf(ctx, now.conn, from)
		return err
	})
	both.Go(func() (err error) {
		is, err = digestOf(ctx, t.conn, to)
		return err
	})
	if err := both.Wait(); err != nil {
		return 0, fmt.Errorf("comparing %s: %w", what, err)
	}
	if was != is {
		return 0, fmt.Errorf("the copy of %s in %s is not what is in the old place: %d rows for %d, or other ones", what, t.Place, is.rows, was.rows)
	}
	return is.rows, nil
}

// takeNumbers has the target hand out numbers that come after those of the old place.
func (t *target) takeNumbers(ctx context.Context, old *postgres.Conn) error {
	var last int64
	var called bool
	if err := old.QueryRow(ctx, "SELECT last_value, is_called FROM event_numbers").Scan(&last, &called); err != nil {
		return err
	}
	_, err := t.conn.Exec(ctx, "SELECT setval('event_numbers', $1, $2)", last, called)
	return err
}

// open lets the target work, once home says that the shard is there.
func (t *target) open(ctx context.Context, token string) error {
	return t.in(ctx, func() error { return setOpen(ctx, t.conn.Conn, t.Epoch, token) })
}
