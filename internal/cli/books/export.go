package books

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/extract"
	"recoup/internal/kit/files"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// exporting writes something of a database to a file, or to standard output without a
// name; says what it has counted; and notes what was taken out.
func exporting(cmd *cobra.Command, db *open.Database, name string, do func(*durable.Database, io.Writer) (counts, what string, err error)) error {
	return cli.With(cmd.Context(), db, func(d *durable.Database) error {
		var out files.Outputs
		defer out.Discard()
		w, err := out.CreateOr(name, cmd.OutOrStdout())
		if err != nil {
			return err
		}
		counts, what, err := do(d, w)
		if err != nil {
			return err
		}
		if err := security.NoteLocal(cmd.Context(), d, security.Exported, what); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), counts)
		return out.Keep()
	})
}

func exportEvents() *cobra.Command {
	var db *open.Database
	var account, out string
	cmd := &cobra.Command{
		Use:   "events --db URL",
		Short: "Export the log of events, as recoup load and recoup replay read it",
		Long: "Writes every event that left a trace, one JSON line each: what senders delivered, denied\n" +
			"redemptions and conflicts among it, and what people and the service's clock decided. They\n" +
			"come by account, and of an account in the order in which they were applied. The inverse is\n" +
			"recoup load --replay: an empty ledger with the same programs ends in the same state.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exporting(cmd, db, out, func(d *durable.Database, w io.Writer) (counts, what string, err error) {
				events, accounts, err := extract.Events(cmd.Context(), d, w, account)
				return fmt.Sprintf("%d events of %d accounts", events, accounts), fmt.Sprintf("events: %d of %d accounts", events, accounts), err
			})
		},
	}
	db = cli.Database(cmd)
	cmd.Flags().StringVar(&account, "account", "", "only this account")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to this file instead of standard output")
	return cmd
}

func exportSQLite() *cobra.Command {
	var db *open.Database
	cmd := &cobra.Command{
		Use:   "sqlite --db URL FILE",
		Short: "Write accounts, entries and events as plain tables of a SQLite file",
		Long: "Writes what a ledger has to a new SQLite file, for questions in SQL: the tables accounts,\n" +
			"entries and events, as of one moment. Amounts are minor units of the account's currency,\n" +
			"times texts in UTC. The file is a copy, which nothing reads back. The service may be\n" +
			"running.",
		Args: cli.OneArgument("the file to make"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				n, err := extract.SQLiteFile(cmd.Context(), args[0], d)
				if err != nil {
					return err
				}
				counts := fmt.Sprintf("%d accounts, %d entries and %d events", n.Accounts, n.Entries, n.Events)
				if err := security.NoteLocal(cmd.Context(), d, security.Exported, "sqlite: "+counts); err != nil {
					return err
				}
				fmt.Fprintln(cmd.ErrOrStderr(), counts)
				return nil
			})
		},
	}
	db = cli.Database(cmd)
	return cmd
}

func exportParquet() *cobra.Command {
	var db *open.Database
	cmd := &cobra.Command{
		Use:   "parquet --db URL FOLDER",
		Short: "Write what is new of events, entries and accounts as Parquet files, for a warehouse",
		Long: "Writes to a folder what a ledger has: files of events and entries with what is new since\n" +
			"the last time, and one file of all accounts as they stand. manifest.json says which files\n" +
			"belong to it. A run that is broken off leaves nothing, and the next one goes on from the\n" +
			"last that was whole. Amounts are integers of minor units. The service may be running.",
		Args: cli.OneArgument("the folder to export to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				n, err := extract.Parquet(cmd.Context(), args[0], d, time.Now())
				if err != nil {
					return err
				}
				counts := fmt.Sprintf("%d accounts, new %d entries and %d events", n.Accounts, n.Entries, n.Events)
				if err := security.NoteLocal(cmd.Context(), d, security.Exported, "parquet: "+counts); err != nil {
					return err
				}
				fmt.Fprintln(cmd.ErrOrStderr(), counts)
				return nil
			})
		},
	}
	db = cli.Database(cmd)
	return cmd
}

func exportJournal() *cobra.Command {
	var db *open.Database
	var o struct{ format, account, from, to, until, out string }
	var byAccount bool
	cmd := &cobra.Command{
		Use:   "journal --db URL --format hledger|beancount|csv",
		Short: "Export the journal as double entry for accountants",
		Long: "Writes every reward, clawback, redemption and adjustment as a balanced transaction that\n" +
			"says why, and what moves between pending and available. Held amounts follow from the\n" +
			"events, so all of them are applied again; where the log does not have what they give, the\n" +
			"export ends with exit code 3. Transactions come by account, not by date.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := exportOptions(o.account, o.from, o.to, o.until)
			if err != nil {
				return err
			}
			options.ByAccount = byAccount
			if _, err := export.NewWriter(o.format, nil); err != nil {
				return fmt.Errorf("--format: %w", err)
			}
			return exporting(cmd, db, o.out, func(d *durable.Database, w io.Writer) (counts, what string, err error) {
				out, _ := export.NewWriter(o.format, w)
				tally, err := extract.Journal(cmd.Context(), d, out, options)
				if errors.As(err, new(*export.Difference)) {
					err = &cli.Exit{Code: cli.Violation, Err: err}
				}
				counts = fmt.Sprintf("%d transactions of %d accounts", tally.Transactions, tally.Accounts)
				return counts, o.format + ": " + counts, err
			})
		},
	}
	db = cli.Database(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", "hledger, beancount or csv")
	flags.StringVar(&o.account, "account", "", "only this account")
	flags.StringVar(&o.from, "from", "", "from this date on (2026-01-01, UTC); what was there before is an opening entry")
	flags.StringVar(&o.to, "to", "", "up to this date, without it")
	flags.StringVar(&o.until, "until", "", "move every account on to this time (RFC 3339), in the export alone")
	flags.BoolVar(&byAccount, "by-account", false, "a sub-account for every cardholder")
	flags.StringVarP(&o.out, "out", "o", "", "write to this file instead of standard output")
	cli.Require(cmd, "format")
	return cmd
}

func exportOptions(account, from, to, until string) (o export.Options, err error) {
	o = export.Options{Account: account, Telling: program.Telling, Decimals: program.MinorUnits}
	if o.From, err = parseDate("--from", from); err != nil {
		return o, err
	}
	if o.To, err = parseDate("--to", to); err != nil {
		return o, err
	}
	if o.To != 0 && o.To <= o.From {
		return o, fmt.Errorf("--to %s: expected a date after --from %s; it is the first day that is left out", to, from)
	}
	o.Until, err = cli.ParseUntil(until)
	return o, err
}

// parseDate reads the beginning of a day in UTC; "" is zero.
func parseDate(flag, s string) (reward.Instant, error) {
	if s == "" {
		return 0, nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || !t.After(reward.EarliestInstant.Time()) || t.After(reward.LatestInstant.Time()) {
		return 0, fmt.Errorf("%s %q: expected a date between %s and %s, such as 2026-01-01", flag, s,
			reward.EarliestInstant.Time().Format(time.DateOnly), reward.LatestInstant.Time().Format(time.DateOnly))
	}
	return reward.At(t), nil
}
