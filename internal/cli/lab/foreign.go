package lab

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/accuracy/figures"
	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/measure"
	"recoup/internal/kit/progress"
)

func foreignCommand() *cobra.Command {
	o := measure.Options{People: measure.DefaultPeople}
	var tool string
	var designs []string
	var quick bool
	var markdown figures.Document
	cmd := finder("foreign [--tool audit|probe|both] [--design NAME]...", "Measure how often the auditor and the prober are right about designs that others wrote",
		func(cmd *cobra.Command, _ []string) (finding, error) {
			switch tool {
			case "audit", "probe":
				o.Tools = []measure.Tool{measure.Tool(tool)}
			case "both":
			default:
				return nil, fmt.Errorf("--tool %q: expected audit, probe or both", tool)
			}
			for _, d := range foreign.All() {
				if len(designs) == 0 || slices.ContainsFunc(designs, func(name string) bool { return strings.EqualFold(name, d.Name) }) {
					o.Designs = append(o.Designs, d)
				}
			}
			if len(o.Designs) == 0 || len(designs) > len(o.Designs) {
				return nil, fmt.Errorf("--design %q: expected designs of internal/accuracy/foreign", designs)
			}
			if quick {
				o.People = measure.Quick
			}
			if err := markdown.Read(o.CheckDocument); err != nil {
				return nil, err
			}
			var done atomic.Int64
			o.Progress = done.Store
			stop := progress.Show("trying designs", progress.Units, int64(len(o.Designs)), done.Load)
			report, err := measure.Run(cmd.Context(), o)
			stop()
			if err != nil {
				return nil, err
			}
			return report, markdown.Write(report.Document)
		})
	cmd.Long = "Plays designs that others wrote, without knowledge of the lab, on made-up customers who\n" +
		"buy, return and redeem, and again without what was returned: the difference is what a\n" +
		"design really leaks. Its exports are given to the auditor, and it answers the prober over\n" +
		"HTTP; the tables say what each found, beside what is so."
	f := cmd.Flags()
	f.StringVar(&tool, "tool", "both", "audit, probe or both")
	f.StringArrayVar(&designs, "design", nil, "try this design and no others; may be repeated")
	f.IntVar(&o.People.Each, "each", measure.DefaultPeople.Each, "how many customers of each way of life there are")
	f.Uint64Var(&o.People.Seed, "seed", measure.DefaultPeople.Seed, "what the customers are made up from")
	f.BoolVar(&quick, "quick", false, "the few customers of the tests")
	f.StringVar(&markdown.Path, "markdown", "", "write the figures into this document too, each tool's between the lines that mark them")
	return cmd
}
