package books

import (
	"fmt"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/store/open"
	"recoup/reward"
)

func migrate() *cobra.Command {
	return cli.Group("migrate", "Show or bring up to date the schema of a database",
		"`recoup serve` brings the schema up to date when it starts. These commands do it\n"+
			"apart, for instance before the first of several processes is replaced.",
		migrateStatus(), migrateUp())
}

// migrationRow is a step of the schema as it is listed.
type migrationRow struct {
	Schema  string  `json:"schema,omitempty"` // of a ledger that has several
	Version int64   `json:"version"`
	Name    string  `json:"name"`
	Applied *string `json:"applied"`
}

var migrationListing = tabular.Listing[migrationRow]{
	Name: "migrations", Columns: []string{"schema", ">version", "name", "applied"},
	Cells: func(r *migrationRow) tabular.Row {
		applied := "not yet"
		if r.Applied != nil {
			applied = *r.Applied
		}
		return tabular.Row{r.Schema, r.Version, r.Name, applied}
	},
}

func migrateStatus() *cobra.Command {
	var db *open.Database
	var format *tabular.Format
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the steps of the schema, or the format of a folder, and when each was applied; change nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			steps, err := db.Migrations(cmd.Context())
			if err != nil {
				return err
			}
			rows := make([]migrationRow, len(steps))
			for i, m := range steps {
				rows[i] = migrationRow{Schema: m.Schema, Version: m.Version, Name: m.Name}
				if !m.Applied.IsZero() {
					rows[i].Applied = cli.SecondsOrNone(reward.At(m.Applied))
				}
			}
			return migrationListing.Write(cmd.OutOrStdout(), *format, rows)
		},
	}
	db, format = cli.Database(cmd), cli.Output(cmd)
	return cmd
}

func migrateUp() *cobra.Command {
	var db *open.Database
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring the schema up to date; make the database if it is a folder that is not there",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := db.OrMake(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "the schema is up to date")
			return d.Close()
		},
	}
	db = cli.Database(cmd)
	return cmd
}
