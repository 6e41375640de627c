package desk

import (
	"fmt"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/console/session"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/security"
)

func sessions() *cobra.Command {
	list := listing("list --db URL", "List who is signed in", cobra.NoArgs, &sessionListing, func(cmd *cobra.Command, d *desk, _ []string) ([]sessionRow, error) {
		list, err := d.sessions.List(cmd.Context())
		return sessionRows(list), err
	})
	end := listing("end --db URL SESSION|PERSON", "End a session by its id, or all of a person's by theirs", cobra.ExactArgs(1), &sessionListing, func(cmd *cobra.Command, d *desk, args []string) ([]sessionRow, error) {
		ended, err := d.sessions.End(cmd.Context(), args[0])
		switch {
		case err != nil:
			return nil, err
		case len(ended) == 0:
			return nil, fmt.Errorf("there is no session %q, nor one of somebody with that id: recoup sessions list shows them", args[0])
		}
		return sessionRows(ended), d.note(cmd.Context(), security.SessionEnded, fmt.Sprintf("%d of %s", len(ended), args[0]))
	})
	return cli.Group("sessions", "List and end the sessions of people in the console", "", list, end)
}

// sessionRow is a session as it is printed.
type sessionRow struct {
	ID      string `json:"id"`
	Person  string `json:"person"`
	Name    string `json:"name"`
	Created string `json:"created_at"`
	Seen    string `json:"seen_at"`
	Expires string `json:"expires_at"`
}

var sessionListing = tabular.Listing[sessionRow]{Name: "sessions", Columns: []string{"id", "person", "name", "created", "seen", "expires"}, Cells: func(r *sessionRow) tabular.Row {
	return tabular.Row{r.ID, r.Person, r.Name, r.Created, r.Seen, r.Expires}
}}

func sessionRows(list []session.Signed) (rows []sessionRow) {
	for _, s := range list {
		rows = append(rows, sessionRow{s.ID, s.Person, s.Name, cli.Seconds(s.Created), cli.Seconds(s.Seen), cli.Seconds(s.Expires)})
	}
	return rows
}
