package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/internal/lab/gaps"
	"recoup/internal/lab/report"
)

func newLab() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Play refunds against other designs of reward programs, and against Recoup",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newLabIssuers(), newLabTaxonomy(), newLabGaps(), newLabAttack(), newLabTiers(), newLabImpact(), newLabCompare(), newLabExport(), newLabReport(), newLabServe(), newLabAccuracy(), newLabTruth())
	return cmd
}

// finding is a result of the lab.
type finding interface {
	WriteTable(io.Writer) error
}

// labCommand is a command of the lab that finds something out and prints it.
func labCommand(use, short string, find func(cmd *cobra.Command, args []string) (finding, error)) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			found, err := find(cmd, args)
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, found) }
			return write(cmd.OutOrStdout(), output, asJSON, found.WriteTable)
		},
	}
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	return cmd
}

func newLabIssuers() *cobra.Command {
	return labCommand("issuers", "Find out what each design does about refunds, and which flaw it has",
		func(*cobra.Command, []string) (finding, error) { return examine.NewIssuers(design.All()) })
}

func newLabTaxonomy() *cobra.Command {
	return labCommand("taxonomy", "Set the paper's tables of classes and algorithms beside what is found, and show where it says two things",
		func(*cobra.Command, []string) (finding, error) { return examine.NewTaxonomy() })
}

func newLabGaps() *cobra.Command {
	var failures []string
	cmd := labCommand("gaps", "Show where the published algorithms leak, taken literally, and that Recoup does not",
		func(*cobra.Command, []string) (finding, error) {
			gaps, err := gaps.Play()
			if err == nil {
				failures = gaps.Failures()
			}
			return gaps, err
		})
	cmd.PostRunE = func(*cobra.Command, []string) error {
		if len(failures) > 0 {
			return &exit{exitFailedCheck, fmt.Errorf("these scenarios fail at Recoup:\n%s", strings.Join(failures, "\n"))}
		}
		return nil
	}
	return cmd
}

func newLabReport() *cobra.Command {
	var out, output, programFile, eventFile string
	cmd := &cobra.Command{
		Use:   "report -o report.html [--program P --events EVENTS.jsonl]",
		Short: "Write all that the lab finds as one page with charts",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "html" && output != "json" {
				return fmt.Errorf("--output %q: expected html or json", output)
			}
			var c *compare.Comparison
			if eventFile != "" {
				var err error
				if c, err = compared(cmd, comparison{programFile: programFile, eventFile: eventFile, link: "matched"}); err != nil {
					return err
				}
			}
			report, err := report.New(cmd.Context(), attack.DefaultBounds(), c)
			if err != nil {
				return err
			}
			files := &outputFiles{inputs: []string{programFile, eventFile}}
			defer files.discard()
			w, err := files.create(out)
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, report) }
			if err := write(w, output, asJSON, report.Write); err != nil {
				return err
			}
			return files.keep()
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "the page to write")
	cmd.MarkFlagRequired("out")
	cmd.Flags().StringVar(&output, "output", "html", "html or json")
	cmd.Flags().StringVarP(&programFile, "program", "p", "", "program file for a comparison")
	cmd.Flags().StringVar(&eventFile, "events", "", "events to compare the designs on")
	cmd.MarkFlagsRequiredTogether("program", "events")
	return cmd
}
