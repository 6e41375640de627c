package books

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/service/security"
	"recoup/internal/store/open"
	"recoup/internal/store/pebble"
)

// copier is a folder that can be copied while it is worked in.
type copier interface {
	Checkpoint(ctx context.Context, target string) error
	Follow(ctx context.Context, target string, every time.Duration, tell func(error)) error
}

var (
	_ copier = (*pebble.DB)(nil)
	_ copier = (*pebble.Attached)(nil)
)

func backup() *cobra.Command {
	var db *open.Database
	var follow bool
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "backup --db DIR COPY",
		Short: "Copy a database's folder, also while the service runs",
		Long: "Makes a copy of a folder as it is at one moment, synced to the disk. A plain copy of a\n" +
			"folder in use is no backup. On one disk the copy shares its files with the folder, by hard\n" +
			"links. With --follow it goes on, and every so often brings COPY/current up to date, until\n" +
			"it is told to stop: what is there already is not copied again, and nothing is shared.\n" +
			"PostgreSQL has pg_dump and pg_basebackup.",
		Args: cli.OneArgument("the folder to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if every <= 0 {
				return fmt.Errorf("--every %v: expected more than zero, such as 10s", every)
			}
			if db.OnServer() {
				return errors.New("--db: a PostgreSQL database is backed up with pg_dump or pg_basebackup (docs/operations.md)")
			}
			d, err := db.Open(cmd.Context())
			if err != nil {
				return err
			}
			defer d.Close()
			copier, is := d.Lanes()[0].(copier)
			if !is {
				return fmt.Errorf("--db %s: cannot be backed up", db.Name)
			}
			if err := security.NoteLocal(cmd.Context(), d, security.Exported, "backup"); err != nil {
				return err
			}
			if !follow {
				if err := copier.Checkpoint(cmd.Context(), args[0]); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "copied to %s; check it with: recoup verify --db %s --read-only\n", args[0], args[0])
				return nil
			}
			return followed(cmd, copier, args[0], every)
		},
	}
	db = cli.Database(cmd)
	cmd.Flags().Lookup("db").Usage = "database: a folder"
	cmd.Flags().BoolVar(&follow, "follow", false, "go on, and keep the copy up to date")
	cmd.Flags().DurationVar(&every, "every", 10*time.Second, "with --follow: how often")
	return cmd
}

// followed keeps a copy up to date until the command is told to stop. What keeps it from
// being made at all ends the command; what goes wrong later is tried again.
func followed(cmd *cobra.Command, from copier, to string, every time.Duration) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	var made bool
	var refused error
	err := from.Follow(ctx, to, every, func(err error) {
		switch {
		case err == nil:
			made = true
		case !made:
			refused = err
			stop()
		default:
			fmt.Fprintln(cmd.ErrOrStderr(), "recoup: the copy could not be brought up to date, which will be tried again:", err)
		}
	})
	switch {
	case refused != nil:
		return refused
	case cmd.Context().Err() != nil:
		return nil // it was told to stop
	}
	return err
}
