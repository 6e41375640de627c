package desk

import (
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/access"
	"recoup/internal/service/security"
)

func people() *cobra.Command {
	var name string
	add := listing("add --db URL --name NAME", "Make a person", cobra.NoArgs, &personListing, func(cmd *cobra.Command, d *desk, _ []string) ([]personRow, error) {
		h, err := d.people.Add(cmd.Context(), name)
		return changed(cmd, d, h, err, "made")
	})
	add.Flags().StringVar(&name, "name", "", "what people call them; nobody else may be called so")
	cli.Require(add, "name")
	link := listing("link --db URL PERSON PRINCIPAL", "Say that a key or a sign-in is a person's", cobra.ExactArgs(2), &personListing, func(cmd *cobra.Command, d *desk, args []string) ([]personRow, error) {
		h, err := d.people.Link(cmd.Context(), args[0], args[1])
		return changed(cmd, d, h, err, "linked to "+args[1])
	})
	unlink := listing("unlink --db URL PRINCIPAL", "Say that a key or a sign-in is nobody's any more", cobra.ExactArgs(1), &personListing, func(cmd *cobra.Command, d *desk, args []string) ([]personRow, error) {
		h, err := d.people.Unlink(cmd.Context(), args[0])
		return changed(cmd, d, h, err, "unlinked from "+args[0])
	})
	list := listing("list --db URL", "List all people and what is theirs", cobra.NoArgs, &personListing, func(cmd *cobra.Command, d *desk, _ []string) ([]personRow, error) {
		list, err := d.people.List(cmd.Context())
		return personRows(list...), err
	})
	return cli.Group("people", "Say which keys and sign-ins are one person's",
		"Whoever has two keys, or a key and a sign-in at a provider, is one person once both are\n"+
			"linked to them, and cannot agree to what they propose. The principal of a key is its id,\n"+
			"that of a sign-in oidc:ISSUER#SUBJECT, with the provider's address and the subject that it knows somebody by.",
		add, link, unlink, list)
}

// changed notes what was changed of a person.
func changed(cmd *cobra.Command, d *desk, h access.Human, err error, how string) ([]personRow, error) {
	if err != nil {
		return nil, err
	}
	return personRows(h), d.note(cmd.Context(), security.PersonChanged, h.ID+" ("+h.Name+") "+how)
}

// personRow is a person as they are printed.
type personRow struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Principals []string `json:"principals"`
	Created    string   `json:"created_at"`
}

var personListing = tabular.Listing[personRow]{Name: "people", Columns: []string{"id", "name", "principals", "created"}, Cells: func(r *personRow) tabular.Row {
	return tabular.Row{r.ID, r.Name, strings.Join(r.Principals, ", "), r.Created}
}}

func personRows(list ...access.Human) (rows []personRow) {
	for _, h := range list {
		rows = append(rows, personRow{h.ID, h.Name, append([]string{}, h.Principals...), cli.Seconds(h.Created)})
	}
	return rows
}
