package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrTaken says that a schema that is to be made is there, and is somebody's.
var ErrTaken = errors.New("the schema is there already")

// Peek says whose a schema is; ok is false if it is nobody's. It changes nothing.
func Peek(ctx context.Context, url, schema string) (k Kept, ok bool, err error) {
	err = look(ctx, url, schema, func(c *pgx.Conn) error {
		var name *string
		var there bool
		err := c.QueryRow(ctx, `SELECT current_schema()::TEXT, to_regclass(quote_ident(current_schema()) || '.shard') IS NOT NULL`).Scan(&name, &there)
		switch {
		case err != nil:
			return err
		case name == nil:
			return fmt.Errorf("%w: there is no schema %s", ErrSchema, schema)
		case !there:
			return nil
		}
		k, ok, err = ReadKept(ctx, c)
		return err
	})
	return k, ok, err
}

// Make makes a schema that is part of a ledger, as it is to say of itself. One that says
// so already, because Make was broken off, is finished; any other that has something in it
// is ErrTaken. Pooler: see Options.
func Make(ctx context.Context, url, schema string, as Kept, pooler bool) error {
	if err := At(ctx, url, schema, func(c *pgx.Conn) error { return claim(ctx, c, schema, as) }); err != nil {
		return err
	}
	d, err := Open(ctx, url, Options{Schema: schema, Identity: &as.Identity, Migrate: true, Pooler: pooler, Readers: 1, Writers: 1})
	if err != nil {
		return err
	}
	if err := d.Close(); err != nil {
		return err
	}
	return At(ctx, url, schema, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, `INSERT INTO shard (ledger, shard, epoch, closed) VALUES ($1, $2, $3, $4) ON CONFLICT (one) DO NOTHING`, as.Ledger, as.Shard, as.Epoch, as.Closed)
		return err
	})
}

// claim makes a schema that is not there, and refuses one that is somebody else's.
func claim(ctx context.Context, c *pgx.Conn, schema string, as Kept) error {
	if _, err := c.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize()); err != nil {
		return err
	}
	var tables, ours int
	err := c.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE tablename = 'shard') FROM pg_tables WHERE schemaname = current_schema()`).Scan(&tables, &ours)
	if err != nil || tables == 0 {
		return err
	}
	k, is, empty := Kept{}, false, false
	if ours > 0 {
		if k, is, err = ReadKept(ctx, c); err == nil && !is {
			err = c.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM events) AND NOT EXISTS (SELECT FROM records)`).Scan(&empty)
		}
	}
	if err == nil && !empty && (!is || k.Identity != as.Identity) {
		err = fmt.Errorf("%w: %s", ErrTaken, schema)
	}
	return err
}
