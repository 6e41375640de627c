package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/store/pebble"
)

func newBackup() *cobra.Command {
	var db string
	var follow bool
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "backup --db DIR COPY",
		Short: "Copy a database's folder, also while the service runs",
		Long: "Makes a copy of a folder as it is at one moment, synced to the disk. A plain copy of a\n" +
			"folder in use is no backup. With --follow it goes on, and brings the copy up to date\n" +
			"every so often until it is told to stop: what is there already is not copied again.\n" +
			"PostgreSQL has pg_dump and pg_basebackup.",
		Args: oneArgument("the folder to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parsePlace(db)
			if err != nil {
				return err
			}
			if at.url != "" {
				return errors.New("--db: a PostgreSQL database is backed up with pg_dump or pg_basebackup (docs/operations.md)")
			}
			return backUp(cmd.Context(), at.folder, args[0], follow, every, func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) })
		},
	}
	cmd.Flags().StringVar(&db, "db", "", "database: a folder")
	cmd.Flags().BoolVar(&follow, "follow", false, "go on, and keep the copy up to date")
	cmd.Flags().DurationVar(&every, "every", 10*time.Second, "with --follow: how often")
	cmd.MarkFlagRequired("db")
	return cmd
}
