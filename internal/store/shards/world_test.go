package shards_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/shards"
	"recoup/program"
	"recoup/reward"
)

// ok fails the test at an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a ledger of some shards in a database of its own.
type world struct {
	testing.TB
	url  string
	file string
}

// newWorld makes a ledger of so many shards.
func newWorld(t testing.TB, count int) *world {
	t.Helper()
	w := &world{t, pgtest.Shared(t).NewDatabase(t), filepath.Join(t.TempDir(), "shards.yaml")}
	plan, err := shards.Plan([]string{w.url}, count, "recoup")
	ok(t, err)
	ok(t, shards.Create(context.Background(), w.file, plan, false))
	return w
}

// read reads the file.
func (w *world) read() *shards.File {
	w.Helper()
	f, err := shards.ReadFile(w.file)
	ok(w, err)
	return f
}

// open opens the ledger as a process does.
func (w *world) open() *durable.Database {
	w.Helper()
	db, err := shards.Open(context.Background(), w.file, w.read(), shards.Options{})
	ok(w, err)
	w.Cleanup(func() { ok(w, db.Close()) })
	return db
}

// store is a store over a database, with the everyday program unless it has one.
func (w *world) store(db *durable.Database, p *reward.Program) *durable.Store {
	w.Helper()
	return newStore(w, db, p)
}

func newStore(t testing.TB, db *durable.Database, p *reward.Program) *durable.Store {
	t.Helper()
	ctx := context.Background()
	parse := func([]byte) (*reward.Program, error) {
		version := *p
		return &version, nil
	}
	programs, err := durable.OpenPrograms(ctx, db, parse, time.Now)
	ok(t, err)
	if _, there := programs.Default(); !there {
		_, _, err = programs.Put(ctx, p.ID, []byte("as the test has it"), 0, "test")
		ok(t, err)
	}
	return durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
}

// direct makes a connection to a schema, to look and to change behind everybody's back.
func (w *world) direct(schema string) *pgx.Conn {
	w.Helper()
	config, err := pgx.ParseConfig(w.url)
	ok(w, err)
	config.RuntimeParams["search_path"] = schema
	conn, err := pgx.ConnectConfig(context.Background(), config)
	ok(w, err)
	w.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (w *world) exec(conn *pgx.Conn, statement string, arguments ...any) {
	w.Helper()
	if _, err := conn.Exec(context.Background(), statement, arguments...); err != nil {
		w.Fatalf("%s: %v", statement, err)
	}
}

func everyday() *reward.Program { return program.Everyday() }

// purchase is a settled purchase of an account.
func purchase(account string, n int) reward.Event {
	return reward.Event{
		Source: "core", ID: fmt.Sprintf("e%d", n), Account: account, Time: reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)) + reward.Instant(n)*1e6,
		Type: reward.TransactionSettled, Transaction: fmt.Sprintf("t%d", n), Amount: 1000, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
}

// empty leaves nothing in the ledger but the ledger.
func (w *world) empty() {
	w.Helper()
	conn := w.direct("recoup")
	defer conn.Close(context.Background())
	w.exec(conn, `DO $$
		DECLARE t RECORD;
		BEGIN
			FOR t IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'recoup%' AND tablename NOT IN ('migrations', 'shard', 'records') LOOP
				EXECUTE format('DELETE FROM %I.%I', t.schemaname, t.tablename);
			END LOOP;
			FOR t IN SELECT schemaname FROM pg_tables WHERE schemaname LIKE 'recoup%' AND tablename = 'records' LOOP
				EXECUTE format('DELETE FROM %I.records WHERE tab <> ''shards''', t.schemaname);
			END LOOP;
		END $$`)
}
