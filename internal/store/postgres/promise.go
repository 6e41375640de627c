package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNotDurable says that the server does not keep what it acknowledges.
var ErrNotDurable = errors.New("what the server acknowledges may be lost")

// expectDurable asks the server itself, with every connection that is made: after a
// failure it may be another server, and whatever is between here and there may have
// dropped what a session is to be set to. It returns the server's
// synchronous_standby_names, and its timeline.
func expectDurable(ctx context.Context, conn *pgconn.PgConn, settings string) (standbys, timeline string, err error) {
	ask := "SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), " + serverTimeline
	if settings != "" {
		ask = settings + "; " + ask // which is one transaction
	}
	results, err := conn.Exec(ctx, ask).ReadAll()
	if err != nil {
		return "", "", err
	}
	row := results[len(results)-1].Rows[0]
	switch fsync, wholePages, commit := string(row[0]), string(row[1]), string(row[2]); {
	case fsync != "on":
		return "", "", fmt.Errorf("%w: it runs with fsync=off; set fsync=on in its postgresql.conf and restart it", ErrNotDurable)
	case wholePages != "on":
		return "", "", fmt.Errorf("%w: it runs with full_page_writes=off, so a page that is half written when its machine dies stays so; set full_page_writes=on in its postgresql.conf and reload it", ErrNotDurable)
	case commit != "on" && commit != "remote_apply":
		return "", "", fmt.Errorf("%w: commits are not waited for, since synchronous_commit is %s, though on was asked for; is there a pooler that ignores it? see --pg-pooler", ErrNotDurable, commit)
	}
	return string(row[3]), string(row[4]), nil
}

// warning is about a primary that somebody means to replace when it is gone, though no
// other server has to have what it acknowledges. That is no reason to refuse it: the
// names of its standbys may be set in a moment, or the servers may share a disk. It is
// told when it becomes so, and not again while it stays so.
type warning struct {
	tell func(string) // nil: nobody is told
	told atomic.Bool
}

func (w *warning) look(c *pgx.Conn, standbys string) {
	lonely := standbys == "" && several(c.Config())
	if w.told.Swap(lonely) != lonely && lonely && w.tell != nil {
		w.tell(fmt.Sprintf("the URL of the database names several servers, but the primary at %s waits for none of them, since its synchronous_standby_names is empty: "+
			"if another takes its place, events that were acknowledged may be lost", c.PgConn().Conn().RemoteAddr()))
	}
}

// several reports whether a URL names several servers.
func several(c *pgx.ConnConfig) bool {
	for _, f := range c.Fallbacks {
		if f.Host != c.Host || f.Port != c.Port {
			return true
		}
	}
	return false
}

// errUnreplicated: the server was told to wait for its standbys no longer. It says so in a
// warning, and reports the commit as it does any other.
var errUnreplicated = errors.New("the server stopped waiting for its standbys")

// unreplicated is where a connection keeps that it was warned of that.
const unreplicated = "unreplicated"

// hear takes note of a warning. What it says is in the server's language; where it comes
// from is not.
func hear(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[unreplicated] = true
	}
}

// heard returns an error if the connection was warned since it was asked last.
func heard(conn *pgconn.PgConn) error {
	if conn.CustomData()[unreplicated] != true {
		return nil
	}
	delete(conn.CustomData(), unreplicated)
	return errUnreplicated
}
