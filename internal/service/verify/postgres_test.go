package verify_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/reward"
)

// postgresVault is a PostgreSQL database by its URL. An insider changes its tables by
// SQL.
type postgresVault struct{ url string }

func (v postgresVault) open(t testing.TB) durable.Driver {
	t.Helper()
	db, err := postgres.Open(context.Background(), v.url, postgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func (v postgresVault) tamper(t testing.TB, what map[string]func(*holdings)) {
	t.Helper()
	ctx := t.Context()
	db, err := pgx.Connect(ctx, v.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	for id, f := range what {
		h := readBySQL(t, db, id)
		f(h)
		h.writeBySQL(db)
	}
}

const eventColumns = `number, account, sequence, before, received, source, id, type, outcome, code, principal, event, postings`
const statementColumns = `account, cycle, opening, granted, clawed_back, redeemed, adjusted, closing, last`

// readBySQL reads all rows of an account.
func readBySQL(t testing.TB, db *pgx.Conn, account string) *holdings {
	t.Helper()
	h := &holdings{TB: t, account: account}
	rows := collect(t, db, func(row pgx.CollectableRow) (a durable.AccountRow, err error) {
		return a, row.Scan(&a.Account, &a.Program, &a.Version, &a.Last, &a.Due, &a.Head)
	}, `SELECT account, program, version, last, coalesce(due, 0), head FROM accounts WHERE account = $1`, account)
	if len(rows) > 0 {
		h.row = &rows[0]
	}
	h.events = collect(t, db, func(row pgx.CollectableRow) (e durable.EventRow, err error) {
		return e, row.Scan(&e.Number, &e.Account, &e.Sequence, &e.Before, &e.Received, &e.Source, &e.ID, &e.Type, &e.Outcome, &e.Code, &e.Principal, &e.Event, &e.Postings)
	}, `SELECT `+eventColumns+` FROM events WHERE account = $1 ORDER BY sequence`, account)
	h.statements = collect(t, db, func(row pgx.CollectableRow) (s durable.StatementRow, err error) {
		return s, row.Scan(&s.Account, &s.Cycle, &s.Opening, &s.Granted, &s.ClawedBack, &s.Redeemed, &s.Adjusted, &s.Closing, &s.Last)
	}, `SELECT `+statementColumns+` FROM statements WHERE account = $1`, account)
	for kind := reward.TransactionPart; kind <= reward.LastPart; kind++ {
		h.parts = append(h.parts, collect(t, db, func(row pgx.CollectableRow) (durable.Part, error) {
			p := durable.Part{Account: account}
			p.Kind = kind
			return p, row.Scan(&p.ID, &p.Data, &p.Working, &p.Bucket, &p.Settled, &p.ReviewSince)
		}, `SELECT id, data, working, coalesce(bucket, 0), coalesce(settled, 0), coalesce(review_since, 0) FROM `+kind.String()+`s WHERE account = $1`, account)...)
	}
	for table, value := range h.records() {
		for _, one := range collect(t, db, pgx.RowTo[[]byte], `SELECT value::TEXT::BYTEA FROM records WHERE tab = $1 AND key = $2`, table, []byte(record.Key(account))) {
			*value = one
		}
	}
	h.elsewhere = collect(t, db, pgx.RowTo[int64], `SELECT max(number) FROM events WHERE account <> $1`, account)[0]
	return h
}

func collect[T any](t testing.TB, db *pgx.Conn, each pgx.RowToFunc[T], statement string, arguments ...any) []T {
	t.Helper()
	rows, err := db.Query(t.Context(), statement, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, each)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return list
}

// writeBySQL writes all rows of the account anew.
func (h *holdings) writeBySQL(db *pgx.Conn) {
	h.Helper()
	exec := func(statement string, arguments ...any) {
		h.Helper()
		if _, err := db.Exec(h.Context(), statement, arguments...); err != nil {
			h.Fatalf("%s: %v", statement, err)
		}
	}
	tables := []string{"accounts", "events", "statements"}
	for kind := reward.TransactionPart; kind <= reward.LastPart; kind++ {
		tables = append(tables, kind.String()+"s")
	}
	for _, table := range tables {
		exec(`DELETE FROM `+table+` WHERE account = $1`, h.account)
	}
	for table, value := range h.records() {
		exec(`DELETE FROM records WHERE tab = $1 AND key = $2`, table, []byte(record.Key(h.account)))
		if *value != nil {
			exec(`INSERT INTO records (tab, key, value) VALUES ($1, $2, $3::TEXT::JSON)`, table, []byte(record.Key(h.account)), string(*value))
		}
	}
	if a := h.row; a != nil {
		exec(`INSERT INTO accounts (account, program, version, last, due, head) VALUES ($1, $2, $3, $4, nullif($5::INT8, 0), $6)`, a.Account, a.Program, a.Version, a.Last, a.Due, a.Head)
	}
	for _, e := range h.events {
		exec(`INSERT INTO events (`+eventColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			e.Number, e.Account, e.Sequence, e.Before, e.Received, e.Source, e.ID, e.Type, e.Outcome, e.Code, e.Principal, e.Event, e.Postings)
	}
	for _, s := range h.statements {
		exec(`INSERT INTO statements (`+statementColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			s.Account, s.Cycle, s.Opening, s.Granted, s.ClawedBack, s.Redeemed, s.Adjusted, s.Closing, s.Last)
	}
	for _, p := range h.parts {
		exec(fmt.Sprintf(`INSERT INTO %vs (account, id, data, working, bucket, settled, review_since)
			VALUES ($1, $2, $3, $4, nullif($5::INT8, 0), nullif($6::INT8, 0), nullif($7::INT8, 0))`, p.Kind), p.Account, p.ID, p.Data, p.Working, p.Bucket, p.Settled, p.ReviewSince)
	}
}
