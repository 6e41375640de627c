package pebble_test

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/drivertest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
)

// TestDriver runs the conformance suite in memory and on a disk.
func TestDriver(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) durable.Driver { return pebbletest.Open(t) })
	})
	t.Run("on a disk", func(t *testing.T) {
		t.Parallel() // most of the time it waits for the disk
		drivertest.Run(t, func(t *testing.T) durable.Driver {
			return pebbletest.OpenOn(t, vfs.Default, filepath.Join(t.TempDir(), "ledger"))
		})
	})
}
