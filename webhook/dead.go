package webhook

import (
	"context"
	"fmt"
	"time"
)

// DeadLetter is a delivery that was given up.
type DeadLetter struct {
	Number   int64 // names it
	ID       string
	Endpoint string
	Account  string
	Type     string
	Created  time.Time // of the notice
	Attempts int64
	Error    string // of the last attempt
}

// Dead returns up to limit dead letters with numbers after one, of one endpoint
// or, if its id is empty, of all, in order of their numbers.
func (o *Outbox) Dead(ctx context.Context, endpoint string, after int64, limit int) ([]DeadLetter, error) {
	rows, err := o.db.QueryContext(ctx, o.rebind(
		`SELECT d.number, d.endpoint, d.attempts, coalesce(d.error, ''), n.account, n.type, n.body, n.created_at
		 FROM deliveries d JOIN notices n ON n.number = d.notice
		 WHERE d.state = 1 AND d.number > $1 AND (d.endpoint = $2 OR $2 = '')
		 ORDER BY d.number LIMIT $3`), after, endpoint, limit)
	if err != nil {
		return nil, fmt.Errorf("listing dead letters: %w", err)
	}
	defer rows.Close()
	var list []DeadLetter
	for rows.Next() {
		var l DeadLetter
		var body []byte
		var created int64
		if err := rows.Scan(&l.Number, &l.Endpoint, &l.Attempts, &l.Error, &l.Account, &l.Type, &body, &created); err != nil {
			return nil, fmt.Errorf("listing dead letters: %w", err)
		}
		l.ID, l.Created = idOf(body), moment(created)
		list = append(list, l)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("listing dead letters: %w", err)
	}
	return list, nil
}

// Replay has one dead letter tried again, at once and with all attempts anew.
func (o *Outbox) Replay(ctx context.Context, number int64) error {
	n, err := o.exec(ctx, replay+` AND number = $2`, o.now().UnixNano(), number)
	if err != nil {
		return fmt.Errorf("replaying dead letter %d: %w", number, err)
	}
	if n == 0 {
		return fmt.Errorf("dead letter %d: %w; `recoup webhooks dead` shows those that are there", number, ErrNotFound)
	}
	return nil
}

// ReplayAll has all dead letters of an endpoint tried again, and returns how
// many there are. Those of a disabled endpoint wait until it is enabled.
func (o *Outbox) ReplayAll(ctx context.Context, endpoint string) (int64, error) {
	n, err := o.exec(ctx, replay+` AND endpoint = $2`, o.now().UnixNano(), endpoint)
	if err == nil && n == 0 {
		_, err = o.Endpoint(ctx, endpoint)
	}
	if err != nil {
		return 0, fmt.Errorf("replaying the dead letters of an endpoint: %w", err)
	}
	return n, nil
}

const replay = `UPDATE deliveries SET state = 0, attempts = 0, next_at = $1 WHERE state = 1`
