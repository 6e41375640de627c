package lab

import (
	"fmt"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// comparison is what is compared.
type comparison struct {
	programFile, eventFile string
	// truthFile has the links by which designs are judged; none: the events' own.
	truthFile string
	// link is "matched" if the designs are told the events' links, "none" if not.
	link string
}

func compareCommand() *cobra.Command {
	var c comparison
	cmd := finder("compare --program P [--link none | --truth LINKED.jsonl] EVENTS.jsonl|-", "Play the same events through every design and Recoup, and add up what leaks and what is short",
		func(cmd *cobra.Command, args []string) (finding, error) {
			c.eventFile = args[0]
			return compared(cmd, c)
		})
	cmd.Long = "Plays the same events through every design and Recoup, and adds up what accounts have above\n" +
		"what they are entitled to, and what they lack. What they are entitled to the links of refunds\n" +
		"to their purchases say. With --link none no design is told them, as on most card networks, and\n" +
		"all are judged by them; with --truth they are another file's, of the same purchases. It then\n" +
		"also says what the missing links cost honest customers at Recoup, and what comes back when\n" +
		"somebody links the refunds under review."
	cmd.Args = cobra.ExactArgs(1)
	cmd.Flags().StringVarP(&c.programFile, "program", "p", "", "program file (YAML)")
	cli.Require(cmd, "program")
	cmd.Flags().StringVar(&c.link, "link", "matched", "matched: designs are told the links of the events; none: they are told none, and judged by them")
	cmd.Flags().StringVar(&c.truthFile, "truth", "", "events of the same purchases with the links to judge by")
	cmd.MarkFlagsMutuallyExclusive("link", "truth")
	return cmd
}

func compared(cmd *cobra.Command, c comparison) (*compare.Comparison, error) {
	if c.link != "matched" && c.link != "none" {
		return nil, fmt.Errorf("--link %q: expected matched or none", c.link)
	}
	if c.truthFile == "-" && c.eventFile == "-" {
		return nil, fmt.Errorf("--truth -: the events come from standard input already")
	}
	p, err := program.Load(c.programFile)
	if err != nil {
		return nil, err
	}
	if c.truthFile == "" {
		return reading(cmd, "comparing", c.eventFile, func(events compare.Stream) (*compare.Comparison, error) {
			if c.link == "none" {
				return compare.Unlinked(cmd.Context(), p, events, rivals(p))
			}
			return compare.Designs(cmd.Context(), p, events, rivals(p))
		})
	}
	return reading(cmd, "learning the truth", c.truthFile, func(truth compare.Stream) (*compare.Comparison, error) {
		return reading(cmd, "comparing", c.eventFile, func(events compare.Stream) (*compare.Comparison, error) {
			return compare.Told(cmd.Context(), p, truth, events, rivals(p))
		})
	})
}

// reading does something with the events of a file, and shows how far it is.
func reading(cmd *cobra.Command, what, file string, do func(compare.Stream) (*compare.Comparison, error)) (*compare.Comparison, error) {
	in, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	reader := event.NewReader(in, in.Name)
	done := progress.Show(what, progress.Bytes, in.Size, reader.Consumed)
	defer done()
	return do(reader.Batches(cmd.Context()))
}

// rivals are the designs that a program is compared at: those of the paper, and of terms
// that they cannot say those of loyalty platforms.
func rivals(p *reward.Program) []design.Design {
	designs := design.Others()
	if !design.IsPlain(p) {
		for _, v := range design.Vendors() {
			designs = append(designs, v.Design)
		}
	}
	return designs
}
