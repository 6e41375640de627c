package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

func TestManyMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).NewDatabase(t)
	ctx := context.Background()
	before, err := postgres.Status(ctx, url, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(before) < 2 {
		t.Fatalf("migrations are %+v", before)
	}
	for _, m := range before {
		if !m.Applied.IsZero() {
			t.Errorf("an empty database has %+v", m)
		}
	}

	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			d, err := postgres.Open(ctx, url, postgres.Options{Migrate: true, Readers: 2, Writers: 2})
			if err != nil {
				t.Error(err)
				return
			}
			if err := d.Update(ctx, func(tx durable.Tx) error { return post(tx, "acct-1") }); err != nil {
				t.Error(err)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()

	after, err := postgres.Status(ctx, url, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range after {
		if m.Applied.IsZero() || m.Version != int64(i+1) || !strings.HasPrefix(m.Name, fmt.Sprintf("%04d_", m.Version)) {
			t.Errorf("after migrating there is %+v", m)
		}
	}
	expectVersion(t, open(t, url, postgres.Options{}), "acct-1", 4)
}

func TestAnotherSchemaIsRefused(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	ctx := context.Background()
	refused := func(t *testing.T, url string, migrate bool) {
		t.Helper()
		d, err := postgres.Open(ctx, url, postgres.Options{Migrate: migrate})
		if !errors.Is(err, postgres.ErrSchema) || !strings.Contains(err.Error(), "recoup migrate") {
			t.Errorf("Open with Migrate %v: %v", migrate, err)
		}
		if err == nil {
			_ = d.Close()
		}
	}
	url := c.NewDatabase(t)
	t.Run("none", func(t *testing.T) { refused(t, url, false) })

	open(t, url, postgres.Options{Migrate: true})
	direct := connect(t, url)
	t.Run("a newer one", func(t *testing.T) {
		exec(t, direct, `INSERT INTO migrations (version_id, is_applied) VALUES (999, true)`)
		refused(t, url, false)
		refused(t, url, true)
	})
	t.Run("an older one", func(t *testing.T) {
		exec(t, direct, `DELETE FROM migrations WHERE version_id > 1`)
		refused(t, url, false)
	})
}

func TestASessionIsDurableWhateverTheServersDefault(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).NewDatabase(t)
	open(t, url, postgres.Options{Migrate: true})
	exec(t, connect(t, url), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`)
	// It asks itself, with every connection.
	open(t, url, postgres.Options{})
}

func TestAURLMayAskForNoLessOfCommits(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).NewDatabase(t)
	open(t, url+"&synchronous_commit=remote_apply", postgres.Options{Migrate: true})
	for _, less := range []string{"off", "local", "remote_write"} {
		if _, err := postgres.Open(context.Background(), url+"&synchronous_commit="+less, postgres.Options{}); !errors.Is(err, postgres.ErrNotDurable) {
			t.Errorf("Open with %s: %v", less, err)
		}
	}
}

func TestAServerThatDoesNotWriteToDiskIsRefused(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t, "fsync=off") // to see it refused
	if _, err := postgres.Open(context.Background(), c.URL("postgres"), postgres.Options{Migrate: true}); !errors.Is(err, postgres.ErrNotDurable) {
		t.Errorf("Open: %v", err)
	}
}
