package pebble_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
)

// Nobody is shown what a power failure could still undo: while a commit is on its way to
// the disk, who reads waits for it, whether what they see has it yet or not.
func TestNothingIsShownBeforeItIsOnTheDisk(t *testing.T) {
	for name, read := range map[string]func(ctx context.Context, db durable.Driver, see func(record.Reader) error) error{
		"records": func(ctx context.Context, db durable.Driver, see func(record.Reader) error) error {
			return db.Read(ctx, see)
		},
		"a view": func(ctx context.Context, db durable.Driver, see func(record.Reader) error) error {
			return db.View(ctx, func(r durable.Reader) error { return see(r) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			var slow, synced atomic.Bool
			syncing, let := make(chan struct{}), make(chan struct{})
			disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Kind == errorfs.OpFileSyncData && strings.HasSuffix(op.Path, ".log") && slow.CompareAndSwap(true, false) {
					close(syncing)
					<-let
					synced.Store(true)
				}
				return nil
			}))
			db := pebbletest.OpenOn(t, disk, "ledger")
			slow.Store(true)
			written := make(chan error, 1)
			go func() {
				written <- db.Change(ctx, func(tx record.Tx) error { tx.Put("t", "k", []byte("1")); return nil })
			}()
			<-syncing
			seen := make(chan error, 1)
			go func() {
				seen <- read(ctx, db, func(r record.Reader) error {
					_, there, err := r.Get(ctx, "t", "k")
					if there && !synced.Load() {
						t.Error("it is shown before it is on the disk")
					}
					return err
				})
			}()
			// Who gives up waiting is shown nothing.
			brief, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			err := read(brief, db, func(record.Reader) error {
				t.Error("something is shown although a commit is on its way")
				return nil
			})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("reading meanwhile ends with %v", err)
			}
			close(let)
			for _, c := range []chan error{written, seen} {
				if err := <-c; err != nil {
					t.Fatal(err)
				}
			}
			err = read(ctx, db, func(r record.Reader) error {
				if _, there, err := r.Get(ctx, "t", "k"); err != nil || !there {
					t.Errorf("in the end it is there: %v, error %v", there, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
