package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"recoup/store/durable"
	"recoup/store/sqlite"
)

// unit does a unit of work that has to succeed.
func unit(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if err := db.Update(context.Background(), oneEach); err != nil {
		t.Fatal(err)
	}
}

// TestFull fills the space that the database may take, makes more of it, and goes
// on. Nothing is lost, and what failed left nothing behind.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recoup.db")
	db := open(t, path, sqlite.Options{Backlog: 40})
	var done int64
	for range 3 {
		if err := db.LimitPages(20); err != nil { // more are in use, so these may not grow
			t.Fatal(err)
		}
		var err error
		for err == nil {
			if err = db.Update(context.Background(), oneEach); err == nil {
				done++
			}
		}
		if !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), "free some space") {
			t.Fatalf("a full database says %v", err)
		}
		expectUnits(t, db, done)
		if err := db.LimitPages(1 << 30); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			unit(t, db)
			done++
		}
		expectUnits(t, db, done)
	}
}

func TestNotADatabase(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path    string
		options sqlite.Options
		want    string
	}{
		"garbage":          {garbage, sqlite.Options{Migrate: true}, "restore it from a backup"},
		"no file":          {filepath.Join(dir, "none.db"), sqlite.Options{}, "recoup migrate"},
		"no folder":        {filepath.Join(dir, "none", "recoup.db"), sqlite.Options{Migrate: true}, "must be writable"},
		"no path":          {"", sqlite.Options{Migrate: true}, "path of a file"},
		"in memory":        {":memory:", sqlite.Options{Migrate: true}, "path of a file"},
		"a folder, itself": {dir, sqlite.Options{Migrate: true}, "must be writable"},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := sqlite.Open(ctx, c.path, c.options)
			if err == nil {
				db.Close()
				t.Fatal("it opens")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %q, want it to say %q", err, c.want)
			}
		})
	}
}

