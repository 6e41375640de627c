package books

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/programs"
	"recoup/internal/service/rebuild"
	"recoup/internal/store/open"
)

// rebuildCommand makes a new database from the log of an older one.
func rebuildCommand() *cobra.Command {
	var from, to string
	var db *open.Database
	var format *tabular.Format
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
			if list < 1 {
				return fmt.Errorf("--list %d: expected a number above zero", list)
			}
			report, err := runRebuild(cmd.Context(), *db, from, to, list)
			if err != nil {
				return err
			}
			return format.Write(cmd.OutOrStdout(), report.WriteJSON, report.WriteTable)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", "older "+open.Usage+", or sqlite:FILE, as Recoup had them once")
	flags.StringVar(&to, "to", "", "new "+open.Usage)
	flags.IntVar(&list, "list", 100, "how many accounts that differ to list; all are counted")
	db, format = cli.Named(cmd, ""), cli.Output(cmd)
	cli.Require(cmd, "from", "to")
	return cmd
}

// runRebuild opens both databases, each as how says, and makes one of the other.
func runRebuild(ctx context.Context, how open.Database, from, to string, list int) (*rebuild.Report, error) {
	if files.Same(from, to) {
		return nil, fmt.Errorf("--to: %s is the older database itself: name a folder that is not there yet", to)
	}
	how.Name = from
	older, err := openSource(ctx, how)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	defer older.Close()
	how.Name = to
	newer, err := how.OrMake(ctx)
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
	done := progress.Show("events applied", progress.Units, events, applied.Load)
	defer done()
	return rebuild.Run(ctx, rebuild.Options{From: older, To: newer, Parse: programs.Parse, Most: list, Applied: applied.Store})
}

// openSource opens an older database: one as all are, or a SQLite file, as sqlite:FILE,
// in which Recoup kept ledgers once.
func openSource(ctx context.Context, db open.Database) (rebuild.Source, error) {
	if file, is := strings.CutPrefix(db.Name, "sqlite:"); is {
		return rebuild.OpenSQLite(ctx, file)
	}
	d, err := db.Open(ctx)
	if err != nil {
		return nil, err
	}
	return rebuild.FromDatabase(d), nil
}
