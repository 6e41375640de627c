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

// All of the suite runs on one database, which is emptied for each test: making
// one takes longer than most of the tests.
func TestDriver(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	drivertest.Run(t, func(t *testing.T) durable.Driver {
		empty(t, d)
		return d
	})
}

func empty(t *testing.T, d *postgres.DB) {
	t.Helper()
	_, err := d.DB().Exec(`DO $$
		DECLARE name TEXT;
		BEGIN
			FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'migrations' LOOP
				EXECUTE format('DELETE FROM %I', name);
			END LOOP;
		END $$`)
	if err != nil {
		t.Fatal(err)
	}
}
