// Command recoup runs a cashback reward engine in which a refund always takes
// the reward back, and the lab that shows what others do.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "recoup:", err)
		code := exitBadInput
		if e := (*exit)(nil); errors.As(err, &e) {
			code = e.code
		}
		stop()
		os.Exit(code)
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
		Args:          cobra.NoArgs,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newReplay(), newImport(), newGenerate(), newLab(), newVersion())
	return root
}
