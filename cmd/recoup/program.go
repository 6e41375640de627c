package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/attack"
	"recoup/program"
	"recoup/reward"
)

func programCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "program",
		Short: "Check program files",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newProgramCheck())
	return cmd
}

func newProgramCheck() *cobra.Command {
	var format *tabular.Format
	var prove bool
	bounds := attack.DefaultBounds()
	cmd := &cobra.Command{
		Use:   "check PROGRAM.yaml...",
		Short: "Check program files, and say what they mean",
		Long: "Reads each file as every other command does. One that is wrong is an error that names\n" +
			"the line, the member and what was expected. Of one that is right it says in words what\n" +
			"each rule and bonus promises, the most that an account can earn in a year, and what its\n" +
			"terms bring about that may not be meant: a notice, and no failure. With --prove it looks\n" +
			"through every course of buying, redeeming and returning within bounds for one that leaves\n" +
			"a customer with cash that nothing backs, and ends with exit code 1 if there is one.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if prove {
				return proveAll(cmd, *format, files, bounds)
			}
			type checked struct {
				File string `json:"file"`
				program.Meaning
				terms *reward.Program
			}
			list := make([]checked, len(files))
			for i, file := range files {
				p, err := program.Load(file)
				if err != nil {
					return err
				}
				list[i] = checked{file, program.Describe(p), p}
			}
			return format.Write(cmd.OutOrStdout(), func(w io.Writer) error {
				out := json.NewEncoder(w)
				out.SetEscapeHTML(false)
				return out.Encode(map[string]any{"programs": list})
			}, func(w io.Writer) error {
				for i := range list {
					tellMeaning(w, list[i].File, &list[i].Meaning, list[i].terms)
				}
				return nil
			})
		},
	}
	format = cli.Output(cmd)
	cmd.Flags().BoolVar(&prove, "prove", false, "look for a way to gain by returning, within bounds")
	cmd.Flags().IntVar(&bounds.ReturnDays, "return-days", bounds.ReturnDays, "how long merchants take purchases back, for --prove")
	cmd.Flags().IntVar(&bounds.PostDays, "post-days", 2, "how long after it is made a purchase posts, for --prove")
	cmd.Flags().IntVar(&bounds.RefundDays, "refund-days", 5, "how long after a return its refund posts, for --prove")
	cmd.Flags().IntVar(&bounds.PurchasesPerCycle, "purchases", bounds.PurchasesPerCycle, "purchases a cycle at most, for --prove")
	return cmd
}

// proveAll looks for a way to gain under each program.
func proveAll(cmd *cobra.Command, format tabular.Format, files []string, bounds attack.Bounds) error {
	var lose []string
	for _, file := range files {
		p, err := program.Load(file)
		if err != nil {
			return err
		}
		proof, err := attack.Prove(cmd.Context(), p, bounds.Of(p).Wide())
		if err != nil {
			return err
		}
		if proof.Gain > 0 {
			lose = append(lose, file)
		}
		if err := cli.WriteFound(cmd.OutOrStdout(), format, proof); err != nil {
			return err
		}
	}
	if len(lose) > 0 {
		return cli.Failed("%s: a customer gains by returning", strings.Join(lose, ", "))
	}
	return nil
}

// tellMeaning says what a file means, a line a sentence.
func tellMeaning(w io.Writer, file string, m *program.Meaning, p *reward.Program) {
	rules := "1 rule"
	if n := len(m.Rules); n != 1 {
		rules = fmt.Sprintf("%d rules", n)
	}
	fmt.Fprintf(w, "%s: program %s in %s with %s is well formed\n", file, m.Program, m.Currency, rules)
	for _, s := range m.Rules {
		if s.Layer != "" {
			s.ID = s.Layer + "/" + s.ID
		}
		fmt.Fprintf(w, "  rule %s: %s\n", s.ID, s.Says)
	}
	for _, s := range m.Bonuses {
		fmt.Fprintf(w, "  bonus %s: %s\n", s.ID, s.Says)
	}
	for _, s := range m.Tiers {
		fmt.Fprintf(w, "  tier %s: %s\n", s.ID, s.Says)
	}
	for _, s := range m.Terms {
		fmt.Fprintf(w, "  %s\n", s)
	}
	fmt.Fprintf(w, "  %s\n", m.Year.Words(program.Telling(p)))
	for _, notice := range m.Notices {
		fmt.Fprintf(w, "%s: notice: %s\n", file, notice)
	}
}
