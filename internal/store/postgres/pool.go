package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pool is connections that are set up alike.
type pool struct {
	*pgxpool.Pool
	// pooler: between here and the server, transactions are handed out to server
	// processes one by one. Nothing is prepared, and what a session is to be set to is
	// set with each transaction instead, by settings.
	pooler   bool
	settings string
	// statementTimeout is what statement_timeout is set to.
	statementTimeout time.Duration
	guard            exchange // what each transaction begins with; see Identity
	shared           bool     // the connections are of others too; see Server
}

// connectWithin is how long connecting to one of the hosts of a URL may take, unless the
// URL says (connect_timeout): one that has lost its network does not keep anybody from
// the next.
const connectWithin = 2 * time.Second

// connect makes a pool of connections, for each of which the settings hold. made is called
// with each that is made, and what the server calls the standbys that it waits for.
func connect(ctx context.Context, url string, connections int, o Options, dial pgconn.DialFunc, settings map[string]string, made func(c *pgx.Conn, standbys string)) (*pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections)
	config.ConnConfig.DialFunc = dial
	if o.Idle > 0 {
		config.MaxConnIdleTime = o.Idle
	}
	p := &pool{pooler: o.Pooler, settings: configure(config.ConnConfig, o.Pooler, settings), statementTimeout: o.StatementTimeout}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		arrays(conn)
		standbys, timeline, err := expectDurable(ctx, conn.PgConn(), p.settings)
		if err == nil {
			conn.PgConn().CustomData()[timelineOf] = timeline
			made(conn, standbys)
		}
		return err
	}
	if p.Pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if o.Idle > 0 {
		return p, nil // whoever needs one makes it
	}
	if err := p.Ping(ctx); err != nil {
		p.Close()
		return nil, explained(err, o.Pooler)
	}
	return p, nil
}

// explained says what to do about a pooler that nobody has mentioned: it refuses what a
// session is to be set to.
func explained(err error, pooler bool) error {
	var refusal *pgconn.PgError
	if !pooler && errors.As(err, &refusal) && refusal.Code == "08P01" && strings.Contains(refusal.Message, "startup parameter") {
		return fmt.Errorf("%w; if there is a pooler such as pgbouncer at this address, say so with --pg-pooler", err)
	}
	return err
}

// configure has connections set up when they are opened or, behind a pooler, returns the
// statement that sets up a transaction.
func configure(c *pgx.ConnConfig, pooler bool, settings map[string]string) (statement string) {
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectWithin
	}
	c.OnNotice = hear
	for name, value := range settings {
		// Of commits a URL may ask for more than is asked for here; see expectDurable.
		if _, asked := c.RuntimeParams[name]; !asked || name != "synchronous_commit" {
			c.RuntimeParams[name] = value
		}
	}
	if !pooler {
		return ""
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	c.StatementCacheCapacity, c.DescriptionCacheCapacity = 0, 0
	each := make(map[string]string)
	for name, value := range c.RuntimeParams {
		switch name {
		case "application_name", "client_encoding", "options":
			continue // a pooler knows these, or refuses them for a reason of its own
		}
		each[name] = value
		delete(c.RuntimeParams, name)
	}
	return set(each)
}

// set is the statement that sets up a transaction.
func set(settings map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if name != "application_name" {
			list = append(list, fmt.Sprintf("set_config(%s, %s, true)", quote(name), quote(settings[name])))
		}
	}
	return "SELECT " + strings.Join(list, ", ")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// begin is what begins a transaction.
func (p *pool) begin(statement string) (x exchange) {
	x.do(statement)
	if p.pooler {
		x.do(p.settings)
	}
	return append(x, p.guard...)
}

// session is what every session is set to.
func session(o Options) map[string]string {
	s := map[string]string{
		"application_name": "recoup",
		// A commit that is reported is on disk, whatever the server's default is, and
		// with synchronous standbys on as many of theirs as the server is told to wait
		// for.
		"synchronous_commit": "on",
		"statement_timeout":  milliseconds(o.StatementTimeout),
		"lock_timeout":       milliseconds(recordsPatience),
	}
	watchClient(s, o.Pooler)
	if o.Schema != "" {
		s["search_path"] = pgx.Identifier{o.Schema}.Sanitize()
	}
	return s
}

// writerSession is what a session for units of work is set to.
func writerSession(o Options) map[string]string {
	s := session(o)
	s["lock_timeout"] = milliseconds(o.LockTimeout)
	s["idle_in_transaction_session_timeout"] = milliseconds(hung)
	// See the package's documentation: look rows up by key, always.
	s["plan_cache_mode"] = "force_generic_plan"
	for _, way := range []string{"seqscan", "hashjoin", "mergejoin"} {
		s["enable_"+way] = "off"
	}
	// Compiling a statement takes longer than running it.
	s["jit"] = "off"
	return s
}
