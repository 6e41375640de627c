package shards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/postgres"
)

// since is the condition that a row was written after a snapshot, or by who was at it
// then. Rows are told by the transactions that wrote them: numbers of events do not tell,
// for they are handed out long before they are committed.
func (s *snapshot) since(row string) string {
	return fmt.Sprintf("age(%sxmin) <= age('%s'::XID)", row, s.horizon)
}

// atATime is how many accounts one statement names.
const atATime = 2000

// follow brings a target from one snapshot up to another, and returns the accounts that
// have changed in between. Rows are added and replaced in all tables; only records are
// deleted.
func (t *target) follow(ctx context.Context, before, now *snapshot, tables []table) (changed []string, err error) {
	rows, err := now.conn.Query(ctx, fmt.Sprintf("SELECT account FROM accounts WHERE %s AND %s", before.since(""), t.has("accounts")))
	if err != nil {
		return nil, err
	}
	if changed, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	for part := range slices.Chunk(changed, atATime) {
		for i := range tables {
			if one := &tables[i]; one.name != "records" {
				if err := t.bring(ctx, now, one, one.changed(before, part)); err != nil {
					return nil, err
				}
			}
		}
	}
	records := &tables[len(tables)-1]
	err = t.bring(ctx, now, records, fmt.Sprintf("SELECT %s FROM records WHERE %s AND %s", records.list(""), before.since(""), t.has("records")))
	if err != nil {
		return nil, err
	}
	return changed, t.forget(ctx, now)
}

// changed are the rows of some accounts that were written after a snapshot. An account's
// new events are found along its chain.
func (t *table) changed(before *snapshot, accounts []string) string {
	of := array(accounts)
	switch t.name {
	case "accounts":
		return fmt.Sprintf("SELECT %s FROM unnest(%s) AS k (of) CROSS JOIN LATERAL (SELECT * FROM accounts WHERE account = k.of OFFSET 0) AS t", t.list("t."), of)
	case "events":
		return fmt.Sprintf(`WITH RECURSIVE chain AS (
			SELECT e.number, e.before FROM unnest(%[1]s) AS k (of) CROSS JOIN LATERAL (SELECT last FROM accounts WHERE account = k.of OFFSET 0) AS a
			CROSS JOIN LATERAL (SELECT number, before FROM events WHERE number = a.last AND %[2]s OFFSET 0) AS e
			UNION ALL
			SELECT e.number, e.before FROM chain c CROSS JOIN LATERAL (SELECT number, before FROM events WHERE number = c.before AND %[2]s OFFSET 0) AS e)
			SELECT %[3]s FROM chain c CROSS JOIN LATERAL (SELECT * FROM events WHERE number = c.number OFFSET 0) AS t`, of, before.since("events."), t.list("t."))
	}
	return fmt.Sprintf("SELECT %s FROM unnest(%s) AS k (of) CROSS JOIN LATERAL (SELECT * FROM %s WHERE account = k.of AND %s OFFSET 0) AS t",
		t.list("t."), of, t.name, before.since(t.name+"."))
}

// array is a list of texts in SQL.
func array(texts []string) string {
	var b strings.Builder
	b.WriteString("ARRAY[")
	for i, text := range texts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("E'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'")
	}
	b.WriteString("]::TEXT[]")
	return b.String()
}

// bring writes the rows of a query in the target, in place of those that are there.
func (t *target) bring(ctx context.Context, now *snapshot, one *table, query string) error {
	stage := "stage_" + one.name
	if !t.staged[one.name] {
		if _, err := t.conn.Exec(ctx, fmt.Sprintf("CREATE TEMPORARY TABLE %s (LIKE %s) ON COMMIT DROP", stage, one.name)); err != nil {
			return err
		}
		t.staged[one.name] = true
	}
	sent, err := pass(ctx, now.conn, query, t.conn, fmt.Sprintf("%s (%s)", stage, one.list("")))
	if err == nil && sent.rows > 0 {
		err = t.upsert(ctx, one, stage, sent)
	}
	if err != nil {
		return fmt.Errorf("following %s: %w", one.name, err)
	}
	return nil
}

// upsert writes what has been staged, and proves it by reading what has been written.
func (t *target) upsert(ctx context.Context, one *table, stage string, sent digest) error {
	if _, err := t.conn.Exec(ctx, one.upsert(stage)); err != nil {
		return err
	}
	arrived, err := digestOf(ctx, t.conn, fmt.Sprintf("SELECT %s FROM %s AS k CROSS JOIN LATERAL (SELECT * FROM %s AS o WHERE (%s) = (%s) OFFSET 0) AS t",
		one.list("t."), stage, one.name, one.of("o"), one.of("k")))
	if err == nil && arrived != sent {
		err = fmt.Errorf("what was written is not what was sent: %d rows of %d", arrived.rows, sent.rows)
	}
	if err == nil {
		_, err = t.conn.Exec(ctx, "TRUNCATE "+stage)
	}
	return err
}

// forget deletes the records that are not there any more: in those tables of records that
// have more in the target.
func (t *target) forget(ctx context.Context, now *snapshot) error {
	count := func(conn *postgres.Conn, condition string) (map[string]int64, error) {
		counts := make(map[string]int64)
		rows, err := conn.Query(ctx, "SELECT tab, count(*) FROM records WHERE "+condition+" GROUP BY tab")
		if err != nil {
			return nil, err
		}
		var tab string
		var n int64
		_, err = pgx.ForEachRow(rows, []any{&tab, &n}, func() error {
			counts[tab] = n
			return nil
		})
		return counts, err
	}
	have, err := count(t.conn, "true")
	if err != nil {
		return err
	}
	want, err := count(now.conn, t.has("records"))
	if err != nil {
		return err
	}
	for tab, n := range have {
		if n == want[tab] {
			continue
		}
		if err := t.forgetIn(ctx, now, tab); err != nil {
			return fmt.Errorf("following deleted records of %s: %w", tab, err)
		}
	}
	return nil
}

func (t *target) forgetIn(ctx context.Context, now *snapshot, tab string) error {
	keys := func(conn *postgres.Conn, condition string) ([]string, error) {
		rows, err := conn.Query(ctx, "SELECT key FROM records WHERE tab = $1 AND "+condition, tab)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
			var key []byte
			err := r.Scan(&key)
			return string(key), err
		})
	}
	there, err := keys(now.conn, t.has("records"))
	if err != nil {
		return err
	}
	still := make(map[string]bool, len(there))
	for _, key := range there {
		still[key] = true
	}
	have, err := keys(t.conn, "true")
	if err != nil {
		return err
	}
	var gone [][]byte
	for _, key := range have {
		if !still[key] {
			gone = append(gone, []byte(key))
		}
	}
	_, err = t.conn.Exec(ctx, "DELETE FROM records WHERE tab = $1 AND key = ANY ($2)", tab, gone)
	return err
}
