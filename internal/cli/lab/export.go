package lab

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/lab/design"
	"recoup/internal/lab/export"
	"recoup/program"
)

// labExport is what the command was asked for.
type labExport struct {
	issuer, program, events, dir, rewardLinks string
	noise, force                              bool
	options                                   export.Options
}

func exportCommand() *cobra.Command {
	o := labExport{options: export.DefaultOptions()}
	cmd := finder("export --issuer X --program P --events EVENTS.jsonl|- --dir DIR", "Write what a design's own systems would export after playing events through it",
		func(cmd *cobra.Command, _ []string) (finding, error) { return o.run(cmd) })
	cmd.Long = "Plays the events against one design, as 'recoup lab compare' does, and writes\n" +
		"transactions.csv, refunds.csv, rewards.csv and redemptions.csv as 'recoup audit' reads\n" +
		"them. What is printed are the lab's own figures, to compare an audit with."
	flags := cmd.Flags()
	flags.StringVar(&o.issuer, "issuer", "", "the design, such as A, F, V3a, \"Literal (instant)\", compounding or Recoup")
	flags.StringVarP(&o.program, "program", "p", "", "program file (YAML)")
	flags.StringVar(&o.events, "events", "", "events, or - for standard input")
	flags.StringVar(&o.dir, "dir", "", "folder for the files; it is made if it is not there")
	flags.BoolVar(&o.options.RefundLinks, "refund-links", true, "refunds name their purchase; with false the design is not told either")
	flags.StringVar(&o.rewardLinks, "reward-links", "all", "all: rewards name their purchase; none: they do not")
	flags.BoolVar(&o.options.RewardSums, "reward-sums", false, "one reward row an account and statement close")
	flags.BoolVar(&o.noise, "noise", false, "some late postings, adjustments by hand and refunds without their link, in the files alone")
	flags.Uint64Var(&o.options.Seed, "seed", 1, "of the noise")
	flags.BoolVar(&o.force, "force", false, "write over files that are there")
	cli.Require(cmd, "issuer", "program", "events", "dir")
	return cmd
}

func (o *labExport) run(cmd *cobra.Command) (*export.Summary, error) {
	design, err := design.Find(o.issuer)
	if err != nil {
		return nil, err
	}
	switch o.rewardLinks {
	case "all", "none":
		o.options.RewardLinks = o.rewardLinks == "all"
	default:
		return nil, fmt.Errorf("--reward-links %q: expected all or none", o.rewardLinks)
	}
	if o.noise {
		o.options.Noise = export.DefaultNoise()
	}
	p, err := program.Load(o.program)
	if err != nil {
		return nil, err
	}
	in, err := files.Open(o.events)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := os.Mkdir(o.dir, 0o700); err == nil {
		defer os.Remove(o.dir) // where it is still empty, because nothing was exported
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	out := &files.Outputs{Inputs: []string{o.program, o.events}}
	defer out.Discard()
	to, err := export.CreateFiles(func(name string) (io.Writer, error) {
		path := filepath.Join(o.dir, name)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !o.force {
			return nil, fmt.Errorf("%s: is there already; --force writes over it", path)
		}
		return out.Create(path)
	})
	if err != nil {
		return nil, err
	}
	reader := event.NewReader(in, in.Name)
	done := progress.Show("exporting", progress.Bytes, in.Size, reader.Consumed)
	defer done()
	summary, err := export.Write(cmd.Context(), p, reader.Batches(cmd.Context()), design, o.options, to)
	if err != nil {
		return nil, err
	}
	return summary, out.Keep()
}
