package main

import (
	"context"
	"io"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/console/session"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/access"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
)

// desk is where somebody at this machine changes who may use a database.
type desk struct {
	db       *durable.Database
	keys     *access.Keys
	people   *access.People
	sessions *session.Desk
	log      *security.Log
}

// atDesk opens a database for as long as something is done at its desk.
func atDesk(ctx context.Context, url string, open func(context.Context, string) (*durable.Database, error), do func(*desk) error) error {
	db, err := open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(&desk{db, access.New(db, time.Now), access.NewPeople(db, time.Now), session.NewDesk(db, time.Now), security.New(db, time.Now)})
}

// note notes what somebody at this machine did.
func (d *desk) note(ctx context.Context, what security.What, detail string) error {
	return d.log.Note(ctx, security.Entry{What: what, Principal: localPrincipal(), Detail: detail})
}

// noteAt notes what somebody at this machine did with a database.
func noteAt(ctx context.Context, db *durable.Database, what security.What, detail string) error {
	return security.New(db, time.Now).Note(ctx, security.Entry{What: what, Principal: localPrincipal(), Detail: detail})
}

// noteExport notes that somebody at this machine took data out of a database.
func noteExport(ctx context.Context, db *durable.Database, what string) error {
	return noteAt(ctx, db, security.Exported, what)
}

// noteLoad notes that somebody at this machine puts events into a database.
func noteLoad(ctx context.Context, db *durable.Database, file string, replay bool) error {
	if replay {
		file += ", as a log that is replayed"
	}
	return noteAt(ctx, db, security.Loaded, file)
}

// localPrincipal is who has started this program.
func localPrincipal() string {
	if u, err := user.Current(); err == nil {
		return "local:" + u.Username
	}
	return "local:"
}

// listing is how a list of something is printed: as JSON under a name, and as a table.
type listing[Row any] struct {
	name    string
	columns []string
	cells   func(*Row) tabular.Row
}

// command is a command that does something with a database and prints what it was about.
func (l *listing[Row]) command(use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *desk, []string) ([]Row, error)) *cobra.Command {
	var url, output string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			rows := []Row{}
			err := atDesk(cmd.Context(), url, openDatabase, func(d *desk) error {
				list, err := do(cmd, d, args)
				rows = append(rows, list...)
				return err
			})
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{l.name: rows}) }
			asTable := func(w io.Writer) error {
				table := tabular.New(w, l.columns...)
				for i := range rows {
					table.AppendRow(l.cells(&rows[i]))
				}
				table.Render()
				return nil
			}
			return write(cmd.OutOrStdout(), output, asJSON, asTable)
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	cmd.MarkFlagRequired("db")
	return cmd
}
