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

// labForeign is what the command was asked for.
type labForeign struct {
	tool     string
	designs  []string
	quick    bool
	markdown figures.Document
	options  measure.Options
}

// mostEach bounds the customers of each way of life.
const mostEach = 1000

func foreignCommand() *cobra.Command {
	o := labForeign{options: measure.Options{People: measure.DefaultPeople}}
	cmd := finder("foreign [--tool audit|probe|both] [--design NAME]...", "Measure how often the auditor and the prober are right about designs that others wrote",
		func(cmd *cobra.Command, _ []string) (finding, error) { return o.run(cmd) })
	cmd.Long = "Plays designs that others wrote, without knowledge of the lab, on made-up customers who\n" +
		"buy, return and redeem, and again without what was returned: the difference is what a\n" +
		"design really leaks. Its exports are given to the auditor, and it answers the prober over\n" +
		"HTTP; the tables say what each found, beside what is so."
	f := cmd.Flags()
	f.StringVar(&o.tool, "tool", "both", "audit, probe or both")
	f.StringArrayVar(&o.designs, "design", nil, "try this design and no others; may be repeated")
	f.IntVar(&o.options.People.Each, "each", measure.DefaultPeople.Each, "how many customers of each way of life there are")
	f.Uint64Var(&o.options.People.Seed, "seed", measure.DefaultPeople.Seed, "what the customers are made up from")
	f.BoolVar(&o.quick, "quick", false, "the few customers of the tests")
	cmd.MarkFlagsMutuallyExclusive("quick", "each")
	cmd.MarkFlagsMutuallyExclusive("quick", "seed")
	f.StringVar(&o.markdown.Path, "markdown", "", "write the figures into this document too, each tool's between the lines that mark them")
	return cmd
}

func (o *labForeign) run(cmd *cobra.Command) (*measure.Report, error) {
	switch o.tool {
	case "audit", "probe":
		o.options.Tools = []measure.Tool{measure.Tool(o.tool)}
	case "both":
	default:
		return nil, fmt.Errorf("--tool %q: expected audit, probe or both", o.tool)
	}
	if o.quick {
		o.options.People = measure.Quick
	}
	if each := o.options.People.Each; each < 1 || each > mostEach {
		return nil, fmt.Errorf("--each %d: expected 1 to %d", each, mostEach)
	}
	for _, name := range o.designs {
		d, err := foreignDesign(name)
		if err != nil {
			return nil, err
		}
		o.options.Designs = append(o.options.Designs, d)
	}
	if err := o.markdown.Read(o.options.CheckDocument); err != nil {
		return nil, err
	}
	o.options = o.options.WithDefaults()
	var done atomic.Int64
	o.options.Progress = done.Store
	stop := progress.Show("trying designs", progress.Units, int64(len(o.options.Designs)), done.Load)
	report, err := measure.Run(cmd.Context(), o.options)
	stop()
	if err != nil {
		return nil, err
	}
	return report, o.markdown.Write(report.Document)
}

// foreignDesign finds a design by its name.
func foreignDesign(name string) (foreign.Design, error) {
	all := foreign.All()
	i := slices.IndexFunc(all, func(d foreign.Design) bool { return strings.EqualFold(d.Name, name) })
	if i < 0 {
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		return foreign.Design{}, fmt.Errorf("--design %q: expected one of %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}
