package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"recoup/rebuild"
	"recoup/store/postgres"
	"recoup/store/sqlite"
)

// rebuildCommand makes a new database from the log of an older one.
func rebuildCommand() *cobra.Command {
	var from, to, output string
	var list int
	cmd := &cobra.Command{
		Use:   "rebuild --from URL --to URL",
		Short: "Make a new database from the log of events of an older one, and say what differs",
		Long: "Applies the log of an older database again, under the meaning that this program gives\n" +
			"to events, into a database that must be empty; programs, API keys, webhook endpoints\n" +
			"and proposed adjustments are carried over. It lists each account whose balance, net\n" +
			"reward, postings or outcomes are not what they were. The older database is only read.\n" +
			"Stop its service first: what is delivered to it meanwhile is not carried over.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			if list < 1 {
				return fmt.Errorf("--list %d: expected a number above zero", list)
			}
			report, err := runRebuild(cmd.Context(), from, to, list)
			if err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), output, report.WriteJSON, report.WriteTable)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", "older "+databaseUsage)
	flags.StringVar(&to, "to", "", "new "+databaseUsage)
	flags.IntVar(&list, "list", 100, "how many accounts that differ to list; all are counted")
	flags.StringVar(&output, "output", "table", "table or json")
	cmd.MarkFlagRequired("from")
	cmd.MarkFlagRequired("to")
	return cmd
}

func runRebuild(ctx context.Context, from, to string, list int) (*rebuild.Report, error) {
	older, err := openRows(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	defer older.Close()
	if err := expectEmptyAt(ctx, to); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	newer, err := openOrCreate(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	defer newer.Close()
	var events int64
	if isTerminal(os.Stderr) {
		if err := older.QueryRowContext(ctx, `SELECT count(*) FROM events`).Scan(&events); err != nil {
			return nil, fmt.Errorf("--from: counting the events: %w", err)
		}
	}
	var applied atomic.Int64
	done := showProgress("events applied", progress.UnitsDefault, events, applied.Load)
	defer done()
	return rebuild.Run(ctx, rebuild.Options{From: older, To: newer, Parse: parseStored, Most: list, Applied: applied.Store})
}

// expectEmptyAt refuses a database that has something in it, before its schema is
// brought up to date. A file that is not there is as empty as can be.
func expectEmptyAt(ctx context.Context, url string) error {
	if file, is, err := sqliteFile(url); err != nil {
		return err
	} else if _, missing := os.Stat(file); is && errors.Is(missing, fs.ErrNotExist) {
		return nil
	}
	db, err := openRows(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return rebuild.ExpectEmpty(ctx, db)
}

// openRows opens the database that a URL names for reading its rows, whatever the
// version of its schema.
func openRows(ctx context.Context, url string) (*sql.DB, error) {
	file, is, err := sqliteFile(url)
	switch {
	case err != nil:
		return nil, err
	case is:
		return sqlite.OpenRows(file)
	}
	return postgres.OpenRows(ctx, url)
}
