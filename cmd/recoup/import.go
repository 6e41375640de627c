package main

import (
	"iter"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/cli"
	"recoup/internal/ingest"
	"recoup/internal/kit/files"
	"recoup/reward"
)

func importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Turn other people's files into events",
	}
	cmd.AddCommand(newImportRetail())
	return cmd
}

func newImportRetail() *cobra.Command {
	var link, out string
	cmd := &cobra.Command{
		Use:   "online-retail FILE[.xz|.gz]",
		Short: "Import the UCI data set Online Retail II",
		Long: "Customers become accounts, invoices transactions and cancellation invoices refunds.\n" +
			"Events go to standard output; what was read, skipped and why goes to standard error.\n" +
			"The data set: D. Chen, Online Retail II, UCI Machine Learning Repository, 2019,\n" +
			"DOI 10.24432/C5CG6D, CC BY 4.0.",
		Args: cli.OneArgument("the file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			how, err := ingest.ParseLink(link)
			if err != nil {
				return err
			}
			retail, err := ingest.OpenRetail(args[0], how)
			if err != nil {
				return err
			}
			if err := writeEvents(cmd, out, retail.Events(), args[0]); err != nil {
				return err
			}
			summary := retail.Summary()
			summary.Print(cmd.ErrOrStderr())
			if err := summary.Check(); err != nil {
				return &cli.Exit{Code: cli.Violation, Err: err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&link, "link", "matched", "matched: cancellations name the invoices that their lines match; none: they name nothing")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the events to this file instead of standard output")
	return cmd
}

// writeEvents writes events as lines to a file, which may be none of the inputs,
// or to standard output without a name.
func writeEvents(cmd *cobra.Command, name string, events iter.Seq[reward.Event], inputs ...string) error {
	out := &files.Outputs{Inputs: inputs}
	defer out.Discard()
	w, err := out.CreateOr(name, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if err := event.Write(cmd.Context(), w, events); err != nil {
		return err
	}
	return out.Keep()
}
