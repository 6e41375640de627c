package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/traffic"
	"recoup/program"
)

func generate() *cobra.Command {
	var o traffic.Options
	var file, start, out string
	cmd := &cobra.Command{
		Use:   "generate --accounts N --events M --seed S [--program P]",
		Short: "Make up realistic traffic, the same for the same seed",
		Long: "Purchases with log-normal amounts over categories and merchants, authorisations,\n" +
			"returns after the lags of real retail data, partial and unlinked ones among them,\n" +
			"chargebacks, redemptions, and on request receipts, duplicates and disorder.\n" +
			"Where the program has bonuses, tiers, offers or labels: accounts that are opened,\n" +
			"offers that some activate, and purchases for a bonus that mostly go back.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if file != "" {
				if o.Program, err = program.Load(file); err != nil {
					return err
				}
			}
			if start != "" {
				if o.Start, err = time.Parse(time.DateOnly, start); err != nil {
					return fmt.Errorf("--start %q: expected a date such as 2026-01-01", start)
				}
			}
			if o.ReturnShare == 0 {
				o.ReturnShare = traffic.NoReturns
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return writeEvents(cmd, out, traffic.Generate(o), file)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Accounts, "accounts", 1000, "how many accounts")
	flags.IntVar(&o.Events, "events", 100_000, "how many events, exactly")
	flags.Uint64Var(&o.Seed, "seed", 1, "of all draws")
	flags.StringVarP(&file, "program", "p", "", "program file whose rules some of the spending should meet")
	flags.StringVar(&start, "start", "", "date of the first purchases (default 2026-01-01)")
	flags.IntVar(&o.Days, "days", 0, "about how many days the events take (default: one event a day and account)")
	flags.IntVar(&o.ReturnShare, "returns", traffic.DefaultReturnShare, "per mille of purchases that come back")
	flags.IntVar(&o.OverRefunds, "over-refunds", 0, "per mille of returns that are refunded at more than the purchase")
	flags.IntVar(&o.Receipts, "receipts", 0, "per mille of purchases whose receipt has lines, of what the program asks for")
	flags.IntVar(&o.Duplicates, "duplicates", 0, "per mille of events that are delivered twice")
	flags.IntVar(&o.Disorder, "disorder", 0, "per mille of events that are delivered late")
	flags.StringVarP(&out, "out", "o", "", "write the events to this file instead of standard output")
	return cmd
}
