package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"recoup/internal/store/durable"
)

// explained says what to do about an error of opening a database.
func explained(err error) error {
	var refusal *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refusal) && strings.HasPrefix(refusal.Code, "28"):
		return fmt.Errorf("--db: the database lets nobody in as this user: %s; check the user and password of the URL", refusal.Message)
	case errors.As(err, &refusal) && refusal.Code == "3D000":
		return fmt.Errorf("--db: %s; make it with createdb, or name another one", refusal.Message)
	case NotUp(err):
		return fmt.Errorf("--db: the database cannot be reached: %s; start it, or check the host and port of the URL", inOneLine(err))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("--db: no space is left on the disk: %w; free some and start again", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("--db: it cannot be written: %w; let this user write there, or name another folder", err)
	}
	return err
}

// NotUp reports whether a database could not be opened since its server is not there, or
// not ready: it may be in a moment.
func NotUp(err error) bool {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		return strings.HasPrefix(refusal.Code, "57P") || strings.HasPrefix(refusal.Code, "53") || strings.HasPrefix(refusal.Code, "08")
	}
	return errors.As(err, new(*pgconn.ConnectError))
}

// inOneLine is an error of several attempts in one line, each cause once.
func inOneLine(err error) string {
	var causes []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.Trim(line, " \t\n:"); line != "" && !slices.Contains(causes, line) {
			causes = append(causes, line)
		}
	}
	return strings.Join(causes, ": ")
}

// Await is OrMake for a service: one that may not be up yet is waited for, and the log is
// told what may cost it events.
func (d *Database) Await(ctx context.Context, wait time.Duration, log *slog.Logger) (*durable.Database, error) {
	until := time.Now().Add(wait)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		opened, err := d.make(ctx, func(what string) { log.Warn(what) })
		if err == nil || !NotUp(err) || time.Now().Add(pause).After(until) || ctx.Err() != nil {
			return opened, explained(err)
		}
		if pause == 100*time.Millisecond {
			log.Warn("the database is not up yet and is waited for", "error", inOneLine(err), "for", wait)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, explained(err)
		}
	}
}
