// Package cli has what the commands of recoup share: how they end, how they name a
// database, and how they print. The rooms below it have the commands themselves, which are
// flags and calls.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/observe"
	"recoup/internal/service/secrets"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
	"recoup/reward"
)

// The exit codes of every command.
const (
	FailedCheck = 1 // a check that the command exists for has failed
	BadInput    = 2 // bad usage or input
	Violation   = 3 // an invariant of ours is violated
)

// Exit is an error that ends the program with a code other than BadInput.
type Exit struct {
	Code int
	Err  error
}

// Error says what went wrong.
func (e *Exit) Error() string { return e.Err.Error() }

// Unwrap returns why the program ends.
func (e *Exit) Unwrap() error { return e.Err }

// Failed is an error of a check that has failed.
func Failed(format string, args ...any) error {
	return &Exit{FailedCheck, fmt.Errorf(format, args...)}
}

// ExitCode is the code that an error ends the program with.
func ExitCode(err error) int {
	if e := (*Exit)(nil); errors.As(err, &e) {
		return e.Code
	}
	return BadInput
}

// Group is a command that only has others.
func Group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.NoArgs}
	cmd.AddCommand(commands...)
	return cmd
}

// OneArgument wants one argument, and says which where there is not one.
func OneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("expected one argument, %s, found %d", what, len(args))
		}
		return nil
	}
}

// Require says which flags must be given.
func Require(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.MarkFlagRequired(name) // the error is that there is no such flag
	}
}

// Output is a flag of how a result is printed. What is no format is refused before the
// command does anything.
func Output(cmd *cobra.Command) *tabular.Format {
	format := new(tabular.Format)
	cmd.Flags().StringVar((*string)(format), "output", "table", "table or json")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return format
}

// Database is a flag of a database that must be named.
func Database(cmd *cobra.Command) *open.Database {
	db := DatabaseOr(cmd, "")
	Require(cmd, "db")
	return db
}

// DatabaseOr is a flag of a database that has a name unless it is given one.
func DatabaseOr(cmd *cobra.Command, name string) *open.Database {
	db := Named(cmd, name)
	cmd.Flags().StringVar(&db.Name, "db", name, open.Usage)
	return db
}

// Named is a database by name, with the flag of how to reach it. That is no part of a URL,
// since a URL is also what other programs are given.
func Named(cmd *cobra.Command, name string) *open.Database {
	db := &open.Database{Name: name, Log: observe.NewLog(os.Stderr, slog.LevelInfo)}
	cmd.Flags().BoolVar(&db.Pooler, "pg-pooler", false, "PostgreSQL is reached by way of a pooler such as pgbouncer, in transaction mode: prepare nothing, and leave nothing behind in a session")
	return db
}

// SecretsKey is a flag of the file of the keys that secrets are sealed with.
func SecretsKey(cmd *cobra.Command) *string {
	return cmd.Flags().String("secrets-key", "", "file with the keys that secrets in the database are sealed with, the newest first, as recoup secrets new makes it; by default what the environment has as "+secrets.Variable)
}

// With opens a database for as long as something is done with it.
func With(ctx context.Context, db *open.Database, do func(*durable.Database) error) error {
	d, err := db.Open(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d)
}

// WriteFound writes a result that prints as a table by itself, and as JSON as it is.
func WriteFound(w io.Writer, format tabular.Format, found interface{ WriteTable(io.Writer) error }) error {
	return format.Write(w, func(w io.Writer) error { return tabular.WriteJSON(w, found) }, found.WriteTable)
}

// Seconds is a time as lists have it.
func Seconds(at reward.Instant) string { return at.Time().Format(time.RFC3339) }

// SecondsOrNone is a time as lists have it; nil where there is none.
func SecondsOrNone(at reward.Instant) *string {
	if at == 0 {
		return nil
	}
	text := Seconds(at)
	return &text
}

// OrNone is a text as a table has it.
func OrNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// ParseUntil reads the flag --until; "" is zero.
func ParseUntil(s string) (reward.Instant, error) {
	if s == "" {
		return 0, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, fmt.Errorf("--until %q: expected an RFC 3339 time such as 2027-06-01T00:00:00Z", s)
	}
	if t.Before(reward.EarliestInstant.Time()) || t.After(reward.LatestInstant.Time()) {
		return 0, fmt.Errorf("--until %s: expected a time from %s to %s", s, reward.EarliestInstant, reward.LatestInstant)
	}
	return reward.At(t), nil
}
