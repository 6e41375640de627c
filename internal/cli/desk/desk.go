// Package desk has the commands of recoup for who looks after a database at its machine:
// who may use it, who is told, and what is kept secret in it.
package desk

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/console/session"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/access"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
	"recoup/internal/store/pebble"
)

// Commands are all commands of the desk.
func Commands() []*cobra.Command {
	return []*cobra.Command{keys(), people(), sessions(), securityLog(), webhooks(), sourcesCommand(), feedCommand(), exemptions(), secretsCommand()}
}

// desk is where somebody at this machine changes who may use a database.
type desk struct {
	db       *durable.Database
	keys     *access.Keys
	people   *access.People
	sessions *session.Desk
}

// at is the desk of a database.
func at(db *durable.Database) *desk {
	return &desk{db, access.New(db, time.Now), access.NewPeople(db, time.Now), session.NewDesk(db, time.Now)}
}

// note notes what somebody at this machine did.
func (d *desk) note(ctx context.Context, what security.What, detail string) error {
	return security.NoteLocal(ctx, d.db, what, detail)
}

// doing is what a command does at the desk, and the list of what it was about.
type doing[Row any] func(cmd *cobra.Command, d *desk, args []string) ([]Row, error)

// listing is a command that does something with a database that is there and prints what
// it was about.
func listing[Row any](use, short string, args cobra.PositionalArgs, l *tabular.Listing[Row], do doing[Row]) *cobra.Command {
	return listingOf(use, short, args, l, (*open.Database).Open, do)
}

func listingOf[Row any](use, short string, args cobra.PositionalArgs, l *tabular.Listing[Row], opened func(*open.Database, context.Context) (*durable.Database, error), do doing[Row]) *cobra.Command {
	var db *open.Database
	var format *tabular.Format
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := opened(db, cmd.Context())
			if err != nil {
				return err
			}
			defer d.Close()
			rows, err := do(cmd, at(d), args)
			if err != nil {
				return err
			}
			return l.Write(cmd.OutOrStdout(), *format, rows)
		},
	}
	db, format = cli.Database(cmd), cli.Output(cmd)
	return cmd
}

// orMake makes the database if it is not there, for there must be a key before there is a
// service.
func orMake(db *open.Database, ctx context.Context) (*durable.Database, error) {
	d, err := db.OrMake(ctx)
	if errors.As(err, new(*pebble.HeldError)) {
		return db.Open(ctx)
	}
	return d, err
}
