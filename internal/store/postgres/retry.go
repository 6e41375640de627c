package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"recoup/internal/store/durable"
)

// ErrOutcomeUnknown says that a transaction was being committed when the connection was lost, or
// when the server was told not to wait for its standbys. Sending the same events again is
// safe, and tells.
var ErrOutcomeUnknown = errors.New("a commit was not confirmed, so whether it will last is unknown: send the same events again")

const (
	attempts   = 12
	firstPause = 2 * time.Millisecond // at most; doubled each time
	longest    = 250 * time.Millisecond
)

// pause waits before another attempt, at random, so that those who were in each
// other's way do not meet again.
func pause(ctx context.Context, attempt int) error {
	most := min(firstPause<<(attempt-1), longest)
	select {
	case <-time.After(rand.N(most)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The SQLSTATEs that say that another attempt may succeed.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	uniqueViolation      = "23505" // two transactions made the same account
	versionConflict      = "RC001" // ours: see expect_accounts
	shardMoved           = "RC002" // ours: see expect_shard
	readOnly             = "25006" // by another server, or when this one is the primary again
)

// temporary marks an error of an attempt that has left nothing and may succeed
// when it is made again.
type temporary struct{ error }

func (t temporary) Unwrap() error { return t.error }

func retryable(err error) bool {
	return errors.Is(err, durable.ErrConflict) || errors.As(err, new(temporary))
}

// uncommitted classifies an error from before a commit was sent: whatever it is,
// nothing is kept.
func uncommitted(ctx context.Context, err error) error {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) && refusal.SeverityUnlocalized == "ERROR" {
		return refused(refusal, err)
	}
	return lost(ctx, err)
}

// afterCommit classifies an error of an exchange that ended with a commit. The
// server stops at the first statement that it refuses, so an ERROR says that the
// commit was not done. Anything else, a FATAL among it, leaves that open.
func afterCommit(ctx context.Context, err error) error {
	var refusal *pgconn.PgError
	switch {
	case errors.As(err, &refusal) && refusal.SeverityUnlocalized == "ERROR":
		return refused(refusal, err)
	case pgconn.SafeToRetry(err), errors.As(err, new(pgx.ErrPreprocessingBatch)), errors.As(err, new(unsent)):
		return uncommitted(ctx, err) // it was never sent
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}

func refused(refusal *pgconn.PgError, err error) error {
	switch refusal.Code {
	case serializationFailure, deadlockDetected:
		return temporary{err}
	case uniqueViolation, versionConflict:
		return fmt.Errorf("%w: %w", durable.ErrConflict, err)
	case shardMoved:
		return moved(err)
	case readOnly:
		return temporary{unreachable(err)}
	}
	return err
}

// lost is an error of the connection, or of making one: the server may be starting
// again, or a standby of it be about to take its place. One that says that this client
// is not welcome is final, and so is that of a server that is of no use.
func lost(ctx context.Context, err error) error {
	var refusal *pgconn.PgError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrNotDurable), errors.As(err, new(unsent)):
		return err
	case errors.As(err, &refusal) && (strings.HasPrefix(refusal.Code, "28") || strings.HasPrefix(refusal.Code, "3D")):
		return err
	}
	return temporary{unreachable(err)}
}

// errUnreachable: the server cannot be used at the moment.
var errUnreachable = errors.New("the database cannot be reached")

func unreachable(err error) error { return fmt.Errorf("%w: %w", errUnreachable, err) }

// standby reports whether an error says that the server takes no changes any more, or
// not yet: it was the primary when the connection was made, or somebody set it so.
func standby(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.Code == readOnly
}
