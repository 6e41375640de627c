package rebuild

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	_ "modernc.org/sqlite" // "sqlite"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// OpenSQLite opens a SQLite file that a version of Recoup before pebble has written. Of
// its tables those are read that every such version had; what follows from the log is
// not read.
func OpenSQLite(ctx context.Context, file string) (Source, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?_pragma=busy_timeout(10000)&_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	s := &sqliteSource{db}
	if _, err := s.Events(ctx); err != nil {
		return nil, fmt.Errorf("%s is no ledger of Recoup: %w", file, err)
	}
	return s, nil
}

type sqliteSource struct{ db *sql.DB }

// Close implements Source.
func (s *sqliteSource) Close() error { return s.db.Close() }

// Events implements Source.
func (s *sqliteSource) Events(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM events`).Scan(&n)
	return n, err
}

// log implements Source.
func (s *sqliteSource) log(ctx context.Context, f func(*past) error) error {
	rows, err := s.db.QueryContext(ctx, `SELECT number, account, sequence, before, received, source, id, type, outcome, code, event, postings FROM events ORDER BY account, sequence`)
	if err != nil {
		return err
	}
	defer rows.Close()
	log := newReader()
	for rows.Next() {
		var e durable.EventRow
		if err := rows.Scan(&e.Number, &e.Account, &e.Sequence, &e.Before, (*int64)(&e.Received), &e.Source, &e.ID, &e.Type, &e.Outcome, &e.Code, &e.Event, &e.Postings); err != nil {
			return err
		}
		p, err := log.read(&e)
		if err == nil {
			err = f(p)
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// row is a row of an older table by its columns; NULL is not there.
type row map[string]any

func (r row) int(column string) int64 { n, _ := r[column].(int64); return n }

func (r row) text(column string) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// kept is what is kept of a row now: a key and a value that becomes JSON.
type kept struct {
	key   string
	value any
}

// older says for each table of records which rows of the older database it is made of.
var older = map[string]struct {
	query string
	of    func(r row) kept
}{
	"programs": {`SELECT * FROM programs WHERE program <> '' ORDER BY program, version`, func(r row) kept {
		return kept{record.Key(r.text("program"), r.int("version")), map[string]any{
			"program": r.text("program"), "version": r.int("version"), "from_cycle": r.int("from_cycle"),
			"document": r.text("document"), "created_at": r.int("created_at"), "actor": r.text("actor"),
		}}
	}},
	"programs_summary": {`SELECT (SELECT count(*) FROM programs WHERE program <> '') AS versions, document FROM programs WHERE program = ''`, func(r row) kept {
		return kept{"all", map[string]any{"versions": r.int("versions"), "default": r.text("document")}}
	}},
	"keys": {`SELECT * FROM keys ORDER BY id`, func(r row) kept {
		return kept{r.text("id"), map[string]any{
			"id": r.text("id"), "name": r.text("name"), "scopes": r.text("scopes"), "hash": hex.EncodeToString([]byte(r.text("hash"))),
			"created_at": r.int("created_at"), "revoked_at": r.int("revoked_at"),
		}}
	}},
	"endpoints": {`SELECT * FROM endpoints ORDER BY id`, func(r row) kept {
		types := slices.DeleteFunc(strings.Split(r.text("types"), ","), func(s string) bool { return s == "" })
		return kept{r.text("id"), map[string]any{
			"id": r.text("id"), "url": r.text("url"), "types": types, "secrets": r.text("secrets"),
			"created_at": r.int("created_at"), "disabled_at": r.int("disabled_at"),
		}}
	}},
	"proposals":            {`SELECT * FROM proposals`, func(r row) kept { return kept{record.Key(r.int("number")), proposal(r)} }},
	"proposals_open":       {`SELECT * FROM proposals WHERE state = 0`, func(r row) kept { return kept{record.Key(r.int("number")), proposal(r)} }},
	"proposals_decided":    {`SELECT * FROM proposals WHERE state <> 0`, func(r row) kept { return kept{record.Key(r.int("number")), proposal(r)} }},
	"proposals_of":         {`SELECT * FROM proposals`, func(r row) kept { return kept{record.Key(r.text("account"), r.int("number")), proposal(r)} }},
	"proposals_adjustment": {`SELECT * FROM proposals`, func(r row) kept { return kept{r.text("adjustment"), r.int("number")} }},
	"proposals_last":       {`SELECT max(number) AS number FROM proposals HAVING count(*) > 0`, func(r row) kept { return kept{"number", r.int("number")} }},
	durable.RefusedTable: {`SELECT * FROM refused ORDER BY refused_at, number`, func(r row) kept {
		return kept{record.Key(r.int("number")), map[string]any{
			"number": r.int("number"), "refused_at": r.int("refused_at"), "event": jsontext.Value(r.text("event")),
			"decided_at": r.int("decided_at"), "decision": r.text("decision"), "actor": r.text("actor"), "reason": r.text("reason"),
		}}
	}},
}

// proposal is a row of proposals as it is kept now. A person was an id and a name on two
// lines.
func proposal(r row) map[string]any {
	person := func(column string) map[string]any {
		id, name, _ := strings.Cut(r.text(column), "\n")
		return map[string]any{"id": id, "name": name}
	}
	return map[string]any{
		"number": r.int("number"), "account": r.text("account"), "adjustment": r.text("adjustment"), "amount": r.int("amount"),
		"currency": r.text("currency"), "reason": r.text("reason"), "proposer": person("proposer"), "proposed_at": r.int("proposed_at"),
		"state": [...]string{"open", "approved", "rejected"}[r.int("state")], "decider": person("decider"), "decided_at": r.int("decided_at"), "note": r.text("note"),
	}
}

// Records implements Source. The earliest versions had no proposals and no refused facts.
func (s *sqliteSource) Records(ctx context.Context, table string, f func(key string, value []byte) error) error {
	from, known := older[table]
	if !known {
		return nil
	}
	var there int
	name := strings.Split(table, "_")[0]
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name = ?`, name).Scan(&there); err != nil || there == 0 {
		return err
	}
	rows, err := s.db.QueryContext(ctx, from.query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		r := make(row, len(columns))
		for i, column := range columns {
			r[column] = values[i]
		}
		k := from.of(r)
		text, err := json.Marshal(k.value, json.Deterministic(true))
		if err != nil {
			return err
		}
		if err := f(k.key, text); err != nil {
			return err
		}
	}
	return rows.Err()
}
