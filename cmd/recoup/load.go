package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/load"
	"recoup/internal/service/programs"
	"recoup/internal/service/security"
	"recoup/internal/store/open"
	"recoup/internal/store/pebble"
)

func loadCommand() *cobra.Command {
	var db *open.Database
	var format *tabular.Format
	var names []string
	var o load.Options
	cmd := &cobra.Command{
		Use:   "load --db URL EVENTS.jsonl|-",
		Short: "Apply a file of events to a database",
		Long: "Applies events to a database without the service, in large batches: to start with an\n" +
			"existing history, or to carry one over from another database. On PostgreSQL it may run\n" +
			"while the service does. To run it again is safe, for events that are there are duplicates.\n" +
			"Events that only a service makes itself, such as what people proposed and approved there, are\n" +
			"refused unless --replay says that the file is a log. The security log has who loaded what.",
		Args: cli.OneArgument("the file of events or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := files.Open(args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			if o.Programs, err = programs.ReadFiles(names); err != nil {
				return err
			}
			d, err := db.OrMake(cmd.Context())
			if errors.As(err, new(*pebble.HeldError)) {
				return fmt.Errorf("--db: %w: stop it first, or send the events to it with POST /v1/events", err)
			}
			if err != nil {
				return err
			}
			defer d.Close()
			what := in.Name
			if o.Replay {
				what += ", as a log that is replayed"
			}
			if err := security.NoteLocal(cmd.Context(), d, security.Loaded, what); err != nil {
				return err
			}
			reader := event.NewReader(in, in.Name)
			done := progress.Show("loading", progress.Bytes, in.Size, reader.Consumed)
			outcomes, err := load.Run(cmd.Context(), d, reader, o)
			done()
			if err != nil {
				return err
			}
			return outcomes.Write(cmd.OutOrStdout(), *format)
		},
	}
	db, format = cli.Database(cmd), cli.Output(cmd)
	cmd.Flags().StringArrayVar(&names, "program", nil, "program file to put into the database if it is not there; may be repeated, the first ever put is the default")
	cmd.Flags().DurationVar(&o.MaxAhead, "max-ahead", 15*time.Minute, "how far ahead of now an event may be dated")
	cmd.Flags().BoolVar(&o.Replay, "replay", false, "the file is the log of a ledger, as recoup export events writes it: take what a service made itself from it, such as approvals, too")
	return cmd
}
