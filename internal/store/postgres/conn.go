package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Conn is a connection by itself to a schema, for who makes, looks at or moves it. What a
// session is to be set to is set with each transaction, as if there were a pooler: there
// may be one.
type Conn struct {
	*pgx.Conn
	config   *pgx.ConnConfig
	settings string
}

// ConnectTo connects to a schema; "" is the one that the URL says.
func ConnectTo(ctx context.Context, url, schema string) (*Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	s := map[string]string{"application_name": "recoup shards", "synchronous_commit": "on", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
	if schema != "" {
		s["search_path"] = pgx.Identifier{schema}.Sanitize()
	}
	c := &Conn{config: config, settings: configure(config, true, s)}
	c.Conn, err = pgx.ConnectConfig(ctx, config)
	return c, err
}

// Begin begins a transaction that lasts until it is ended by a statement. A connection
// that was lost, as by giving up a statement, is made again.
func (c *Conn) Begin(ctx context.Context, statement string) (err error) {
	if c.IsClosed() {
		if c.Conn, err = pgx.ConnectConfig(ctx, c.config); err != nil {
			return err
		}
	}
	_, err = c.PgConn().Exec(ctx, statement+";"+c.settings).ReadAll()
	return err
}

// In runs f in a transaction, and commits it unless there is an error.
func (c *Conn) In(ctx context.Context, f func() error) error { return c.in(ctx, begin, f) }

func (c *Conn) in(ctx context.Context, begin string, f func() error) error {
	if err := c.Begin(ctx, begin); err != nil {
		return err
	}
	if err := f(); err != nil {
		if !c.IsClosed() {
			_, _ = c.Exec(context.WithoutCancel(ctx), "ROLLBACK")
		}
		return err
	}
	_, err := c.Exec(ctx, commit)
	return err
}

// At runs f in a transaction on a connection of its own to a schema.
func At(ctx context.Context, url, schema string, f func(*pgx.Conn) error) error {
	return at(ctx, url, schema, begin, f)
}

// look is At for what changes nothing.
func look(ctx context.Context, url, schema string, f func(*pgx.Conn) error) error {
	return at(ctx, url, schema, "BEGIN READ ONLY", f)
}

func at(ctx context.Context, url, schema, begin string, f func(*pgx.Conn) error) error {
	c, err := ConnectTo(ctx, url, schema)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	return c.in(ctx, begin, func() error { return f(c.Conn) })
}

// querier is a connection or a transaction that is asked something.
type querier interface {
	Query(ctx context.Context, statement string, arguments ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, statement string, arguments ...any) pgx.Row
}
