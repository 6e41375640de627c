package open

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/shards"
)

// Migration is a step of a schema, or the format of a folder.
type Migration struct {
	Schema string // of a ledger that has several
	durable.Migration
}

// Migrations lists the steps of all schemas of a database, home's first, and changes
// nothing.
func (d *Database) Migrations(ctx context.Context) (steps []Migration, err error) {
	at, err := parsePlace(d.Name)
	if err != nil {
		return nil, err
	}
	schemas := []shards.Shard{{Number: postgres.Home, Place: shards.Place{URL: at.url}}}
	if at.file != "" {
		f, err := shards.ReadFile(at.file)
		if err != nil {
			return nil, err
		}
		schemas = append([]shards.Shard{{Number: postgres.Home, Place: f.Home}}, f.Shards...)
	}
	for _, s := range schemas {
		var list []durable.Migration
		if at.folder != "" {
			list, err = pebble.Status(at.folder)
		} else {
			list, err = postgres.Status(ctx, s.URL, s.Schema)
		}
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			steps = append(steps, Migration{s.Schema, m})
		}
	}
	return steps, nil
}
