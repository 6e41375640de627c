package run

import (
	"context"
	"errors"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"recoup/internal/service/observe"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
	"recoup/internal/store/pebble"
)

// writable is the check whether the database takes changes. It writes, since a database
// that answers may be one that keeps nothing: on a full disk, or as somebody's standby.
func (s *service) writable(ctx context.Context) error {
	err := s.db.TryWrite(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, durable.ErrPart): // those of the other shards are served
		return &observe.Degraded{Err: err}
	}
	return &observe.Unready{Reason: whyNot(err), Err: err}
}

// whyNot says in general words why nothing can be written.
func whyNot(err error) string {
	var refusal *pgconn.PgError
	errors.As(err, &refusal)
	switch {
	case errors.Is(err, pebble.ErrGone):
		return "its files have been deleted"
	case errors.Is(err, pebble.ErrFull), errors.Is(err, syscall.ENOSPC), refusal != nil && refusal.Code == "53100":
		return "no space is left on its disk"
	case errors.Is(err, syscall.EROFS), refusal != nil && refusal.Code == "25006":
		return "it takes no changes: it is read-only, or a standby"
	case refusal != nil && refusal.Code == "55P03":
		return "somebody has locked it"
	case errors.Is(err, context.DeadlineExceeded):
		return "a write takes too long"
	case open.NotUp(err):
		return "it cannot be reached"
	}
	return "it cannot be written"
}
