package main

import (
	"bufio"
	"context"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"recoup/internal/service/security"
)

func securityLogCommand() *cobra.Command {
	var url string
	var after int64
	cmd := &cobra.Command{
		Use:   "security-log --db URL",
		Short: "Print who was let in and who was not, and who changed what others may do, as JSON lines",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return atDesk(cmd.Context(), url, openDatabase, func(d *desk) error {
				return writeSecurityLog(cmd.Context(), cmd.OutOrStdout(), d.log, after)
			})
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().Int64Var(&after, "after", 0, "begin after the entry with this number")
	cmd.MarkFlagRequired("db")
	return cmd
}

// writeSecurityLog writes the entries after one, the oldest first.
func writeSecurityLog(ctx context.Context, w io.Writer, log *security.Log, after int64) error {
	out := bufio.NewWriter(w)
	for {
		list, err := log.After(ctx, after, security.MaxPage)
		if err != nil {
			return err
		}
		for i := range list {
			if err := json.MarshalWrite(out, &list[i]); err != nil {
				return err
			}
			out.WriteByte('\n')
			after = list[i].Number
		}
		if len(list) < security.MaxPage {
			return out.Flush()
		}
	}
}
