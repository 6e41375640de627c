// Command recoup runs a cashback reward engine in which a refund always takes
// the reward back, and the lab that shows what others do.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes of every command.
const (
	exitFailedCheck = 1 // a check that the command exists for has failed
	exitBadInput    = 2 // bad usage or input
	exitViolation   = 3 // an invariant of ours is violated
)

// exit is an error that ends the program with a code other than exitBadInput.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

func main() {
	keepToOwner()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "recoup:", err)
		stop()
		os.Exit(exitCode(err))
	}
}

// exitCode is the code that an error ends the program with.
func exitCode(err error) int {
	if e := (*exit)(nil); errors.As(err, &e) {
		return e.code
	}
	return exitBadInput
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
	root.AddCommand(newReplay(), newImport(), newGenerate(), newLab(), programCommand(), auditCommand(), probeCommand(), newVersion())
	root.AddCommand(shardsCommand(), migrateCommand(), rebuildCommand(), accountCommand(), forgetCommand(), keysCommand(), peopleCommand(), sessionsCommand(), securityLogCommand(), webhooksCommand(), exemptionsCommand(), secretsCommand(), verifyCommand(), checkpointCommand(), exportCommand(), benchCommand(), serveCommand(), newLoad(), newBackup())
	allowPoolers(root)
	refuseUnknown(root)
	return root
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

// oneArgument wants one argument, and says which where there is not one.
func oneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("expected one argument, %s, found %d", what, len(args))
		}
		return nil
	}
}
