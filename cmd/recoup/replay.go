package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/replay"
	"recoup/program"
	"recoup/reward"
)

func newReplay() *cobra.Command {
	var o struct{ program, until, output, outcomes, journal, reviews string }
	cmd := &cobra.Command{
		Use:   "replay --program program.yaml EVENTS.jsonl|-",
		Short: "Run the engine over a file of events and print the final state",
		Args:  oneArgument("the file of events or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := checkOutput(o.output); err != nil {
				return err
			}
			options := replay.Options{}
			if options.Program, err = program.Load(o.program); err != nil {
				return err
			}
			if options.Until, err = parseUntil(o.until); err != nil {
				return err
			}
			in, err := openInput(args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			files := &outputFiles{inputs: []string{o.program, args[0]}}
			defer files.discard()
			if options.Outcomes, err = files.create(o.outcomes); err != nil {
				return err
			}
			if options.Journal, err = files.create(o.journal); err != nil {
				return err
			}
			reviews, err := files.create(o.reviews)
			if err != nil {
				return err
			}

			collectLess(in.size)
			reader := event.NewReader(in, in.name)
			done := showProgress("replaying", progress.UnitsBytes, in.size, reader.Consumed)
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
			if err := files.keep(); err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), o.output, result.WriteState, result.WriteTable)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.program, "program", "p", "", "program file (YAML)")
	flags.StringVar(&o.until, "until", "", "advance every account to this time (RFC 3339)")
	flags.StringVar(&o.output, "output", "table", "table or json")
	flags.StringVar(&o.outcomes, "outcomes", "", "write one JSON line per event to this file")
	flags.StringVar(&o.journal, "journal", "", "write every posting with its explanation to this file, as JSON lines")
	flags.StringVar(&o.reviews, "reviews", "", "write what is parked, unmatched, guessed or over-refunded to this file, as JSON lines")
	cmd.MarkFlagRequired("program")
	return cmd
}

// collectLess has the garbage collector work less often unless GOGC says
// otherwise: nearly all that a replay allocates it keeps. What it keeps is about
// as large as the file, so that is how much memory the time is bought with.
func collectLess(size int64) {
	switch {
	case os.Getenv("GOGC") != "":
	case size > 0 && size < 1<<30:
		debug.SetGCPercent(400)
	default:
		debug.SetGCPercent(200)
	}
}

func parseUntil(s string) (reward.Instant, error) {
	if s == "" {
		return 0, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, fmt.Errorf("--until %q: expected an RFC 3339 time such as 2027-06-01T00:00:00Z", s)
	}
	if t.Before(reward.EarliestInstant.Time()) || t.After(reward.LatestInstant.Time()) {
		return 0, fmt.Errorf("--until %s: expected a time from %s to %s", s, reward.EarliestInstant, reward.LatestInstant)
	}
	return reward.At(t), nil
}

// violated reports every violation, and ends with the exit code for them.
func violated(list []reward.Violation) error {
	errs := make([]error, len(list))
	for i, v := range list {
		errs[i] = errors.New(v.String())
	}
	return &exit{exitViolation, errors.Join(errs...)}
}

// checkOutput refuses an --output that no command has.
func checkOutput(format string) error {
	if format != "table" && format != "json" {
		return fmt.Errorf("--output %q: expected table or json", format)
	}
	return nil
}

// write writes a result in the format that was asked for. Tables do not tell of
// errors on the way; the buffer remembers the first.
func write(w io.Writer, format string, asJSON, asTable func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, 1<<16)
	render := asTable
	if format == "json" {
		render = asJSON
	}
	if err := render(out); err != nil {
		return err
	}
	return out.Flush()
}
