// Command recoup runs a cashback reward engine in which a refund always takes
// the reward back, and the lab that shows what others do.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/cli/books"
	"recoup/internal/cli/desk"
	"recoup/internal/cli/lab"
)

func main() {
	keepToOwner()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "recoup:", err)
		stop()
		os.Exit(cli.ExitCode(err))
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "recoup",
		Short: "A cashback reward engine in which a refund always takes the reward back",
		Long: "Recoup turns settlements, refunds, chargebacks and redemptions into rewards that\n" +
			"cannot be double-dipped, and finds out whether somebody else's can.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(replayCommand(), importCommand(), generate(), lab.Command(), programCommand(), auditCommand(), probeCommand(), versionCommand(), serveCommand(), loadCommand(), benchCommand())
	root.AddCommand(consumeCommand())
	root.AddCommand(books.Commands()...)
	root.AddCommand(desk.Commands()...)
	nameUsage(root)
	refuseUnknown(root)
	return root
}

// nameUsage has commands that are called with too little, or too much, say how they are
// called: what the library says of arguments and flags does not name them.
func nameUsage(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		nameUsage(c)
	}
	if !cmd.Runnable() {
		return
	}
	args := cmd.Args
	if args == nil {
		args = cobra.ArbitraryArgs
	}
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if err := cmp.Or(args(cmd, given), cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()); err != nil {
			return fmt.Errorf("%w; usage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// refuseUnknown has commands that only group others refuse what is none of
// these. Left alone, they would print their help and succeed.
func refuseUnknown(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		refuseUnknown(c)
	}
	if cmd.Runnable() {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		return fmt.Errorf("unknown command %q for %s: expected one of %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}
