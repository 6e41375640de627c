package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// exchange is what goes to the server together, and comes back together: one round
// trip. The server stops at the first statement that it refuses.
type exchange []query

// query is a statement of an exchange, and what to do with each row of its result.
type query struct {
	statement string
	arguments []any
	row       func(row) // nil: it has no rows, or they do not matter
}

// ask adds a statement.
func (x *exchange) ask(statement string, arguments []any, f func(row)) {
	*x = append(*x, query{statement, arguments, f})
}

// do adds a statement without rows.
func (x *exchange) do(statement string, arguments ...any) { x.ask(statement, arguments, nil) }

// run has the exchange done on a connection. given reports whether a row was handed
// out, which makes it too late to begin again.
func (p *pool) run(ctx context.Context, conn *pgxpool.Conn, x exchange) (given bool, err error) {
	if p.pooler {
		return runUnprepared(ctx, conn.Conn(), x)
	}
	b := new(pgx.Batch)
	for i := range x {
		q := b.Queue(x[i].statement, x[i].arguments...)
		if f := x[i].row; f != nil {
			q.Query(func(rows pgx.Rows) error {
				for rows.Next() {
					given = true
					f(rows.RawValues())
				}
				return rows.Err()
			})
		}
	}
	err = conn.SendBatch(ctx, b).Close()
	return given, err
}

// runUnprepared has each statement parsed with the exchange, so that nothing of it has
// to be on the server beforehand or stays there afterwards: a pooler may give the next
// transaction to another server process.
func runUnprepared(ctx context.Context, conn *pgx.Conn, x exchange) (given bool, err error) {
	var b pgconn.Batch
	for i := range x {
		values, types, formats, err := encode(conn.TypeMap(), x[i].arguments)
		if err != nil {
			return false, unsent{err}
		}
		b.ExecParams(x[i].statement, values, types, formats, []int16{pgtype.BinaryFormatCode})
	}
	results := conn.PgConn().ExecBatch(ctx, &b)
	for i := 0; results.NextResult(); i++ {
		rows := results.ResultReader()
		for rows.NextRow() {
			if f := x[i].row; f != nil {
				given = true
				f(rows.Values())
			}
		}
	}
	return given, results.Close()
}

// unsent is an error from before anything was sent.
type unsent struct{ error }

func (e unsent) Unwrap() error { return e.error }

// encode writes arguments in PostgreSQL's binary format.
func encode(m *pgtype.Map, arguments []any) (values [][]byte, types []uint32, formats []int16, err error) {
	for _, a := range arguments {
		var oid uint32
		switch v := a.(type) {
		case string:
			oid = pgtype.TextOID
		case []byte:
			oid = pgtype.ByteaOID
		case int64:
			oid = pgtype.Int8OID
		case int:
			oid, a = pgtype.Int8OID, int64(v)
		case []string:
			oid = pgtype.TextArrayOID
		case [][]byte:
			oid = pgtype.ByteaArrayOID
		case []int64:
			oid = pgtype.Int8ArrayOID
		case []int16:
			oid = pgtype.Int2ArrayOID
		case []bool:
			oid = pgtype.BoolArrayOID
		case bool:
			oid = pgtype.BoolOID
		default:
			return nil, nil, nil, fmt.Errorf("a %T cannot be an argument", a)
		}
		value, err := m.Encode(oid, pgtype.BinaryFormatCode, a, []byte{})
		if err != nil {
			return nil, nil, nil, err
		}
		values, types, formats = append(values, value), append(types, oid), append(formats, pgtype.BinaryFormatCode)
	}
	return values, types, formats, nil
}
