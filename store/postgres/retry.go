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

	"recoup/store/durable"
)

// ErrOutcomeUnknown: the connection was lost while a transaction was being
// committed. Sending the same events again is safe, and tells.
var ErrOutcomeUnknown = errors.New("the connection to the database was lost during a commit, so whether it was done is unknown: send the same events again")

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
func uncommitted(err error) error {
	var refusal *pgconn.PgError
	switch {
	case errors.As(err, &refusal) && refusal.SeverityUnlocalized == "ERROR":
		return refused(refusal, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return lost(err)
}

// afterCommit classifies an error of an exchange that ended with a commit. The
// server stops at the first statement that it refuses, so an ERROR says that the
// commit was not done. Anything else, a FATAL among it, leaves that open.
func afterCommit(err error) error {
	var refusal *pgconn.PgError
	switch {
	case errors.As(err, &refusal) && refusal.SeverityUnlocalized == "ERROR":
		return refused(refusal, err)
	case pgconn.SafeToRetry(err), errors.As(err, new(pgx.ErrPreprocessingBatch)):
		return uncommitted(err) // it was never sent
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}

func refused(refusal *pgconn.PgError, err error) error {
	switch refusal.Code {
	case serializationFailure, deadlockDetected:
		return temporary{err}
	case uniqueViolation, versionConflict:
		return fmt.Errorf("%w: %w", durable.ErrConflict, err)
	}
	return err
}

// lost is an error of the connection, or of making one: the server may be
// starting again. One that says that this client is not welcome is final.
func lost(err error) error {
	var refusal *pgconn.PgError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &refusal) && (strings.HasPrefix(refusal.Code, "28") || strings.HasPrefix(refusal.Code, "3D")):
		return err
	}
	return temporary{fmt.Errorf("the database cannot be reached: %w", err)}
}
