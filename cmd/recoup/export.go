package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

func exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Export what a database has for other people's tools",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newExportEvents(), newExportJournal(), newExportSQLite())
	return cmd
}

func newExportJournal() *cobra.Command {
	var o struct{ url, format, account, from, to, until, out string }
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
			db, err := openDatabase(cmd.Context(), o.url)
			if err != nil {
				return err
			}
			defer db.Close()

			files := &outputFiles{}
			defer files.discard()
			w, err := files.createOr(o.out, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			out, _ := export.NewWriter(o.format, w)
			tally, err := exportJournal(cmd.Context(), db, out, options)
			if difference := (*export.Difference)(nil); errors.As(err, &difference) {
				return &exit{exitViolation, err}
			}
			if err != nil {
				return err
			}
			if err := noteExport(cmd.Context(), db, fmt.Sprintf("%s: %d transactions of %d accounts", o.format, tally.Transactions, tally.Accounts)); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d transactions of %d accounts\n", tally.Transactions, tally.Accounts)
			return files.keep()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.url, "db", "", databaseUsage)
	flags.StringVar(&o.format, "format", "", "hledger, beancount or csv")
	flags.StringVar(&o.account, "account", "", "only this account")
	flags.StringVar(&o.from, "from", "", "from this date on (2026-01-01, UTC); what was there before is an opening entry")
	flags.StringVar(&o.to, "to", "", "up to this date, without it")
	flags.StringVar(&o.until, "until", "", "move every account on to this time (RFC 3339), in the export alone")
	flags.BoolVar(&byAccount, "by-account", false, "a sub-account for every cardholder")
	flags.StringVarP(&o.out, "out", "o", "", "write to this file instead of standard output")
	cmd.MarkFlagRequired("db")
	cmd.MarkFlagRequired("format")
	return cmd
}

func exportOptions(account, from, to, until string) (o export.Options, err error) {
	o = export.Options{Account: account, Money: program.FormatAmount, Decimals: program.MinorUnits}
	if o.From, err = parseDate("--from", from); err != nil {
		return o, err
	}
	if o.To, err = parseDate("--to", to); err != nil {
		return o, err
	}
	if o.To != 0 && o.To <= o.From {
		return o, fmt.Errorf("--to %s: expected a date after --from %s; it is the first day that is left out", to, from)
	}
	o.Until, err = parseUntil(until)
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

// exportJournal exports a database: of one lane, as one snapshot has it; of several, each
// account and what is near it in its lane.
func exportJournal(ctx context.Context, db *durable.Database, out export.Writer, o export.Options) (tally export.Tally, err error) {
	programs, err := durable.OpenPrograms(ctx, db, parseStored, time.Now)
	if err != nil {
		return tally, err
	}
	x := export.New(out, o)
	if id := o.Account; id != "" {
		err = db.ViewOf(ctx, id, func(r durable.Reader) error {
			row, ok, err := r.Account(ctx, id)
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("account %q: there is none of that name in the database", id)
			}
			return replayAccounts(o, programs, []durable.AccountRow{row}, func(f func(*durable.EventRow) error) error { return r.EventsOf(ctx, id, id, f) }, x.Join)
		})
	} else {
		err = durable.InOrder(ctx, db, func(ctx context.Context, r durable.Reader, s *durable.Stretch, emit func(string, *export.Part) error) error {
			return replayAccounts(o, programs, s.Rows, func(f func(*durable.EventRow) error) error { return s.Events(ctx, r, f) }, func(p *export.Part) error { return emit(p.Account(), p) })
		}, x.Join)
	}
	if err != nil {
		return tally, err
	}
	return x.Close()
}

// replayAccounts calls emit with the export of each of some accounts.
func replayAccounts(o export.Options, programs *durable.Programs, rows []durable.AccountRow, events func(func(*durable.EventRow) error) error, emit func(*export.Part) error) error {
	of := make(map[string]*reward.Program, len(rows))
	for i := range rows {
		p, ok := programs.Get(rows[i].Program)
		if !ok {
			return fmt.Errorf("account %q: its program %q is not in the database; restore the table programs from a backup", rows[i].Account, rows[i].Program)
		}
		of[rows[i].Account] = p
	}
	decoder := event.NewDecoder()
	var entry export.Entry
	return export.Replay(o, func(f func(*export.Entry) error) error {
		return events(func(row *durable.EventRow) (err error) {
			entry.Program = of[row.Account]
			if entry.Program == nil {
				return fmt.Errorf("account %q: it has events, but no row", row.Account)
			}
			if err = decoder.Decode(row.Event, &entry.Event); err == nil {
				entry.Postings, err = ledger.ParsePostings(row.Postings, row.Account, entry.Postings[:0])
			}
			if err != nil {
				return fmt.Errorf("account %q, event number %d: %w", row.Account, row.Number, err)
			}
			entry.Result = reward.Result{Outcome: row.Outcome, Code: row.Code}
			return f(&entry)
		})
	}, emit)
}
