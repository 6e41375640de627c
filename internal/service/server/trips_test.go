package server_test

import (
	"context"
	"sync/atomic"
	"testing"

	"recoup/internal/store/durable"
)

// watched counts the exchanges about accounts with a database.
type watched struct {
	durable.Driver
	trips atomic.Int64
}

func (w *watched) View(ctx context.Context, f func(durable.Reader) error) error {
	w.trips.Add(1)
	return w.Driver.View(ctx, f)
}

func (w *watched) Update(ctx context.Context, f func(durable.Tx) error) error {
	w.trips.Add(1)
	return w.Driver.Update(ctx, f)
}

// Somebody who redeems waits for one exchange with the database, not for one that looks
// whether there is an account, one that decides and one that reads what was decided.
func TestACommandIsOneTrip(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions, "key-0001", `{"amount":100,"currency":"USD"}`).is(201) // the account is known from now on
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{redemptions, `{"redemption":"r2","amount":100,"currency":"USD"}`, 201},
		{redemptions, `{"amount":900,"currency":"USD"}`, 409},
		{redemptions + "/r2/reversal", ``, 201},
		{"/v1/accounts/acct/adjustments", `{"amount":5,"currency":"USD","reason":"late"}`, 201},
	} {
		before := f.db.trips.Load()
		f.command(c.path, "key-for-"+c.path+c.body[:min(len(c.body), 20)], c.body).is(c.status)
		if n := f.db.trips.Load() - before; n != 1 {
			t.Errorf("%s %s: %d trips", c.path, c.body, n)
		}
	}
}
