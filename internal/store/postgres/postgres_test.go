package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/drivertest"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
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

// connect makes a connection of our own, to look and to change behind the driver's back.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// number asks for a number.
func number(t testing.TB, conn *pgx.Conn, statement string) (n int64) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), statement).Scan(&n); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return n
}

// suite runs the conformance suite. All of it runs on one database, which is emptied for
// each test: making one takes longer than most of the tests.
func suite(t *testing.T, d *postgres.DB, direct *pgx.Conn) {
	drivertest.Run(t, func(t *testing.T) durable.Driver {
		exec(t, direct, `DO $$
			DECLARE name TEXT;
			BEGIN
				FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'migrations' LOOP
					EXECUTE format('DELETE FROM %I', name);
				END LOOP;
			END $$`)
		return d
	})
}

func TestDriver(t *testing.T) {
	url := pgtest.NewSchema(t)
	suite(t, open(t, url, postgres.Options{Migrate: true}), connect(t, url))
}
