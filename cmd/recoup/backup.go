package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recoup/store/sqlite"
)

func newBackup() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "backup --db sqlite:FILE COPY",
		Short: "Copy a SQLite database to a new file, also while the service runs",
		Long: "Makes a copy of a SQLite database as it is at one moment, synced to the disk. A plain\n" +
			"copy of a file in use is no backup. PostgreSQL has pg_dump and pg_basebackup.",
		Args: oneArgument("the file to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, is, err := sqliteFile(url); err != nil {
				return err
			} else if !is {
				return errors.New("--db: a PostgreSQL database is backed up with pg_dump or pg_basebackup (docs/operations.md)")
			}
			d, err := openDriver(cmd.Context(), url)
			if err != nil {
				return err
			}
			if err := d.(*sqlite.DB).Backup(cmd.Context(), args[0]); err != nil {
				return errors.Join(err, d.Close())
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "copied to %s; check it with: recoup verify --db sqlite:%s --read-only\n", args[0], args[0])
			return d.Close()
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.MarkFlagRequired("db")
	return cmd
}
