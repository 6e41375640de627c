package postgres_test

import (
	"context"
	"testing"

	"recoup/internal/pgtest"
	"recoup/store/drivertest"
	"recoup/store/durable"
	"recoup/store/postgres"
)

func open(t testing.TB, url string, o postgres.Options) *postgres.DB {
	t.Helper()
	d, err := postgres.Open(context.Background(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestDriver(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) durable.Driver {
		return open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	})
}
