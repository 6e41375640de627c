package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"recoup/internal/service/rebuild"
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
	flags.StringVar(&from, "from", "", "older "+databaseUsage+", or sqlite:FILE, as Recoup had them once")
	flags.StringVar(&to, "to", "", "new "+databaseUsage)
	flags.IntVar(&list, "list", 100, "how many accounts that differ to list; all are counted")
	flags.StringVar(&output, "output", "table", "table or json")
	cmd.MarkFlagRequired("from")
	cmd.MarkFlagRequired("to")
	return cmd
}

func runRebuild(ctx context.Context, from, to string, list int) (*rebuild.Report, error) {
	if sameFolder(from, to) {
		return nil, fmt.Errorf("--to: %s is the older database itself: name a folder that is not there yet", to)
	}
	older, err := openSource(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	defer older.Close()
	newer, err := openOrCreate(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	defer newer.Close()
	if err := rebuild.ExpectEmpty(ctx, newer); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	events, err := older.Events(ctx)
	if err != nil {
		return nil, fmt.Errorf("--from: counting the events: %w", err)
	}
	var applied atomic.Int64
	done := showProgress("events applied", progress.UnitsDefault, events, applied.Load)
	defer done()
	return rebuild.Run(ctx, rebuild.Options{From: older, To: newer, Parse: parseStored, Most: list, Applied: applied.Store})
}

// sameFolder reports whether two databases are one folder.
func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// openSource opens an older database: one as all are, or a SQLite file, as sqlite:FILE,
// in which Recoup kept ledgers once.
func openSource(ctx context.Context, db string) (rebuild.Source, error) {
	if file, is := strings.CutPrefix(db, "sqlite:"); is {
		return rebuild.OpenSQLite(ctx, file)
	}
	d, err := openDatabase(ctx, db)
	if err != nil {
		return nil, err
	}
	return rebuild.FromDatabase(d), nil
}
