// Package lab has the commands of recoup that play with the lab.
package lab

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/internal/lab/gaps"
	"recoup/internal/lab/report"
)

// Command is the command of the lab, with all that it has.
func Command() *cobra.Command {
	return cli.Group("lab", "Play refunds against other designs of reward programs, and against Recoup", "",
		issuersCommand(), taxonomyCommand(), gapsCommand(), attackCommand(), tiersCommand(), impactCommand(), compareCommand(),
		exportCommand(), reportCommand(), serveCommand(), accuracyCommand(), foreignCommand(), truthCommand())
}

// finding is a result of the lab.
type finding interface {
	WriteTable(io.Writer) error
}

// finder is a command that finds something out and prints it.
func finder(use, short string, find func(cmd *cobra.Command, args []string) (finding, error)) *cobra.Command {
	var format *tabular.Format
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := find(cmd, args)
			if err != nil {
				return err
			}
			return cli.WriteFound(cmd.OutOrStdout(), *format, found)
		},
	}
	format = cli.Output(cmd)
	return cmd
}

func issuersCommand() *cobra.Command {
	return finder("issuers", "Find out what each design does about refunds, and which flaw it has",
		func(*cobra.Command, []string) (finding, error) { return examine.NewIssuers(design.All()) })
}

func taxonomyCommand() *cobra.Command {
	return finder("taxonomy", "Set the paper's tables of classes and algorithms beside what is found, and show where it says two things",
		func(*cobra.Command, []string) (finding, error) { return examine.NewTaxonomy() })
}

func gapsCommand() *cobra.Command {
	var failures []string
	cmd := finder("gaps", "Show where the published algorithms leak, taken literally, and that Recoup does not",
		func(*cobra.Command, []string) (finding, error) {
			gaps, err := gaps.Play()
			if err == nil {
				failures = gaps.Failures()
			}
			return gaps, err
		})
	cmd.PostRunE = func(*cobra.Command, []string) error {
		if len(failures) > 0 {
			return cli.Failed("these scenarios fail at Recoup:\n%s", strings.Join(failures, "\n"))
		}
		return nil
	}
	return cmd
}

func reportCommand() *cobra.Command {
	var page, output, programFile, eventFile string
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
			out := &files.Outputs{Inputs: []string{programFile, eventFile}}
			defer out.Discard()
			w, err := out.Create(page)
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, report) }
			if err := tabular.Format(output).Write(w, asJSON, report.Write); err != nil {
				return err
			}
			return out.Keep()
		},
	}
	cmd.Flags().StringVarP(&page, "out", "o", "", "the page to write")
	cli.Require(cmd, "out")
	cmd.Flags().StringVar(&output, "output", "html", "html or json")
	cmd.Flags().StringVarP(&programFile, "program", "p", "", "program file for a comparison")
	cmd.Flags().StringVar(&eventFile, "events", "", "events to compare the designs on")
	cmd.MarkFlagsRequiredTogether("program", "events")
	return cmd
}
