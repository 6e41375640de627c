package webhook

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// target is an endpoint that has something due.
type target struct {
	id, url string
	secrets keyring
}

// delivery is one notice on its way to one endpoint.
type delivery struct {
	target
	number, notice int64
	attempts       int64 // that were made before
	typ            string
	body           []byte
	lease          int64 // when somebody else may try it: next_at while it is ours
}

// targets returns the endpoints that are not disabled and have something due.
// It only reads, so that looking for work takes no lock.
func (o *Outbox) targets(ctx context.Context, now time.Time) ([]target, error) {
	rows, err := o.db.QueryContext(ctx, o.rebind(
		`SELECT e.id, e.url, e.secrets FROM endpoints e WHERE e.disabled_at IS NULL AND EXISTS (
		   SELECT 1 FROM deliveries d WHERE d.endpoint = e.id AND d.state = 0 AND d.next_at <= $1)`), now.UnixNano())
	if err != nil {
		return nil, fmt.Errorf("looking for due webhooks: %w", err)
	}
	defer rows.Close()
	var list []target
	for rows.Next() {
		var t target
		var secrets string
		if err := rows.Scan(&t.id, &t.url, &secrets); err != nil {
			return nil, fmt.Errorf("looking for due webhooks: %w", err)
		}
		if t.secrets, err = parseKeyring(secrets); err != nil {
			return nil, fmt.Errorf("endpoint %s: %w", t.id, err)
		}
		list = append(list, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("looking for due webhooks: %w", err)
	}
	return list, nil
}

// claim takes up to limit deliveries that are due, those that have waited
// longest, by moving their next attempt to the end of the lease.
func (o *Outbox) claim(ctx context.Context, t target, now time.Time, lease time.Duration, limit int) ([]delivery, error) {
	skip := ""
	if _, postgres := o.db.Driver().(*stdlib.Driver); postgres {
		skip = "FOR UPDATE SKIP LOCKED" // not to wait for what others are claiming
	}
	until := now.Add(lease).UnixNano()
	// Materialized, because PostgreSQL may run a subquery once for each row that it
	// compares, and locks and takes other rows each time. What others claim before
	// the update sees it is due no longer, also where nothing is skipped.
	rows, err := o.db.QueryContext(ctx, o.rebind(
		`WITH due AS MATERIALIZED (
		   SELECT number FROM deliveries WHERE endpoint = $3 AND state = 0 AND next_at <= $2
		   ORDER BY next_at, number LIMIT $4 `+skip+`)
		 UPDATE deliveries SET next_at = $1 WHERE state = 0 AND next_at <= $2 AND number IN (SELECT number FROM due)
		 RETURNING number, notice, attempts,
		   (SELECT n.type FROM notices n WHERE n.number = deliveries.notice), (SELECT n.body FROM notices n WHERE n.number = deliveries.notice)`),
		until, now.UnixNano(), t.id, limit)
	if err != nil {
		return nil, fmt.Errorf("claiming webhooks: %w", err)
	}
	defer rows.Close()
	var list []delivery
	for rows.Next() {
		d := delivery{target: t, lease: until}
		if err := rows.Scan(&d.number, &d.notice, &d.attempts, &d.typ, &d.body); err != nil {
			return nil, fmt.Errorf("claiming webhooks: %w", err)
		}
		list = append(list, d)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("claiming webhooks: %w", err)
	}
	return list, nil
}

// record keeps what became of deliveries, all in one transaction. Somebody else
// may have taken over a delivery whose lease has ended: then what became of it
// here counts only if it was taken.
func (o *Outbox) record(ctx context.Context, ended []Attempt, now time.Time) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("recording webhooks: %w", err)
	}
	defer tx.Rollback()
	for i := range ended {
		if err := o.recordOne(ctx, tx, &ended[i], now); err != nil {
			return fmt.Errorf("recording webhooks: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("recording webhooks: %w", err)
	}
	return nil
}

func (o *Outbox) recordOne(ctx context.Context, tx *sql.Tx, a *Attempt, now time.Time) error {
	exec := func(statement string, args ...any) error {
		_, err := tx.ExecContext(ctx, o.rebind(statement), args...)
		return err
	}
	d := &a.delivery
	switch a.Fate {
	case Delivered:
		if err := exec(`DELETE FROM deliveries WHERE number = $1`, d.number); err != nil {
			return err
		}
		return exec(`DELETE FROM notices WHERE number = $1 AND NOT EXISTS (SELECT 1 FROM deliveries WHERE notice = $1)`, d.notice)
	case Released:
		return exec(`UPDATE deliveries SET next_at = $1 WHERE number = $2 AND state = 0 AND next_at = $3`,
			now.UnixNano(), d.number, d.lease)
	case Retried:
		return exec(`UPDATE deliveries SET next_at = $1, attempts = $2, error = $3 WHERE number = $4 AND state = 0 AND next_at = $5`,
			now.Add(a.pause).UnixNano(), a.Number, a.text(), d.number, d.lease)
	}
	if a.Fate == Gone {
		if err := exec(`UPDATE endpoints SET disabled_at = coalesce(disabled_at, $1) WHERE id = $2`, now.UnixNano(), d.id); err != nil {
			return err
		}
	}
	return exec(`UPDATE deliveries SET state = 1, attempts = $1, error = $2 WHERE number = $3 AND state = 0 AND next_at = $4`,
		a.Number, a.text(), d.number, d.lease)
}

// sweepPage is how many notices one sweep looks at.
const sweepPage = 5000

// sweep looks at the notices after one, by number, and deletes what nobody will
// ever send: notices without a delivery, and deliveries whose endpoint was
// removed just as they were written. It returns the notice that it came to, zero
// at the end.
func (o *Outbox) sweep(ctx context.Context, after int64) (int64, error) {
	var last sql.NullInt64
	err := o.db.QueryRowContext(ctx, o.rebind(
		`SELECT max(number) FROM (SELECT number FROM notices WHERE number > $1 ORDER BY number LIMIT $2) AS page`),
		after, sweepPage).Scan(&last)
	if err != nil {
		return after, fmt.Errorf("sweeping up webhooks: %w", err)
	}
	if !last.Valid {
		return 0, nil
	}
	for _, statement := range [...]string{
		`DELETE FROM deliveries WHERE notice > $1 AND notice <= $2 AND NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.id = deliveries.endpoint)`,
		`DELETE FROM notices WHERE number > $1 AND number <= $2 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.notice = notices.number)`,
	} {
		if _, err := o.exec(ctx, statement, after, last.Int64); err != nil {
			return after, fmt.Errorf("sweeping up webhooks: %w", err)
		}
	}
	return last.Int64, nil
}
