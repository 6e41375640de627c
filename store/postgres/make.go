package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrTaken: a schema that is to be made is there, and is somebody's.
var ErrTaken = errors.New("the schema is there already")

// Peek says whose a schema is; ok is false if it is nobody's. It changes nothing.
func Peek(ctx context.Context, url, schema string) (k Kept, ok bool, err error) {
	err = look(ctx, url, schema, func(tx pgx.Tx) error {
		var name *string
		var there bool
		err := tx.QueryRow(ctx, `SELECT current_schema()::TEXT, to_regclass(quote_ident(current_schema()) || '.shard') IS NOT NULL`).Scan(&name, &there)
		switch {
		case err != nil:
			return err
		case name == nil:
			return fmt.Errorf("%w: there is no schema %s", ErrSchema, schema)
		case !there:
			return nil
		}
		k, ok, err = ReadKept(ctx, tx)
		return err
	})
	return k, ok, err
}

// Make makes a schema that is part of a ledger, as it is to say of itself. One that says
// so already, because Make was broken off, is finished; any other that has something in it
// is ErrTaken.
func Make(ctx context.Context, url, schema string, as Kept) error {
	conn, err := ConnectTo(ctx, url, schema)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize()); err != nil {
		return err
	}
	var tables, ours int
	err = conn.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE tablename = 'shard') FROM pg_tables WHERE schemaname = current_schema()`).Scan(&tables, &ours)
	if err != nil {
		return err
	}
	if tables > 0 {
		k, is := Kept{}, false
		if ours > 0 {
			if k, is, err = ReadKept(ctx, conn); err != nil {
				return err
			}
		}
		var empty bool
		if ours > 0 && !is {
			if err := conn.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM events) AND NOT EXISTS (SELECT FROM records)`).Scan(&empty); err != nil {
				return err
			}
		}
		if !empty && (!is || k.Identity != as.Identity) {
			return fmt.Errorf("%w: %s", ErrTaken, schema)
		}
	}
	d, err := Open(ctx, url, Options{Schema: schema, Identity: &as.Identity, Migrate: true, Readers: 1, Writers: 1})
	if err != nil {
		return err
	}
	if err := d.Close(); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `INSERT INTO shard (ledger, shard, epoch, closed) VALUES ($1, $2, $3, $4) ON CONFLICT (one) DO NOTHING`, as.Ledger, as.Shard, as.Epoch, as.Closed)
	return err
}

// ConnectTo makes a connection by itself to a schema, for who makes or moves it: directly and not by way of a pooler.
func ConnectTo(ctx context.Context, url, schema string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	configure(config, false, map[string]string{
		"application_name": "recoup shards", "search_path": pgx.Identifier{schema}.Sanitize(), "synchronous_commit": "on",
		"statement_timeout": "0", "idle_in_transaction_session_timeout": "0",
	})
	return pgx.ConnectConfig(ctx, config)
}
