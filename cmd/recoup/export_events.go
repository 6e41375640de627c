package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
)

func newExportEvents() *cobra.Command {
	var o struct{ url, account, out string }
	cmd := &cobra.Command{
		Use:   "events --db URL",
		Short: "Export the log of events, as recoup load and recoup replay read it",
		Long: "Writes every event that left a trace, one JSON line each: what senders delivered, denied\n" +
			"redemptions and conflicts among it, and what people and the service's clock decided. They\n" +
			"come by account, and of an account in the order in which they were applied. The inverse is\n" +
			"recoup load: an empty ledger with the same programs ends in the same state.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := openDatabase(cmd.Context(), o.url)
			if err != nil {
				return err
			}
			defer db.Close()
			files := &outputFiles{}
			defer files.discard()
			w, err := files.create(o.out)
			if err != nil {
				return err
			}
			if w == nil {
				w = cmd.OutOrStdout()
			}
			events, accounts, err := exportEvents(cmd.Context(), db, w, o.account)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d events of %d accounts\n", events, accounts)
			return files.keep()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.url, "db", "", databaseUsage)
	flags.StringVar(&o.account, "account", "", "only this account")
	flags.StringVarP(&o.out, "out", "o", "", "write to this file instead of standard output")
	cmd.MarkFlagRequired("db")
	return cmd
}

// exportEvents writes the log of one snapshot, or of one account of it. Events are
// decoded and written anew, so that a damaged one is found, and the same event has the same
// bytes whichever version has kept it.
func exportEvents(ctx context.Context, db *durable.Database, w io.Writer, account string) (events, accounts int64, err error) {
	decoder := event.NewDecoder()
	var line []byte
	one := func(row *durable.EventRow) error {
		var e reward.Event
		if err := decoder.Decode(row.Event, &e); err != nil {
			return fmt.Errorf("account %q, event number %d: %w", row.Account, row.Number, err)
		}
		line = append(event.Append(line[:0], &e), '\n')
		events++
		_, err := w.Write(line)
		return err
	}
	err = db.View(ctx, func(r durable.Reader) error {
		if account != "" {
			if _, there, err := r.Account(ctx, account); err != nil || !there {
				if err == nil {
					err = fmt.Errorf("--account %q: there is none of that name in the database", account)
				}
				return err
			}
			accounts = 1
			return r.EventsOf(ctx, account, account, one)
		}
		for after := ""; ; {
			ids, err := r.Accounts(ctx, after, exportChunk)
			if err != nil || len(ids) == 0 {
				return err
			}
			if err := r.EventsOf(ctx, ids[0], ids[len(ids)-1], one); err != nil {
				return err
			}
			accounts += int64(len(ids))
			after = ids[len(ids)-1]
		}
	})
	return events, accounts, err
}
