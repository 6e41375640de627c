package books

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/service/forget"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

func forgetCommand() *cobra.Command {
	var db *open.Database
	var o forget.Options
	cmd := &cobra.Command{
		Use:   "forget --db URL ACCOUNT",
		Short: "Erase whose account it is, and keep its sums",
		Long: "Puts tokens in place of an account's id, merchants and texts, and destroys the key that\n" +
			"they were made with, also beside a running service. Journal, sums and the chain of hashes\n" +
			"stay what they were: recoup verify finds nothing, also with a checkpoint from before. What\n" +
			"waits to be sent or looked at is deleted. It cannot be undone.\n\n" +
			"The account must be closed, with a balance of zero and nothing held, under review, proposed\n" +
			"or undelivered. Backups, and what was exported or sent, have it still, and PostgreSQL has it\n" +
			"until its tables are vacuumed: docs/operations.md.",
		Args: cli.OneArgument("the account"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				done, err := forget.Account(cmd.Context(), d, args[0], o)
				if errors.Is(err, forget.ErrLog) {
					return &cli.Exit{Code: cli.FailedCheck, Err: err}
				}
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "the account is forgotten: its %d events are under %s\n", done.Events, done.Pseudonym)
				}
				return err
			})
		},
	}
	db = cli.Database(cmd)
	cmd.Flags().StringVar(&o.Reason, "reason", "", "what the security log is to say, such as the number of the request; not whose account it is")
	cmd.Flags().BoolVar(&o.Force, "force", false, "forget it whatever is open; a balance stays in the books, and nobody can redeem it")
	return cmd
}
