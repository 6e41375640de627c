package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recoup/access"
	"recoup/security"
	"recoup/tabular"
)

func peopleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "people",
		Short: "Say which keys and sign-ins are one person's",
		Long: "Whoever has two keys, or a key and a sign-in at a provider, is one person once both are\n" +
			"linked to them, and cannot agree to what they propose. The principal of a key is its id,\n" +
			"that of a sign-in \"oidc:\" and the subject that the provider knows somebody by.",
		Args: cobra.NoArgs,
	}
	var name string
	add := personCommand("add --db URL --name NAME", "Make a person", cobra.NoArgs, func(cmd *cobra.Command, d *desk, _ []string) ([]access.Human, error) {
		h, err := d.people.Add(cmd.Context(), name)
		return changed(cmd, d, h, err, "made")
	})
	add.Flags().StringVar(&name, "name", "", "what people call them; nobody else may be called so")
	add.MarkFlagRequired("name")
	link := personCommand("link --db URL PERSON PRINCIPAL", "Say that a key or a sign-in is a person's", cobra.ExactArgs(2), func(cmd *cobra.Command, d *desk, args []string) ([]access.Human, error) {
		h, err := d.people.Link(cmd.Context(), args[0], args[1])
		return changed(cmd, d, h, err, "linked to "+args[1])
	})
	unlink := personCommand("unlink --db URL PRINCIPAL", "Say that a key or a sign-in is nobody's any more", cobra.ExactArgs(1), func(cmd *cobra.Command, d *desk, args []string) ([]access.Human, error) {
		h, err := d.people.Unlink(cmd.Context(), args[0])
		return changed(cmd, d, h, err, "unlinked from "+args[0])
	})
	list := personCommand("list --db URL", "List all people and what is theirs", cobra.NoArgs, func(cmd *cobra.Command, d *desk, _ []string) ([]access.Human, error) {
		return d.people.List(cmd.Context())
	})
	cmd.AddCommand(add, link, unlink, list)
	return cmd
}

// changed notes what was changed of a person.
func changed(cmd *cobra.Command, d *desk, h access.Human, err error, how string) ([]access.Human, error) {
	if err != nil {
		return nil, err
	}
	return []access.Human{h}, d.note(cmd.Context(), security.PersonChanged, h.ID+" ("+h.Name+") "+how)
}

// personRow is a person as they are printed.
type personRow struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Principals []string `json:"principals"`
	Created    string   `json:"created_at"`
}

// personCommand is a command that does something with the people of a database and prints
// those that it was about.
func personCommand(use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *desk, []string) ([]access.Human, error)) *cobra.Command {
	var url, output string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			rows := []personRow{}
			err := atDesk(cmd.Context(), url, openDatabase, func(d *desk) error {
				list, err := do(cmd, d, args)
				for _, h := range list {
					rows = append(rows, personRow{h.ID, h.Name, append([]string{}, h.Principals...), seconds(h.Created)})
				}
				return err
			})
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"people": rows}) }
			asTable := func(w io.Writer) error {
				table := tabular.New(w, "id", "name", "principals", "created")
				for _, r := range rows {
					table.AppendRow(tabular.Row{r.ID, r.Name, strings.Join(r.Principals, ", "), r.Created})
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
