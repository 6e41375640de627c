package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/observe"
	"recoup/reward"
	"recoup/store/durable"
)

// maxParked bounds how many parked refunds the metrics count.
const maxParked = 10_000

// figures reads what the metrics show of the database as a whole.
func (s *service) figures(ctx context.Context) (f observe.Figures, err error) {
	totals, err := s.store.Totals(ctx)
	if err != nil {
		return f, err
	}
	f.Money = make(map[string]observe.Money, len(totals))
	for currency, t := range totals {
		f.Accounts += t.Accounts
		f.Money[currency] = observe.Money{Balance: t.Balance, Debt: t.Debt, Held: t.Held}
	}
	var place durable.ReviewPlace
	for more := true; more && f.Parked < maxParked; {
		var list []durable.ReviewView
		list, place, more, err = s.store.Reviews(ctx, durable.ReviewFilter{Kind: reward.WaitsForTransaction}, place, 500)
		if err != nil {
			return f, err
		}
		if f.Parked += int64(len(list)); f.ParkedSince.IsZero() && len(list) > 0 {
			f.ParkedSince = list[0].Since.Time()
		}
	}
	err = s.driver.DB().QueryRowContext(ctx, `SELECT count(CASE WHEN state = 0 THEN 1 END), count(CASE WHEN state = 1 THEN 1 END) FROM deliveries`).
		Scan(&f.DeliveriesDue, &f.DeliveriesDead)
	if err != nil {
		return f, err
	}
	f.Violations, f.Verified, err = lastVerify(ctx, s.driver)
	return f, err
}

// lastVerify reads what the last `recoup verify` found, and when; a zero time if
// there was none.
func lastVerify(ctx context.Context, d durable.Driver) (differences int64, at time.Time, err error) {
	var when int64
	var result string
	err = d.DB().QueryRowContext(ctx, `SELECT at, result FROM checks WHERE name = 'verify'`).Scan(&when, &result)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, time.Time{}, nil
	}
	if err != nil {
		return 0, time.Time{}, err
	}
	var summary struct {
		Count int64 `json:"difference_count"`
	}
	if err := json.Unmarshal([]byte(result), &summary); err != nil {
		return 0, time.Time{}, fmt.Errorf("reading the result of the last verify: %w", err)
	}
	return summary.Count, reward.Instant(when).Time(), nil
}
