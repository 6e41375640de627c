package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recoup/store/sqlite"
)

// smallDisk mounts a file system of three megabytes, where the system allows it.
func smallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk is the same with a file system that is full, where the system
// allows to mount one.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "recoup.db"), sqlite.Options{Migrate: true, Backlog: 40})
	if err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	var done int64
	for range 3 {
		f, err := os.Create(ballast)
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		f.Close()
		for err = nil; err == nil; {
			if err = db.Update(context.Background(), oneEach); err == nil {
				done++
			}
		}
		if !errors.Is(err, sqlite.ErrFull) {
			t.Fatalf("a full disk is %v", err)
		}
		expectUnits(t, db, done)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			unit(t, db)
			done++
		}
		expectUnits(t, db, done)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReadOnlyDisk opens a database where nothing can be written.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "recoup.db")
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	unit(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("no file system can be made read-only here: %v", err)
	}
	db, err = sqlite.Open(context.Background(), path, sqlite.Options{Migrate: true})
	if err == nil {
		db.Close()
		t.Fatal("it opens")
	}
	if !strings.Contains(err.Error(), "must be writable") {
		t.Errorf("the error is %q", err)
	}
}
