package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/reward"
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
			w, err := files.createOr(o.out, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			events, accounts, err := exportEvents(cmd.Context(), db, w, o.account)
			if err != nil {
				return err
			}
			if err := noteExport(cmd.Context(), db, fmt.Sprintf("events: %d of %d accounts", events, accounts)); err != nil {
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
	last := ""
	done := func(piece *eventLines) error {
		if events += piece.events; piece.account != last {
			last = piece.account
			accounts++
		}
		_, err := w.Write(piece.text)
		return err
	}
	if account != "" {
		err = db.ViewOf(ctx, account, func(r durable.Reader) error {
			if _, there, err := r.Account(ctx, account); err != nil || !there {
				if err == nil {
					err = fmt.Errorf("--account %q: there is none of that name in the database", account)
				}
				return err
			}
			return eachPiece(func(f func(*durable.EventRow) error) error { return r.EventsOf(ctx, account, account, f) }, done)
		})
		return events, accounts, err
	}
	err = durable.InOrder(ctx, db, func(ctx context.Context, r durable.Reader, s *durable.Stretch, emit func(string, *eventLines) error) error {
		return eachPiece(func(f func(*durable.EventRow) error) error { return s.Events(ctx, r, f) }, func(piece *eventLines) error { return emit(piece.account, piece) })
	}, done)
	return events, accounts, err
}

// pieceSize is how many bytes of an account's events are kept before they are written:
// an account may have any number of them.
const pieceSize = 64 << 10

// eventLines are events of an account as they are written.
type eventLines struct {
	account string
	events  int64
	text    []byte
}

// eachPiece calls f with events as they are written, by account, a piece at a time.
func eachPiece(events func(func(*durable.EventRow) error) error, f func(*eventLines) error) error {
	decoder := event.NewDecoder()
	piece := new(eventLines)
	give := func() error {
		whole := piece
		if piece = new(eventLines); whole.events == 0 {
			return nil
		}
		return f(whole)
	}
	err := events(func(row *durable.EventRow) error {
		if piece.account != row.Account || len(piece.text) > pieceSize {
			if err := give(); err != nil {
				return err
			}
		}
		var e reward.Event
		if err := decoder.Decode(row.Event, &e); err != nil {
			return fmt.Errorf("account %q, event number %d: %w", row.Account, row.Number, err)
		}
		piece.account, piece.text = row.Account, append(event.Append(piece.text, &e), '\n')
		piece.events++
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}
