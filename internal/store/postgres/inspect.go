package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// Census implements durable.Reader.
func (r *reader) Census(ctx context.Context) (last, events int64, err error) {
	x := unhurried()
	x.ask(`SELECT max(number), count(*) FROM events`, nil, func(v row) { last, events = integer(v[0]), integer(v[1]) })
	err = r.send(ctx, x)
	return last, events, err
}

const log = "SELECT " + eventColumns + " FROM events WHERE number > $1 AND number <= $2 ORDER BY number"

// Log implements durable.Inspector. Where pages are damaged, it asks for fewer and fewer
// events, until it knows which these are; what comes after that is of a later snapshot.
func (r *reader) Log(ctx context.Context, after, upTo int64, f func(*durable.EventRow) error, damaged func(error) error) error {
	last := after
	err := pages(ctx, r, "log", log, []any{after, upTo}, event, func(e *durable.EventRow) error {
		if err := f(e); err != nil {
			return &stopped{err}
		}
		last = e.Number
		return nil
	})
	var own *stopped
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.err
	case !isDamage(err):
		return err
	}
	r.end(ctx)
	if upTo == math.MaxInt64 {
		if failed := r.read(ctx, func(v row) { upTo = integer(v[0]) }, `SELECT coalesce(max(number), 0) FROM events`); failed != nil {
			return errors.Join(err, failed)
		}
	}
	if upTo <= last+1 {
		return damaged(fmt.Errorf("event %d cannot be read: %w", upTo, err))
	}
	middle := last + (upTo-last)/2
	if err := r.Log(ctx, last, middle, f, damaged); err != nil {
		return err
	}
	return r.Log(ctx, middle, upTo, f, damaged)
}

// stopped is an error of who was given a row.
type stopped struct{ err error }

func (s *stopped) Error() string { return s.err.Error() }

// isDamage reports whether PostgreSQL has found a page of a table or of an index damaged.
func isDamage(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && (said.Code == "XX001" || said.Code == "XX002")
}

// Loose implements durable.Inspector. It uses an index that the log is not read by
// otherwise.
func (r *reader) Loose(ctx context.Context, account string) (list []durable.EventRow, err error) {
	var last durable.EventRow
	err = r.read(ctx, func(v row) {
		last = event(v, &last)
		list = append(list, last)
	}, "SELECT "+eventColumns+" FROM events WHERE account = $1 ORDER BY sequence, number", account)
	return list, err
}

var partsOf = perKind("SELECT %[2]s FROM %[1]s")

// within narrows a statement to accounts from one to another, with an order of its own for
// those of one account. The statement is another one where there is no bound, so that
// none is planned for what it cannot know.
func within(first, last, order string) (clause string, arguments []any) {
	if last == "" {
		return " WHERE account >= $1 ORDER BY account" + order, []any{first}
	}
	return " WHERE account >= $1 AND account <= $2 ORDER BY account" + order, []any{first, last}
}

// Kept implements durable.Inspector. All of the span is in memory at a time.
func (r *reader) Kept(ctx context.Context, first, last string, f func(*durable.Kept) error) error {
	var (
		accounts   []durable.AccountRow
		statements []durable.StatementRow
		parts      []durable.Part
	)
	x := unhurried()
	clause, span := within(first, last, "")
	x.ask("SELECT account, program, version, last, due, head FROM accounts"+clause, span, func(v row) { accounts = append(accounts, account(v)) })
	for kind := reward.TransactionPart; kind <= reward.LastPart; kind++ {
		x.ask(partsOf[kind]+clause, span, func(v row) { parts = append(parts, part(v)) })
	}
	clause, span = within(first, last, ", cycle")
	x.ask(statementsOf+clause, span, func(v row) { statements = append(statements, statementRow(v)) })
	if err := r.send(ctx, x); err != nil {
		return err
	}
	slices.SortStableFunc(parts, func(a, b durable.Part) int { return strings.Compare(a.Account, b.Account) })
	var k durable.Kept
	for len(accounts)+len(statements)+len(parts) > 0 {
		k = durable.Kept{Parts: k.Parts[:0], Statements: k.Statements[:0]}
		next := func(account string) {
			if k.Account == "" || account < k.Account {
				k.Account = account
			}
		}
		if len(accounts) > 0 {
			next(accounts[0].Account)
		}
		if len(statements) > 0 {
			next(statements[0].Account)
		}
		if len(parts) > 0 {
			next(parts[0].Account)
		}
		if len(accounts) > 0 && accounts[0].Account == k.Account {
			k.Row, accounts = &accounts[0], accounts[1:]
		}
		for len(statements) > 0 && statements[0].Account == k.Account {
			k.Statements, statements = append(k.Statements, statements[0]), statements[1:]
		}
		for len(parts) > 0 && parts[0].Account == k.Account {
			k.Parts, parts = append(k.Parts, parts[0].Part), parts[1:]
		}
		if err := f(&k); err != nil {
			return err
		}
	}
	return nil
}
