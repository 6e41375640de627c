package postgres

import (
	"context"
	"fmt"
	"strconv"
)

// serverTimeline is the timeline that a server writes, in hexadecimal digits; 0 if it
// writes none, as it is a standby.
const serverTimeline = `CASE WHEN pg_is_in_recovery() THEN '0' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END`

// timelineOf is where a connection keeps its server's timeline. A server gets another one
// only when it is promoted, and has closed all connections that could write before that.
const timelineOf = "timeline"

// Timeline implements durable.Tx: the server's, of the place of the shard. By way of a
// pooler it is asked for, since the server behind a connection may be another one each time.
func (t *tx) Timeline(ctx context.Context) (int64, error) {
	digits, _ := t.conn.Conn().PgConn().CustomData()[timelineOf].(string)
	if t.pool.pooler {
		if err := t.ask(ctx, "SELECT "+serverTimeline, nil, func(v row) { digits = text(v[0]) }); err != nil {
			return 0, err
		}
	}
	line, err := strconv.ParseInt(digits, 16, 64)
	if err != nil {
		return 0, fmt.Errorf("the server's timeline is %q", digits)
	}
	if line > 0 {
		line |= t.epoch << 32
	}
	return line, nil
}
