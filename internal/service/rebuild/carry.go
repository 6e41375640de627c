package rebuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"recoup/internal/service/drafts"
	"recoup/internal/service/sources"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/record"
	"recoup/internal/store/triage"
)

// carried are the tables that are carried over record by record, beside the log, after
// it was applied. Where one counts as something that people know of, the others are
// what belongs to it.
var carried = []struct {
	name   string
	tables []string
}{
	{"keys", []string{"keys", "people", "people_names", "people_of", "security_log", "security_log_refused", "security_log_anonymous", "security_log_bounds"}},
	{"endpoints", []string{"endpoints"}},
	{"exemptions", exempt.Tables},
	{"program_drafts", drafts.Tables},
	{"source_webhooks", sources.Tables},
	{"reviews_worked", triage.Tables},
	{"proposals", []string{"proposals", "proposals_open", "proposals_decided", "proposals_of", "proposals_adjustment", "proposals_last", "proposals_begun", "proposed_terms", "alone", "alone_by", "alone_when"}},
}

// programTables are what must be there before the log is applied.
var programTables = []string{"programs", "programs_summary"}

// errNotEmpty: a database that is rebuilt must have nothing in it.
var errNotEmpty = errors.New("the new database is not empty: name a folder that is not there yet, or a PostgreSQL database without rows")

// ExpectEmpty refuses a new database that has anything in it.
func ExpectEmpty(ctx context.Context, d *durable.Database) error {
	var some bool
	err := d.View(ctx, func(r durable.Reader) error {
		_, events, err := r.Census(ctx)
		if err != nil {
			return err
		}
		some = events > 0
		tables := programTables
		for _, c := range carried {
			tables = append(tables[:len(tables):len(tables)], c.tables...)
		}
		for _, table := range tables {
			err := r.Scan(ctx, table, record.Span{}, func(string, []byte) (bool, error) {
				some = true
				return false, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("looking whether the new database is empty: %w", err)
	case some:
		return errNotEmpty
	}
	return nil
}

// carryPage is how many records are written at a time.
const carryPage = 1000

// carry copies the records of a table and returns how many there are.
func carry(ctx context.Context, from Source, to record.Store, table string) (n int64, err error) {
	var page []record.Record
	flush := func() error {
		err := to.Change(ctx, func(tx record.Tx) error {
			for _, r := range page {
				tx.Put(r.Table, r.Key, r.Value)
			}
			return nil
		})
		n += int64(len(page))
		page = page[:0]
		return err
	}
	err = from.Records(ctx, table, func(key string, value []byte) error {
		page = append(page, record.Record{Table: table, Key: key, Value: bytes.Clone(value)})
		if len(page) < carryPage {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return 0, fmt.Errorf("carrying over the table %s: %w", table, err)
	}
	return n, nil
}

// carryRefused carries over the facts that were refused, and returns how many there are.
func (r *run) carryRefused(ctx context.Context) (n int64, err error) {
	var page [][]byte
	flush := func() error {
		more, err := durable.CarryRefused(ctx, r.options.To, page)
		n += more
		page = page[:0]
		return err
	}
	err = r.options.From.Records(ctx, durable.RefusedTable, func(_ string, value []byte) error {
		if page = append(page, bytes.Clone(value)); len(page) < carryPage {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return n, err
}
