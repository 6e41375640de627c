package pebble_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/store/pebble"
)

// onDisk opens a database on the disk.
func onDisk(t *testing.T, dir string) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(context.Background(), dir, small)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

// working does units of work until the test has ended or stop is called.
func working(t *testing.T, db *pebble.DB) (stop func()) {
	enough := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-enough:
				return
			default:
			}
			if err := db.Update(context.Background(), oneEach); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return func() {
		close(enough)
		running.Wait()
	}
}

// expectCopy opens a copy, wants it to be whole, and returns how many units it has.
func expectCopy(t *testing.T, dir string) int64 {
	t.Helper()
	db, err := pebble.Open(context.Background(), dir, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := units(t, db)
	expectUnits(t, db, n)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCheckpoint(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := onDisk(t, filepath.Join(dir, "ledger"))
	defer working(t, db)()
	for _, name := range []string{"one", "two", "three"} {
		for range 20 {
			unit(t, db)
		}
		path := filepath.Join(dir, name)
		least := units(t, db)
		if err := db.Checkpoint(ctx, path); err != nil {
			t.Fatal(err)
		}
		if err := db.Checkpoint(ctx, path); err == nil || !strings.Contains(err.Error(), "there already") {
			t.Errorf("over a folder that is there: %v", err)
		}
		if n := expectCopy(t, path); n < least {
			t.Errorf("the copy has %d units, want at least %d", n, least)
		}
	}
	if err := db.Checkpoint(ctx, filepath.Join(dir, "none", "copy")); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a typo has made a folder")
	}
}

// TestBackup brings a backup up to date while work goes on, and opens it each time. What
// opening it writes does not get into later copies.
func TestBackup(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := onDisk(t, filepath.Join(dir, "ledger"))
	stop := working(t, db)
	target := filepath.Join(dir, "backup")
	for pass := range 6 {
		for range 30 {
			unit(t, db)
		}
		least := units(t, db)
		if err := db.Backup(ctx, target); err != nil {
			t.Fatal(err)
		}
		current := filepath.Join(target, "current")
		if n := expectCopy(t, current); n < least {
			t.Errorf("the backup has %d units, want at least %d", n, least)
		}
		if pass%2 == 1 { // somebody goes on with the copy
			copied, err := pebble.Open(ctx, current, small)
			if err != nil {
				t.Fatal(err)
			}
			for range 40 {
				unit(t, copied)
			}
			if err := copied.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop()
	if err := db.Backup(ctx, target); err != nil {
		t.Fatal(err)
	}
	if n, want := expectCopy(t, filepath.Join(target, "current")), units(t, db); n != want {
		t.Errorf("the backup has %d units, the ledger %d", n, want)
	}
	names, err := os.ReadDir(target)
	if err != nil || len(names) != 2 {
		t.Errorf("the backup has %v (%v), want a link and a copy", names, err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "ledger", "snapshots"))
	if err != nil || len(left) > 0 {
		t.Errorf("snapshots that nobody reads: %v (%v)", left, err)
	}
}

// TestBackupLinks copies tables once.
func TestBackupLinks(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := onDisk(t, filepath.Join(dir, "ledger"))
	target := filepath.Join(dir, "backup")
	for range 200 {
		unit(t, db)
	}
	table := func() os.FileInfo {
		t.Helper()
		if err := db.Backup(ctx, target); err != nil {
			t.Fatal(err)
		}
		tables, err := filepath.Glob(filepath.Join(target, "current", "*.sst"))
		if err != nil || len(tables) == 0 {
			t.Fatal("the backup has no tables", err)
		}
		info, err := os.Stat(tables[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := table()
	if second := table(); first.Name() != second.Name() || !os.SameFile(first, second) {
		t.Errorf("%s was copied again", first.Name())
	}
}

// TestBackupOfAnother: what is not a backup of this ledger is left alone.
func TestBackupOfAnother(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	one, two := onDisk(t, filepath.Join(dir, "one")), onDisk(t, filepath.Join(dir, "two"))
	unit(t, one)
	target := filepath.Join(dir, "backup")
	if err := one.Backup(ctx, target); err != nil {
		t.Fatal(err)
	}
	photos := filepath.Join(dir, "photos")
	if err := os.MkdirAll(filepath.Join(photos, "2026"), 0o700); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		target:                           "another ledger",
		photos:                           "is no backup: it has 2026",
		filepath.Join(dir, "one"):        "is no backup",
		filepath.Join(dir, "none", "it"): "no such file",
	} {
		before := everyFile(t, target)
		if err := two.Backup(ctx, target); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
		if after := everyFile(t, target); after != before {
			t.Errorf("%s: there was\n%s\nand then\n%s", target, before, after)
		}
	}
	if n := expectCopy(t, filepath.Join(target, "current")); n != 1 {
		t.Errorf("the backup has %d units", n)
	}
}

// TestFollow keeps a backup up to date until it is told to stop.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	db := onDisk(t, filepath.Join(dir, "ledger"))
	ctx, cancel := context.WithCancel(context.Background())
	passes, ended := make(chan error), make(chan error, 1)
	target := filepath.Join(dir, "backup")
	go func() { ended <- db.Follow(ctx, target, time.Millisecond, func(err error) { passes <- err }) }()
	for range 3 {
		unit(t, db)
		for range 2 { // of which the second has begun after the unit
			if err := <-passes; err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	for running := true; running; {
		select {
		case <-passes:
		case <-ended:
			running = false
		}
	}
	if n := expectCopy(t, filepath.Join(target, "current")); n != 3 {
		t.Errorf("the backup has %d units, want 3", n)
	}
}
