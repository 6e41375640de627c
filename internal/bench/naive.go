package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"recoup/event"
	"recoup/reward"
)

// naive measures what a service does that has not thought about it: one SQL
// transaction per event, which locks the account's balance, inserts the event and
// updates the balance. It knows a single rate, and no rule that this project is
// about. The service is not measured against a straw man: there is no network
// between, and no event is decoded or answered.
func naive(l *Load, db *sql.DB) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (*Measurement, error) {
		if err := naiveTables(ctx, db, l.Accounts); err != nil {
			return nil, fmt.Errorf("prepare the naive implementation: %w", err)
		}
		workers := make([]*traffic, l.Clients)
		lines := make([][]byte, l.Clients)
		for w := range workers {
			workers[w] = newTraffic(w, l.Accounts, l.Seed)
		}
		return loop(ctx, l, l.Clients, func(ctx context.Context, w int) (int, error) {
			e := workers[w].moment()
			lines[w] = event.Append(lines[w][:0], &e)
			return 1, naiveEvent(ctx, db, &e, lines[w])
		})
	}
}

func naiveTables(ctx context.Context, db *sql.DB, accounts int) error {
	for _, statement := range []string{
		`CREATE TABLE naive_accounts (account TEXT PRIMARY KEY, balance BIGINT NOT NULL)`,
		`CREATE TABLE naive_events (account TEXT NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, change BIGINT NOT NULL,
			event TEXT NOT NULL, PRIMARY KEY (account, source, id))`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.PrepareContext(ctx, `INSERT INTO naive_accounts (account, balance) VALUES ($1, 0)`)
	if err != nil {
		return err
	}
	for i := range accounts {
		if _, err := insert.ExecContext(ctx, accountName(i)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

var errNoAccount = errors.New("the account is not there")

func naiveEvent(ctx context.Context, db *sql.DB, e *reward.Event, line []byte) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var balance int64
	if err := tx.QueryRowContext(ctx, `SELECT balance FROM naive_accounts WHERE account = $1 FOR UPDATE`, e.Account).Scan(&balance); err != nil {
		return err
	}
	change := naiveChange(e)
	if _, err := tx.ExecContext(ctx, `INSERT INTO naive_events (account, source, id, type, change, event) VALUES ($1, $2, $3, $4, $5, $6)`,
		e.Account, e.Source, e.ID, e.Type.String(), change, string(line)); err != nil {
		return err
	}
	done, err := tx.ExecContext(ctx, `UPDATE naive_accounts SET balance = $1 WHERE account = $2`, balance+change, e.Account)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errNoAccount, err)
	}
	return tx.Commit()
}

// naiveChange is by how much an event changes the balance.
func naiveChange(e *reward.Event) int64 {
	switch e.Type {
	case reward.TransactionSettled:
		return e.Amount / 100
	case reward.RefundPosted, reward.ChargebackPosted:
		return -(e.Amount + 99) / 100
	case reward.RedemptionRequested:
		return -e.Amount
	case reward.AdjustmentPosted:
		return e.Amount
	}
	return 0
}
