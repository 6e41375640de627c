package desk

import (
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

func securityLog() *cobra.Command {
	var db *open.Database
	var after int64
	cmd := &cobra.Command{
		Use:   "security-log --db URL",
		Short: "Print who was let in and who was not, and who changed what others may do, as JSON lines",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				return security.New(d, time.Now).Write(cmd.Context(), cmd.OutOrStdout(), after)
			})
		},
	}
	db = cli.Database(cmd)
	cmd.Flags().Int64Var(&after, "after", 0, "begin after the entry with this number")
	return cmd
}
