package shards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// table is one that a shard consists of.
type table struct {
	name    string
	key     string // the columns of its primary key
	columns []string
}

// shardTables are those that a mover knows how to copy. What else there is in a schema is
// of the schema itself.
var shardTables = []table{
	{name: "accounts", key: "account"},
	{name: "events", key: "number"},
	{name: "statements", key: "account, cycle"},
	{name: "transactions", key: "account, id"},
	{name: "refunds", key: "account, id"},
	{name: "chargebacks", key: "account, id"},
	{name: "redemptions", key: "account, id"},
	{name: "adjustments", key: "account, id"},
	{name: "buckets", key: "account, id"},
	{name: "attributes", key: "account, id"},
	{name: "records", key: "tab, key"},
}

// ofSchema are the tables that are not copied.
var ofSchema = []string{"migrations", "shard"}

// readTables returns the tables of a schema with their columns. A table that this program
// does not know must be empty, so that nothing can be left behind: earlier versions have
// had some.
func readTables(ctx context.Context, conn *pgx.Conn) (list []table, err error) {
	rows, err := conn.Query(ctx, `SELECT t.tablename, array_agg(c.column_name::TEXT ORDER BY c.ordinal_position) FROM pg_tables t
		JOIN information_schema.columns c ON c.table_schema = t.schemaname AND c.table_name = t.tablename
		WHERE t.schemaname = current_schema() GROUP BY t.tablename`)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]string)
	var name string
	var columns []string
	_, err = pgx.ForEachRow(rows, []any{&name, &columns}, func() error {
		found[name] = slices.Clone(columns)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, t := range shardTables {
		if t.columns = found[t.name]; t.columns == nil {
			return nil, fmt.Errorf("the table %s is missing", t.name)
		}
		delete(found, t.name)
		list = append(list, t)
	}
	for name := range found {
		if slices.Contains(ofSchema, name) {
			continue
		}
		var used bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+pgx.Identifier{name}.Sanitize()+")").Scan(&used); err != nil {
			return nil, err
		}
		if used {
			return nil, fmt.Errorf("there is a table %s with rows that recoup does not know: nothing is moved, for it would stay behind", name)
		}
	}
	return list, nil
}

// list are the columns, as those of a row.
func (t *table) list(of string) (text string) {
	for i, c := range t.columns {
		if i > 0 {
			text += ", "
		}
		text += of + pgx.Identifier{c}.Sanitize()
	}
	return text
}

// of is the table's key, as of a row that goes by a name.
func (t *table) of(row string) string {
	return row + "." + strings.ReplaceAll(t.key, ", ", ", "+row+".")
}

// upsert writes the rows of another table of the same columns in place of those that are
// there.
func (t *table) upsert(from string) string {
	set := ""
	for i, c := range t.columns {
		if i > 0 {
			set += ", "
		}
		set += pgx.Identifier{c}.Sanitize() + " = excluded." + pgx.Identifier{c}.Sanitize()
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s ON CONFLICT (%s) DO UPDATE SET %s", t.name, t.list(""), t.list(""), from, t.key, set)
}
