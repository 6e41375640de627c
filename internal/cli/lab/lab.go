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
		issuersCommand(), taxonomyCommand(), gapsCommand(), termsCommand(), attackCommand(), tiersCommand(), impactCommand(), compareCommand(),
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
	return played("gaps", "Show where the published algorithms leak, taken literally, and that Recoup does not", func() (playing, error) { return gaps.Play() })
}

func termsCommand() *cobra.Command {
	return played("terms", "Play the double dips of bonuses, steps, tiers, items and expiry at every design", func() (playing, error) { return gaps.PlayTerms() })
}

// playing is a finding of scenarios that were played.
type playing interface {
	finding
	Failures() []string
}

// played is a finder that fails where Recoup does otherwise than scenarios say.
func played(use, short string, play func() (playing, error)) *cobra.Command {
	var failures []string
	cmd := finder(use, short, func(*cobra.Command, []string) (finding, error) {
		found, err := play()
		if err == nil {
			failures = found.Failures()
		}
		return found, err
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
