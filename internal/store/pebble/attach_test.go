package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/store/drivertest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/record"
)

// serving opens a database on the disk and lets others in.
func serving(t *testing.T, dir string) *pebble.DB {
	t.Helper()
	db := onDisk(t, dir)
	door, err := db.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- door.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return db
}

func attach(t *testing.T, dir string) *pebble.Attached {
	t.Helper()
	a, err := pebble.Attach(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return a
}

// around reads everything, and changes records, through the process that holds the
// folder; only accounts are changed by that itself.
type around struct {
	*pebble.Attached
	db  *pebble.DB
	dir string
}

func (a *around) Update(ctx context.Context, f func(durable.Tx) error) error {
	return a.db.Update(ctx, f)
}

// View reads a new checkpoint each time, as what is attached for long has an old one.
func (a *around) View(ctx context.Context, f func(durable.Reader) error) error {
	again, err := pebble.Attach(ctx, a.dir)
	if err != nil {
		return err
	}
	return errors.Join(again.View(ctx, f), again.Close())
}

// TestAttachedDriver runs the conformance suite through the socket.
func TestAttachedDriver(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) durable.Driver {
		dir := filepath.Join(t.TempDir(), "ledger")
		db := serving(t, dir)
		return &around{attach(t, dir), db, dir}
	})
}

func TestAttached(t *testing.T) {
	ctx := context.Background()
	// Longer than the path of a socket may be.
	parent := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "ledger")
	db := serving(t, dir)
	info, err := os.Stat(filepath.Join(dir, "control.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v (%v)", info.Mode(), err)
	}
	a := attach(t, dir)
	unit(t, db)
	if err := a.Update(ctx, oneEach); err == nil || !strings.Contains(err.Error(), "held by another process") {
		t.Errorf("Update: %v", err)
	}
	view := func() (n int64) {
		t.Helper()
		err := a.View(ctx, func(r durable.Reader) error {
			row, _, err := r.Account(ctx, "acct-1")
			n = row.Version
			expectAccount(t, r, "acct-1", n)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := view(); n != 1 {
		t.Errorf("%d units are seen, want 1", n)
	}
	unit(t, db)
	if n := view(); n != 1 {
		t.Errorf("%d units are seen later, want 1: it is one checkpoint", n)
	}
	if err := a.Backup(ctx, filepath.Join(parent, "backup")); err != nil {
		t.Fatal(err)
	}
	if n := expectCopy(t, filepath.Join(parent, "backup", "current")); n != 2 {
		t.Errorf("the backup has %d units, want 2", n)
	}
	if err := a.Checkpoint(ctx, filepath.Join(parent, "copy")); err != nil {
		t.Fatal(err)
	}
	if n := expectCopy(t, filepath.Join(parent, "copy")); n != 2 {
		t.Errorf("the checkpoint has %d units, want 2", n)
	}
	if err := a.Checkpoint(ctx, filepath.Join(parent, "copy")); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("over a folder that is there: %v", err)
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if err := a.View(ctx, func(durable.Reader) error { return nil }); !errors.Is(err, pebble.ErrClosed) {
		t.Errorf("View after Close: %v", err)
	}
}

// TestAttachedToNothing: there is nobody to attach to.
func TestAttachedToNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	if _, err := pebble.Attach(context.Background(), dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder that is not there: %v", err)
	}
	serving(t, dir)
	a := attach(t, dir)
	// The holder goes while somebody reads.
	t.Run("holder", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "ledger")
		db := serving(t, other)
		left := attach(t, other)
		err := left.Read(context.Background(), func(r record.Reader) error {
			if err := db.Close(); err != nil {
				return err
			}
			_, _, err := r.Get(context.Background(), "t", "k")
			return err
		})
		if err == nil || !strings.Contains(err.Error(), other) {
			t.Errorf("the holder has closed: %v", err)
		}
	})
	if err := a.Ping(context.Background()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

// TestAttachedChanges has changes that scan more than one answer, over what they have
// written themselves.
func TestAttachedChanges(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "ledger")
	db := serving(t, dir)
	a := attach(t, dir)
	fill := func(tx record.Tx, step int) {
		for i := 0; i < 1000; i += step {
			tx.Put("t", fmt.Sprintf("%04d", i), []byte("1"))
		}
	}
	if err := db.Change(ctx, func(tx record.Tx) error { fill(tx, 2); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, reversed := range []bool{false, true} {
		times := 0
		err := a.Change(ctx, func(tx record.Tx) error {
			times++
			for i := 1; i < 1000; i += 4 {
				tx.Put("t", fmt.Sprintf("%04d", i), []byte("2"))
			}
			for i := 0; i < 1000; i += 8 {
				tx.Delete("t", fmt.Sprintf("%04d", i))
			}
			if times == 1 { // somebody is quicker
				if err := db.Change(ctx, func(tx record.Tx) error { tx.Put("t", "0500", fmt.Append(nil, reversed)); return nil }); err != nil {
					return err
				}
			}
			var got []string
			err := tx.Scan(ctx, "t", record.Span{From: "0001", Reversed: reversed}, func(key string, _ []byte) (bool, error) {
				got = append(got, key)
				return true, nil
			})
			n, last := 0, ""
			for _, key := range got {
				if last != "" && (key <= last) != reversed {
					t.Errorf("%s comes after %s", key, last)
				}
				last = key
				n++
			}
			if n != 375+250 { // the even ones that are not deleted, and every other odd one
				t.Errorf("%d records, want %d", n, 375+250)
			}
			return err
		})
		if err != nil || times != 2 {
			t.Errorf("a change that somebody came in between was done %d times (%v), want 2", times, err)
		}
	}
}
