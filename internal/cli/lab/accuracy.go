package lab

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/accuracy"
	"recoup/internal/accuracy/figures"
	"recoup/internal/kit/progress"
	"recoup/internal/lab/design"
)

// labAccuracy is what the command was asked for.
type labAccuracy struct {
	tool     string
	designs  []string
	markdown figures.Document
	options  accuracy.Options
}

func accuracyCommand() *cobra.Command {
	var o labAccuracy
	cmd := finder("accuracy [--seeds N] [--tool audit|probe|both] [--design X]...", "Measure how often the auditor and the prober are right about the lab's designs",
		func(cmd *cobra.Command, _ []string) (finding, error) { return o.run(cmd) })
	cmd.Long = "Has every design of the lab, whose flaws are known, produce exports for 'recoup audit' and\n" +
		"answer 'recoup probe' over HTTP, under programs, traffic, noise and failures that differ\n" +
		"from seed to seed, and compares what each says with the truth. Twenty seeds of all designs\n" +
		"take about a quarter of an hour on two processors; the same number of seeds gives the\n" +
		"same report."
	f := cmd.Flags()
	f.IntVar(&o.options.Seeds, "seeds", accuracy.DefaultSeeds, "in how many settings each design is tried")
	f.StringVar(&o.tool, "tool", "both", "audit, probe or both")
	f.StringArrayVar(&o.designs, "design", nil, "try this design, such as F or compounding, and no others; may be repeated")
	f.StringVar(&o.markdown.Path, "markdown", "", "write the figures into this document too, each tool's between the lines that mark them")
	return cmd
}

func (o *labAccuracy) run(cmd *cobra.Command) (*accuracy.Report, error) {
	if o.options.Seeds < 1 {
		return nil, fmt.Errorf("--seeds %d: expected 1 to %d", o.options.Seeds, accuracy.MaxSeeds)
	}
	switch o.tool {
	case "audit", "probe":
		o.options.Tools = []accuracy.Tool{accuracy.Tool(o.tool)}
	case "both":
	default:
		return nil, fmt.Errorf("--tool %q: expected audit, probe or both", o.tool)
	}
	for _, name := range o.designs {
		d, err := design.Find(name)
		if err != nil {
			return nil, fmt.Errorf("--design: %w", err)
		}
		if !slices.ContainsFunc(o.options.Designs, func(other design.Design) bool { return other.Name == d.Name }) {
			o.options.Designs = append(o.options.Designs, d)
		}
	}
	if err := o.markdown.Read(o.options.CheckDocument); err != nil {
		return nil, err
	}
	var done atomic.Int64
	o.options.Progress = done.Store
	stop := progress.Show("trying designs", progress.Units, o.options.Trials(), done.Load)
	report, err := accuracy.Run(cmd.Context(), o.options)
	stop()
	if err != nil {
		return nil, err
	}
	return report, o.markdown.Write(report.Document)
}
