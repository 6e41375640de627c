package spill_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
)

func TestADamagedFileIsFound(t *testing.T) {
	rows := table(6, 1_000, 5_000)
	for _, test := range []struct {
		name   string
		damage func(f *os.File, size int64) error
		want   string
	}{
		{"its end is missing", func(f *os.File, size int64) error { return f.Truncate(size / 2) }, "EOF"},
		{"all is missing", func(f *os.File, _ int64) error { return f.Truncate(0) }, "EOF"},
		{"the first bit is wrong", func(f *os.File, _ int64) error { return flip(f, 0) }, "damaged"},
		{"a bit is wrong", func(f *os.File, size int64) error { return flip(f, size/2) }, "damaged"},
		{"it cannot be read", func(f *os.File, _ int64) error { return f.Close() }, "already closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := spill.New(spill.Options{Dir: t.TempDir(), Memory: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := send(s, rows, 1000); err != nil {
				t.Fatal(err)
			}
			file := s.File().Name()
			if err := test.damage(s.File(), s.Size().Disk); err != nil {
				t.Fatal(err)
			}
			err = s.Each(context.Background(), 2, func(int, *history.History) error { return nil })
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, which should name %s and say %q", err, file, test.want)
			}
		})
	}
}

// flip changes one bit of the file.
func flip(f *os.File, at int64) error {
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		return err
	}
	b[0] ^= 0x10
	_, err := f.WriteAt(b[:], at)
	return err
}

func TestAFullDiskIsAnErrorFromThenOn(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, spill.Options{Memory: 1})
	s.SetFile(full)
	expectFull := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
			t.Errorf("%s: %v, want that /dev/full is full", what, err)
		}
	}
	rows := table(7, 1_000, 5_000)
	expectFull("Add", send(s, rows, 1000))
	expectFull("Add of one more", s.Add(rows[:1]))
	expectFull("Each", s.Each(context.Background(), 2, func(int, *history.History) error {
		t.Error("rows came out though some are lost")
		return nil
	}))
}

func TestAFolderThatIsNotThereIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	s := open(t, spill.Options{Dir: dir, Memory: 1})
	if err := send(s, table(8, 1_000, 5_000), 1000); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the error is %v, which should name %s", err, dir)
	}
}
