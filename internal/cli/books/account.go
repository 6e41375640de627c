package books

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/service/rebuild"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

func accountRebuild() *cobra.Command {
	var db *open.Database
	cmd := &cobra.Command{
		Use:   "rebuild --db URL ACCOUNT",
		Short: "Make a damaged account anew from its log of events",
		Long: "Replaces all that is kept of an account besides its log by what follows from the log,\n" +
			"also beside a running service, which lets the account in again within a few seconds. It\n" +
			"is refused, and nothing changed, if the log is not whole, does not come out as it was\n" +
			"logged, or is not what was sealed: then restore the database from a backup.",
		Args: cli.OneArgument("the account"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				done, err := rebuild.Account(cmd.Context(), d, args[0])
				if errors.Is(err, rebuild.ErrLog) {
					return &cli.Exit{Code: cli.FailedCheck, Err: err}
				}
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "account %s was made anew from its %d events: program %s, balance %d in minor units of %s\n", args[0], done.Events, done.Program, done.Balance, done.Currency)
				}
				return err
			})
		},
	}
	db = cli.Database(cmd)
	return cmd
}
