package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Server is connections to a server that several schemas there have together, for
// everything but units of work. Each transaction says which schema it is of, so that
// nothing is prepared on them: reading costs somewhat more processor time than on
// connections of one's own, and there need not be some for each of hundreds of schemas.
type Server struct{ pool *pool }

// Connect connects to the server with a URL, with up to so many connections. Of Options
// the timeouts matter alone.
func Connect(ctx context.Context, url string, connections int, o Options) (*Server, error) {
	o.StatementTimeout = cmp.Or(o.StatementTimeout, time.Minute)
	o.Pooler, o.Schema = true, ""
	p, err := connect(ctx, url, connections, o, new(dialer).dial, session(o), (&warning{tell: o.Warn}).look)
	if err != nil {
		return nil, err
	}
	return &Server{p}, nil
}

// Close closes the connections, after what runs on them has ended.
func (s *Server) Close() { s.pool.Close() }

// readers are the connections that a schema reads on.
func readers(ctx context.Context, url string, o Options, dial pgconn.DialFunc, made func(c *pgx.Conn, standbys string)) (*pool, error) {
	if o.Reading == nil {
		return connect(ctx, url, cmp.Or(o.Readers, 8), o, dial, session(o), made)
	}
	return &pool{Pool: o.Reading.pool.Pool, pooler: true, settings: set(session(o)), statementTimeout: o.StatementTimeout, shared: true}, nil
}