// TestDamaged overwrites pages in the middle of the file.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recoup.db")
	db := open(t, path, sqlite.Options{Backlog: 40})
	for range 60 {
		unit(t, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Seek(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(40 * 4096); at < size; at += 4096 {
		if _, err := f.WriteAt([]byte(strings.Repeat("\xee", 4096)), at); err != nil {
			t.Fatal(err)
		}
	}
	db, err = sqlite.Open(context.Background(), path, sqlite.Options{})
	if err == nil {
		defer db.Close()
		err = db.View(context.Background(), func(r durable.Reader) error {
			return r.EventsOf(context.Background(), "", "", func(*durable.EventRow) error { return nil })
		})
	}
	if err == nil || !strings.Contains(err.Error(), "restore it from a backup") {
		t.Errorf("a damaged file says %v", err)
	}
}

func TestSchemaOfAnotherVersion(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "recoup.db")
	plain, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.Exec(`CREATE TABLE other (x)`); err != nil { // a database without a schema of ours
		t.Fatal(err)
	}
	list, err := sqlite.Status(ctx, path)
	if err != nil || len(list) == 0 || list[0].Version != 1 || list[0].Name != "00001_schema" || !list[0].Applied.IsZero() {
		t.Errorf("before: %+v (%v)", list, err)
	}
	if _, err := sqlite.Open(ctx, path, sqlite.Options{}); err == nil || !strings.Contains(err.Error(), "recoup migrate") {
		t.Errorf("without a schema: %v, want it to tell what to run", err)
	}
	plain.Close()

	if err := sqlite.Migrate(ctx, path); err != nil {
		t.Fatal(err)
	}
	if list, err = sqlite.Status(ctx, path); err != nil || list[0].Applied.IsZero() {
		t.Errorf("after: %+v (%v)", list, err)
	}
	db := open(t, path, sqlite.Options{})
	if _, err := db.DB().Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`); err != nil {
		t.Fatal(err)
	}
	for _, migrate := range []bool{false, true} {
		if _, err := sqlite.Open(ctx, path, sqlite.Options{Migrate: migrate}); err == nil || !strings.Contains(err.Error(), "version 99") {
			t.Errorf("with a newer schema: %v, want it to name the version", err)
		}
	}
}

// TestBackup copies the database while work goes on, and opens the copy.
func TestBackup(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "recoup.db"), sqlite.Options{Backlog: 60})
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := db.Update(ctx, oneEach); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 5 {
		unit(t, db)
		path := filepath.Join(dir, fmt.Sprintf("it's copy %d.db", i))
		if err := db.Backup(ctx, path); err != nil {
			t.Fatal(err)
		}
		if err := db.Backup(ctx, path); err == nil || !strings.Contains(err.Error(), "there already") {
			t.Errorf("over a file that is there: %v", err)
		}
		copied := open(t, path, sqlite.Options{})
		var n int64
		if err := copied.View(ctx, func(r durable.Reader) error {
			row, _, err := r.Account(ctx, "acct-1")
			n = row.Version
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n < int64(i)+1 {
			t.Errorf("the copy has %d units", n)
		}
		expectUnits(t, copied, n)
	}
	close(stop)
	running.Wait()
}

// TestTheJournalIsBounded writes without a pause far more than the write-ahead
// log is meant to hold.
func TestTheJournalIsBounded(t *testing.T) {
	const journal = 256 << 10
	path := filepath.Join(t.TempDir(), "recoup.db")
	db := open(t, path, sqlite.Options{Backlog: 100, Journal: journal})
	var written, largest int64
	for written < 60*journal {
		before := size(t, path+"-wal")
		unit(t, db)
		largest = max(largest, before)
		written += 5 * 4096 // at least
	}
	if largest > 20*journal {
		t.Errorf("the write-ahead log grew to %d bytes while %d were written, want about %d", largest, written, journal)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestSideTablesGetTheirTurn writes to side tables in every way while units of
// work follow each other without a pause.
func TestSideTablesGetTheirTurn(t *testing.T) {
	ctx := context.Background()
	db := open(t, filepath.Join(t.TempDir(), "recoup.db"), sqlite.Options{})
	stop := make(chan struct{})
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := db.Update(ctx, oneEach); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	insert := db.Rebind(`INSERT INTO checks (name, at, result) VALUES ($1, $2, 'ok')`)
	prepared, err := db.DB().Prepare(insert)
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	for i := range 20 {
		if _, err := db.DB().ExecContext(ctx, insert, fmt.Sprint("exec ", i), i); err != nil {
			t.Fatal(err)
		}
		if _, err := prepared.ExecContext(ctx, fmt.Sprint("prepared ", i), i); err != nil {
			t.Fatal(err)
		}
		var at int
		if err := db.DB().QueryRowContext(ctx, insert+` RETURNING at`, fmt.Sprint("query ", i), i).Scan(&at); err != nil || at != i {
			t.Fatalf("RETURNING gives %d (%v)", at, err)
		}
		tx, err := db.DB().BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(ctx, insert, fmt.Sprint("kept ", i), i); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if tx, err = db.DB().BeginTx(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(ctx, insert, fmt.Sprint("dropped ", i), i); err != nil {
			t.Fatal(err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	running.Wait()
	var n int
	if err := db.DB().QueryRow(`SELECT count(*) FROM checks`).Scan(&n); err != nil || n != 80 {
		t.Errorf("%d rows (%v), want 80", n, err)
	}
}

func TestClosed(t *testing.T) {
	ctx := context.Background()
	goroutines := runtime.NumGoroutine()
	path := filepath.Join(t.TempDir(), "recoup.db")
	db := open(t, path, sqlite.Options{})
	for range 10 {
		unit(t, db)
	}
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Update(ctx, oneEach); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("Update after Close: %v", err)
	}
	if err := db.View(ctx, func(durable.Reader) error { return nil }); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("View after Close: %v", err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the write-ahead log is still there: %v", err)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines more than before", n-goroutines)
	}
	// Everything is in its table: other programs can read it.
	plain, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for table, want := range map[string]int{"accounts": 5, "events": 50, "identities": 50, "transactions": 50, "backlog": 0} {
		var n int
		if err := plain.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil || n != want {
			t.Errorf("%s has %d rows (%v), want %d", table, n, err, want)
		}
	}
}
