package lab

import (
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/accuracy/figures"
	"recoup/internal/accuracy/truth"
	"recoup/internal/kit/progress"
)

func truthCommand() *cobra.Command {
	var options truth.Options
	var markdown figures.Document
	cmd := finder("truth [--accounts N] [--seed S]", "Measure what Recoup lets accounts keep whose refunds lost their links, against what they truly kept",
		func(cmd *cobra.Command, _ []string) (finding, error) { return judgeTruth(cmd, options, &markdown) })
	cmd.Long = "Makes up accounts of which it knows every purchase and return, has the refunds arrive\n" +
		"as networks deliver them (without a link, with a wrong one, in parts, merged, late), and\n" +
		"compares what Recoup lets each account keep with what the terms promise on what was\n" +
		"truly kept: leakage above that, shortfall below. Dishonest customers search for the\n" +
		"purchases and returns that leave them most. The same options give the same report."
	f := cmd.Flags()
	f.IntVar(&options.Accounts, "accounts", truth.DefaultAccounts, "how many of each customer, distortion and method")
	f.Uint64Var(&options.Seed, "seed", 1, "what the accounts are made up from")
	f.IntVar(&options.Tries, "tries", truth.DefaultTries, "how many histories a dishonest customer tries out")
	f.StringVar(&markdown.Path, "markdown", "", "write the figures into this document too, between the lines that mark them")
	return cmd
}

// judgeTruth runs the judgement and writes it into the document, if there is one.
func judgeTruth(cmd *cobra.Command, o truth.Options, markdown *figures.Document) (*truth.Report, error) {
	if o.Accounts < 1 || o.Accounts > truth.MaxAccounts {
		return nil, fmt.Errorf("--accounts %d: expected 1 to %d", o.Accounts, truth.MaxAccounts)
	}
	if o.Tries < 1 || o.Tries > truth.MaxTries {
		return nil, fmt.Errorf("--tries %d: expected 1 to %d", o.Tries, truth.MaxTries)
	}
	if err := markdown.Read(truth.CheckDocument); err != nil {
		return nil, err
	}
	var done atomic.Int64
	o.Progress = done.Store
	stop := progress.Show("judging accounts", progress.Units, o.Total(), done.Load)
	report, err := truth.Run(cmd.Context(), o)
	stop()
	if err != nil {
		return nil, err
	}
	return report, markdown.Write(report.Document)
}
