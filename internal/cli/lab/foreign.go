package lab

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/measure"
	"recoup/internal/kit/progress"
)

func foreignCommand() *cobra.Command {
	o := measure.Options{People: measure.DefaultPeople}
	var tool string
	var designs []string
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
			var done atomic.Int64
			o.Progress = done.Store
			stop := progress.Show("trying designs", progress.Units, int64(len(o.Designs)), done.Load)
			defer stop()
			return measure.Run(cmd.Context(), o)
		})
	f := cmd.Flags()
	f.StringVar(&tool, "tool", "both", "audit, probe or both")
	f.StringArrayVar(&designs, "design", nil, "try this design and no others; may be repeated")
	f.IntVar(&o.People.Each, "each", measure.DefaultPeople.Each, "how many customers of each way of life there are")
	f.Uint64Var(&o.People.Seed, "seed", measure.DefaultPeople.Seed, "what the customers are made up from")
	return cmd
}
