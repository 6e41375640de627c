package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/pebble"
	"recoup/internal/store/record"
)

// TestCrashes has the power fail while units of work are done, again and again. Of what
// was not synced, some is on the disk and some is not. Every unit that was acknowledged
// is there, whole, and none besides but one that was at hand.
func TestCrashes(t *testing.T) {
	disks := uint64(1)
	if os.Getenv("RECOUP_LONG") == "1" {
		disks = 60
	}
	for n := range disks {
		seed := uint64(os.Getpid())<<8 + n
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { crashes(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func crashes(t *testing.T, random *rand.Rand) {
	disk := vfs.NewCrashableMem()
	var done int64
	for crash := range 20 {
		before, after, left := workUntilCrash(t, disk, done, random)
		disk = left
		db := openSmall(t, disk)
		done = units(t, db)
		if done < before || done > after {
			t.Fatalf("after crash %d there are %d units, want %d to %d", crash, done, before, after)
		}
		expectUnits(t, db, done)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

func openSmall(t *testing.T, fs vfs.FS) *pebble.DB {
	t.Helper()
	o := small
	o.FS = fs
	db, err := pebble.Open(context.Background(), "ledger", o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// workUntilCrash does units of work until the power fails in the middle of one, or
// between two, and returns what the disk then has, and how many units were acknowledged
// before that, and begun.
func workUntilCrash(t *testing.T, disk *vfs.MemFS, done int64, random *rand.Rand) (before, after int64, left *vfs.MemFS) {
	t.Helper()
	db := openSmall(t, disk)
	var begun, acknowledged atomic.Int64
	begun.Store(done)
	acknowledged.Store(done)
	goal := done + 1 + int64(random.IntN(60))
	reached, enough, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-enough:
				ended <- nil
				return
			default:
			}
			begun.Add(1)
			if err := db.Update(context.Background(), oneEach); err != nil {
				ended <- err
				return
			}
			if acknowledged.Add(1) == goal {
				close(reached)
			}
		}
	}()
	select {
	case <-reached:
	case err := <-ended:
		t.Fatal(err)
	}
	before = acknowledged.Load()
	left = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: rand.New(rand.NewPCG(random.Uint64(), 2))})
	after = begun.Load()
	close(enough)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return before, after, left
}

// TestNumbersAfterCrash: a number that was given out is not given out again, even if the
// unit of work that had it was never written.
func TestNumbersAfterCrash(t *testing.T) {
	disk := vfs.NewCrashableMem()
	var highest int64
	for range 5 {
		db := openSmall(t, disk)
		numbers := numbersOf(t, db, 3)
		if numbers[0] <= highest {
			t.Errorf("number %d is given out after %d", numbers[0], highest)
		}
		highest = numbers[2]
		left := disk.CrashClone(vfs.CrashCloneCfg{})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		disk = left
	}
	// Who closes gives back what was put aside.
	db := openSmall(t, disk)
	first := numbersOf(t, db, 1)[0]
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openSmall(t, disk)
	defer db.Close()
	if second := numbersOf(t, db, 1)[0]; second != first+1 {
		t.Errorf("after %d comes %d", first, second)
	}
}

// TestChangesAfterCrash: a change of records that was acknowledged is there after the
// power failed.
func TestChangesAfterCrash(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	for i := range 20 {
		db := openSmall(t, disk)
		key := string(rune('a' + i))
		if err := db.Change(ctx, func(tx record.Tx) error { tx.Put("t", key, []byte("1")); return nil }); err != nil {
			t.Fatal(err)
		}
		left := disk.CrashClone(vfs.CrashCloneCfg{})
		if err := errors.Join(db.Change(ctx, func(tx record.Tx) error { tx.Put("t", key, []byte("2")); return nil }), db.Close()); err != nil {
			t.Fatal(err)
		}
		disk = left
	}
	db := openSmall(t, disk)
	defer db.Close()
	n := 0
	err := db.Read(ctx, func(r record.Reader) error {
		return r.Scan(ctx, "t", record.Span{}, func(key string, value []byte) (bool, error) {
			if n++; string(value) != "1" {
				t.Errorf("%s is %s, as it was never acknowledged", key, value)
			}
			return true, nil
		})
	})
	if err != nil || n != 20 {
		t.Errorf("%d records (%v), want 20", n, err)
	}
}
