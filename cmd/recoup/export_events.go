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
			"recoup load --replay: an empty ledger with the same programs ends in the same state.",
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

// exportEvents writes the log, or that of one account: of one database as one snapshot has
// it, of several each account as its lane has it. Events are decoded and written anew, so
// that a damaged one is found, and the same event has the same bytes whichever version has
// kept it.
func exportEvents(ctx context.Context, db *durable.Database, w io.Writer, account string) (events, accounts int64, err error) {
	if account != "" {
		err = db.ViewOf(ctx, account, func(r durable.Reader) error {
			if _, there, err := r.Account(ctx, account); err != nil || !there {
				if err == nil {
					err = fmt.Errorf("--account %q: there is none of that name in the database", account)
				}
				return err
			}
			lines := eventLines{decoder: event.NewDecoder()}
			err := r.EventsOf(ctx, account, account, lines.add)
			if err == nil {
				_, err = w.Write(lines.text)
			}
			events = lines.events
			return err
		})
		return events, 1, err
	}
	err = durable.InOrder(ctx, db, func(ctx context.Context, r durable.Reader, s *durable.Stretch, emit func(string, *eventLines) error) error {
		lines := eventLines{decoder: event.NewDecoder()}
		if err := s.Events(ctx, r, func(row *durable.EventRow) error {
			if lines.account != row.Account && lines.events > 0 {
				done := lines
				lines = eventLines{decoder: lines.decoder}
				if err := emit(done.account, &done); err != nil {
					return err
				}
			}
			return lines.add(row)
		}); err != nil || lines.events == 0 {
			return err
		}
		return emit(lines.account, &lines)
	}, func(lines *eventLines) error {
		events += lines.events
		accounts++
		_, err := w.Write(lines.text)
		return err
	})
	return events, accounts, err
}

// eventLines are the events of an account as they are written.
type eventLines struct {
	decoder *event.Decoder
	account string
	events  int64
	text    []byte
}

func (l *eventLines) add(row *durable.EventRow) error {
	var e reward.Event
	if err := l.decoder.Decode(row.Event, &e); err != nil {
		return fmt.Errorf("account %q, event number %d: %w", row.Account, row.Number, err)
	}
	l.account = row.Account
	l.text = append(event.Append(l.text, &e), '\n')
	l.events++
	return nil
}
