package main

import (
	"errors"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/kit/tabular"
	"recoup/internal/replay"
	"recoup/program"
	"recoup/reward"
)

func replayCommand() *cobra.Command {
	var o struct{ program, until, outcomes, journal, reviews string }
	var format *tabular.Format
	cmd := &cobra.Command{
		Use:   "replay --program program.yaml EVENTS.jsonl|-",
		Short: "Run the engine over a file of events and print the final state",
		Args:  cli.OneArgument("the file of events or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			options := replay.Options{}
			if options.Program, err = program.Load(o.program); err != nil {
				return err
			}
			if options.Until, err = cli.ParseUntil(o.until); err != nil {
				return err
			}
			in, err := files.Open(args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			out := &files.Outputs{Inputs: []string{o.program, args[0]}}
			defer out.Discard()
			if options.Outcomes, err = out.Create(o.outcomes); err != nil {
				return err
			}
			if options.Journal, err = out.Create(o.journal); err != nil {
				return err
			}
			reviews, err := out.Create(o.reviews)
			if err != nil {
				return err
			}

			replay.CollectLess(in.Size)
			reader := event.NewReader(in, in.Name)
			done := progress.Show("replaying", progress.Bytes, in.Size, reader.Consumed)
			result, err := replay.Run(cmd.Context(), reader, options)
			done()
			if err != nil {
				return err
			}
			if violations := result.Store.Check(); len(violations) > 0 {
				return violated(violations)
			}
			if reviews != nil {
				if err := result.WriteReviews(reviews); err != nil {
					return err
				}
			}
			if err := out.Keep(); err != nil {
				return err
			}
			return format.Write(cmd.OutOrStdout(), result.WriteState, result.WriteTable)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.program, "program", "p", "", "program file (YAML)")
	flags.StringVar(&o.until, "until", "", "advance every account to this time (RFC 3339)")
	flags.StringVar(&o.outcomes, "outcomes", "", "write one JSON line per event to this file")
	flags.StringVar(&o.journal, "journal", "", "write every posting with its explanation to this file, as JSON lines")
	flags.StringVar(&o.reviews, "reviews", "", "write what is parked, unmatched, guessed or over-refunded to this file, as JSON lines")
	format = cli.Output(cmd)
	cli.Require(cmd, "program")
	return cmd
}

// violated reports every violation, and ends with the exit code for them.
func violated(list []reward.Violation) error {
	errs := make([]error, len(list))
	for i, v := range list {
		errs[i] = errors.New(v.String())
	}
	return &cli.Exit{Code: cli.Violation, Err: errors.Join(errs...)}
}
