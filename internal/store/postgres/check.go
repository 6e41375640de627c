package postgres

import (
	"context"
	"fmt"
)

// What has to be looked at to have read every page: the tables themselves, and what of a
// value lies elsewhere, unless that is read by who checks the accounts anyway.
const (
	ourTables = `SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::REGNAMESPACE AND c.relkind = 'r' ORDER BY c.relname`
	ourTrees  = `SELECT c.oid::INT8, c.relname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE c.relnamespace = current_schema()::REGNAMESPACE AND c.relkind = 'i' AND a.amname = 'btree' ORDER BY c.relname`
	// amcheck is the schema of the extension, if whoever asks may use it.
	amcheck = `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
		WHERE e.extname = 'amcheck' AND EXISTS (SELECT FROM pg_proc p
			WHERE p.pronamespace = n.oid AND p.proname = 'bt_index_check' AND p.pronargs = 2 AND has_function_privilege(p.oid, 'EXECUTE'))`
)

// Check implements durable.Inspector. The server compares pages with their checksums when
// it reads them; what is in its memory it does not read again.
func (r *reader) Check(ctx context.Context, damaged func(error) error) (unchecked []string, err error) {
	var checksums, extension string
	var tables, names []string
	var trees []int64
	x := unhurried()
	x.ask(`SELECT current_setting('data_checksums')`, nil, func(v row) { checksums = text(v[0]) })
	x.ask(ourTables, nil, func(v row) { tables = append(tables, text(v[0])) })
	x.ask(ourTrees, nil, func(v row) { trees, names = append(trees, integer(v[0])), append(names, text(v[1])) })
	x.ask(amcheck, nil, func(v row) { extension = text(v[0]) })
	if err := r.send(ctx, x); err != nil {
		return nil, err
	}
	if checksums != "on" {
		unchecked = append(unchecked, "whether the pages of the server are as it wrote them, as it keeps no checksums of them; pg_checksums --enable has it keep some, while it is stopped")
	}
	for _, table := range tables {
		// The whole of each value: that of records is nowhere else looked at.
		what := "count(*)"
		if table == "records" {
			what = "sum(length(value::TEXT))"
		}
		err := r.checkOne(ctx, damaged, "table "+table, fmt.Sprintf(`SELECT %s FROM %q`, what, table))
		if err != nil {
			return nil, err
		}
	}
	if extension == "" {
		return append(unchecked, "whether the indexes lead to all rows, as the extension amcheck is not there, or not for this role; a superuser makes it (CREATE EXTENSION amcheck) and grants its functions"), nil
	}
	for i, tree := range trees {
		check := fmt.Sprintf(`SELECT %q.bt_index_check(%d::REGCLASS, true)`, extension, tree)
		if err := r.checkOne(ctx, damaged, "index "+names[i], check); err != nil {
			return nil, err
		}
	}
	return unchecked, nil
}

// checkOne has the server read all of something. What it finds damaged ends the snapshot,
// and the next question begins another.
func (r *reader) checkOne(ctx context.Context, damaged func(error) error, what, statement string) error {
	x := unhurried()
	for _, other := range []string{"indexscan", "indexonlyscan", "bitmapscan"} {
		x.do("SET LOCAL enable_" + other + " = off")
	}
	x.do(statement)
	err := r.send(ctx, x)
	if err == nil || !isDamage(err) {
		return err
	}
	r.end(ctx)
	return damaged(fmt.Errorf("%s: %w", what, err))
}
