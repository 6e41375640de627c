package accuracy

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recoup/internal/lab/design"
)

// DefaultSeeds is how many settings each design is tried in.
const DefaultSeeds = 20

// Options say what is measured.
type Options struct {
	// Seeds is how many settings each design is tried in, up to MaxSeeds; 0:
	// DefaultSeeds.
	Seeds int
	// Tools are what is measured; none: all.
	Tools []Tool
	// Designs are what is tried; none: all of Designs.
	Designs []design.Design
	// Progress, if not nil, is told how many trials are done, from several
	// goroutines.
	Progress func(done int64)
}

// withDefaults fills in what is left out.
func (o Options) withDefaults() (Options, error) {
	if o.Seeds == 0 {
		o.Seeds = DefaultSeeds
	}
	if o.Seeds < 1 || o.Seeds > MaxSeeds {
		return o, fmt.Errorf("accuracy: %d seeds: expected 1 to %d", o.Seeds, MaxSeeds)
	}
	if len(o.Tools) == 0 {
		o.Tools = []Tool{Audit, Probe}
	}
	if len(o.Designs) == 0 {
		o.Designs = Designs()
	}
	return o, nil
}

// Trials is how many there are.
func (o Options) Trials() int64 {
	o, err := o.withDefaults()
	if err != nil {
		return 0
	}
	return int64(o.Seeds) * int64(len(o.Tools)) * int64(len(o.Designs))
}

// atOnce is how many trials of a tool run at the same time. A sandbox that is slow is
// waited for most of the time.
func atOnce(tool Tool) int {
	if tool == Probe {
		return 12 * runtime.GOMAXPROCS(0)
	}
	return runtime.GOMAXPROCS(0)
}

// Run tries each design in each setting with each tool.
func Run(ctx context.Context, o Options) (*Report, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	report := &Report{Seeds: o.Seeds, Designs: len(o.Designs)}
	var done atomic.Int64
	for _, tool := range o.Tools {
		trials := make([]*Trial, o.Seeds*len(o.Designs))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce(tool))
		for i := range trials {
			d, seed := o.Designs[i/o.Seeds], uint64(i%o.Seeds+1)
			group.Go(func() (err error) {
				if err := ctx.Err(); err != nil {
					return err
				}
				s := NewSetting(seed)
				try := audited
				if tool == Probe {
					try = probed
				}
				if trials[i], err = try(ctx, d, &s); err != nil {
					return fmt.Errorf("%s of %s, seed %d: %w", tool, d.Name, seed, err)
				}
				if n := done.Add(1); o.Progress != nil {
					o.Progress(n)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		report.Tools = append(report.Tools, *newToolReport(tool, trials))
	}
	return report, nil
}
