package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"recoup/console/session"
	"recoup/security"
	"recoup/tabular"
)

func sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "List and end the sessions of people in the console", Args: cobra.NoArgs}
	list := sessionCommand("list --db URL", "List who is signed in", cobra.NoArgs, func(cmd *cobra.Command, d *desk, _ []string) ([]session.Signed, error) {
		return d.sessions.List(cmd.Context())
	})
	end := sessionCommand("end --db URL SESSION|PERSON", "End a session by its id, or all of a person's by theirs", cobra.ExactArgs(1), func(cmd *cobra.Command, d *desk, args []string) ([]session.Signed, error) {
		ended, err := d.sessions.End(cmd.Context(), args[0])
		switch {
		case err != nil:
			return nil, err
		case len(ended) == 0:
			return nil, fmt.Errorf("there is no session %q, nor one of somebody with that id: recoup sessions list shows them", args[0])
		}
		return ended, d.note(cmd.Context(), security.SessionEnded, fmt.Sprintf("%d of %s", len(ended), args[0]))
	})
	cmd.AddCommand(list, end)
	return cmd
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

// sessionCommand is a command that does something with the sessions of a database and
// prints those that it was about.
func sessionCommand(use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *desk, []string) ([]session.Signed, error)) *cobra.Command {
	var url, output string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			rows := []sessionRow{}
			err := atDesk(cmd.Context(), url, openDatabase, func(d *desk) error {
				list, err := do(cmd, d, args)
				for _, s := range list {
					rows = append(rows, sessionRow{s.ID, s.Person, s.Name, seconds(s.Created), seconds(s.Seen), seconds(s.Expires)})
				}
				return err
			})
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"sessions": rows}) }
			asTable := func(w io.Writer) error {
				table := tabular.New(w, "id", "person", "name", "created", "seen", "expires")
				for _, r := range rows {
					table.AppendRow(tabular.Row{r.ID, r.Person, r.Name, r.Created, r.Seen, r.Expires})
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
