package postgres

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

var (
	lockOne   = `SELECT FROM accounts WHERE account = $1::TEXT FOR UPDATE`
	logOfOne  = "SELECT " + eventColumns + " FROM events WHERE account = $1::TEXT ORDER BY sequence, number"
	deleteOne = append(deletePart[:], `DELETE FROM statements WHERE account = $1::TEXT`, `DELETE FROM accounts WHERE account = $1::TEXT`)
)

var deletePart = perKind(`DELETE FROM %[1]s WHERE account = $1::TEXT`)

// deleteLog is the rest of an account.
const deleteLog = `DELETE FROM events WHERE account = $1::TEXT`

// Replace implements durable.Driver.
func (d *DB) Replace(ctx context.Context, account string, f func(log []durable.EventRow) (*durable.Changes, error)) error {
	return d.replace(ctx, account, deleteOne, func(_ record.Reader, log []durable.EventRow) (*durable.Changes, error) { return f(log) })
}

// Forget implements durable.Driver.
func (d *DB) Forget(ctx context.Context, account string, f func(record.Reader, []durable.EventRow) (*durable.Changes, error)) error {
	return d.replace(ctx, account, append(deleteOne[:len(deleteOne):len(deleteOne)], deleteLog), f)
}

// Purge implements durable.Driver. What rows were before, the server's VACUUM takes away.
func (d *DB) Purge(context.Context, string, []int64) error { return nil }

func (d *DB) replace(ctx context.Context, account string, deletions []string, f func(record.Reader, []durable.EventRow) (*durable.Changes, error)) error {
	return d.patiently(ctx, func(start exchange) error {
		return d.writers.transact(ctx, start, func(own *transaction) error {
			own.account = account
			var log []durable.EventRow
			var last durable.EventRow
			var x exchange
			x.do(lockOne, account)
			x.ask(logOfOne, []any{account}, func(v row) {
				last = event(v, &last)
				log = append(log, last)
			})
			if err := own.send(ctx, x); err != nil {
				return err
			}
			c, err := f(records{own}, log)
			if err != nil {
				return err
			}
			for _, statement := range deletions {
				if statement != "" {
					own.pending.do(statement, account)
				}
			}
			t := &tx{transaction: own, records: records{own}, numbers: d.numbers}
			return t.Write(ctx, c)
		})
	}, func() []string { return []string{account} })
}
