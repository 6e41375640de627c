package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"recoup/program"
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
	return &cobra.Command{
		Use:   "check PROGRAM.yaml...",
		Short: "Check program files, and say what their terms bring about unexpectedly",
		Long: "Reads each file as every other command does. One that is wrong is an error that names\n" +
			"the line. Of one that is right it says what its terms bring about that may not be meant:\n" +
			"a notice, and no failure.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			for _, file := range files {
				p, err := program.Load(file)
				if err != nil {
					return err
				}
				rules := "1 rule"
				if n := len(p.Rules); n != 1 {
					rules = fmt.Sprintf("%d rules", n)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: program %s in %s with %s is well formed\n", file, p.ID, p.Currency, rules)
				for _, notice := range program.Notices(p) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: notice: %s\n", file, notice)
				}
			}
			return nil
		},
	}
}
