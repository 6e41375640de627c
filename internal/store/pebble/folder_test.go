package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/record"
)

// TestNotALedger opens what is none. It is refused in a sentence that names it, and
// nothing is made.
func TestNotALedger(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("file.db", "SQLite format 3\x00")
	write("photos/one.jpg", "a photo")
	write("later/recoup.json", `{"format":3}`)
	write("garbled/recoup.json", `{"form`)
	write("zero/recoup.json", `{}`)
	write("gutted/recoup.json", `{"format":2}`) // of which all else was removed
	if err := os.Mkdir(in("empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path   string
		create bool
		want   string
	}{
		{"", false, "has no name"},
		{in("none"), false, "is not there"},
		{in("none/ledger"), true, "no folder " + in("none")},
		{in("none/ledger"), false, "is not there"},
		{in("file.db"), true, "is a file"},
		{in("file.db/ledger"), true, "file.db"},
		{in("photos"), true, "is no ledger"},
		{in("photos"), false, "is no ledger"},
		{in("empty"), false, "empty folder"},
		{in("later"), true, "format 3, and this version of recoup has format 2"},
		{in("garbled"), true, "which format"},
		{in("zero"), true, "which format"},
		{in("gutted"), true, "does not exist"},
	} {
		t.Run(fmt.Sprintf("%s, create %v", strings.TrimPrefix(c.path, dir), c.create), func(t *testing.T) {
			before := everyFile(t, dir)
			db, err := pebble.Open(context.Background(), c.path, pebble.Options{Create: c.create})
			if err == nil {
				db.Close()
				t.Fatal("it opens")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want one sentence with %q", err, c.want)
			}
			if after := everyFile(t, dir); after != before {
				t.Errorf("there was\n%s\nand then\n%s", before, after)
			}
		})
	}
}

// everyFile lists a folder, but for the lock, which has to be there to be taken.
func everyFile(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Name() != "LOCK" {
			fmt.Fprintln(&list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

// TestHeld opens a folder that is open: in this process, under another name, and from
// another one.
func TestHeld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	cmd, lines := process(t, dir, 1<<30)
	for range 2 {
		if !lines.Scan() {
			t.Fatal("the process ended by itself")
		}
	}
	expectHeld(t, dir, fmt.Sprintf("process %d on ", cmd.Process.Pid))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	cmd.Wait()

	// Who died holds nothing.
	db, err := pebble.Open(context.Background(), dir, small)
	if err != nil {
		t.Fatal(err)
	}
	me := fmt.Sprintf("process %d on ", os.Getpid())
	expectHeld(t, dir, me)
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	expectHeld(t, link, me)
	unit(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "holder.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("who closed still holds it: %v", err)
	}
}

func expectHeld(t *testing.T, dir, by string) {
	t.Helper()
	db, err := pebble.Open(context.Background(), dir, small)
	if err == nil {
		db.Close()
		t.Fatal("a folder that is held opens")
	}
	var held *pebble.HeldError
	if !errors.As(err, &held) || !strings.Contains(err.Error(), by) || !strings.Contains(err.Error(), "pebble.test") {
		t.Errorf("the error is %q, want it to say %q", err, by)
	}
}

// TestClosed: Close waits for what is under way, may be called twice, and then nothing
// goes any more.
func TestClosed(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "ledger")
	db, err := pebble.Open(ctx, dir, small)
	if err != nil {
		t.Fatal(err)
	}
	inside, closed := make(chan struct{}), make(chan error, 1)
	err = db.Update(ctx, func(tx durable.Tx) error {
		go func() {
			close(inside)
			closed <- db.Close()
		}()
		<-inside
		if len(closed) > 0 {
			t.Error("Close has not waited")
		}
		return oneEach(tx)
	})
	if err := errors.Join(err, <-closed, db.Close()); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Update": db.Update(ctx, oneEach),
		"View":   db.View(ctx, func(durable.Reader) error { return nil }),
		"Read":   db.Read(ctx, func(record.Reader) error { return nil }),
		"Change": db.Change(ctx, func(record.Tx) error { return nil }),
		"Ping":   db.Ping(ctx),
	} {
		if !errors.Is(err, pebble.ErrClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	if db, err = pebble.Open(ctx, dir, pebble.Options{}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	expectUnits(t, db, 1)
}
