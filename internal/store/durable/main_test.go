package durable_test

import (
	"testing"

	"recoup/internal/kit/draws"
	"recoup/internal/kit/inmemory"
)

// What crashes and disks do to a database is for the tests of package pebble and postgres.
func TestMain(m *testing.M) {
	inmemory.Files()
	draws.Main(m, 40)
}
