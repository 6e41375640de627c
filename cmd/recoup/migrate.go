package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/shards"
)

// migrateCommand looks after the schema of a database.
func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Show or bring up to date the schema of a database",
		Long: "`recoup serve` brings the schema up to date when it starts. These commands do it\n" +
			"apart, for instance before the first of several processes is replaced.",
	}
	cmd.AddCommand(migrateStatusCommand(), migrateUpCommand())
	return cmd
}

// migrationRow is a step of the schema as it is listed.
type migrationRow struct {
	Schema  string  `json:"schema,omitempty"` // of a ledger that has several
	Version int64   `json:"version"`
	Name    string  `json:"name"`
	Applied *string `json:"applied"`
}

func migrateStatusCommand() *cobra.Command {
	var url, output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the steps of the schema, or the format of a folder, and when each was applied; change nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := migrationsOf(cmd.Context(), url)
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"migrations": rows}) }
			asTable := func(w io.Writer) error {
				table := tabular.New(w, "schema", ">version", "name", "applied")
				for _, r := range rows {
					applied := "not yet"
					if r.Applied != nil {
						applied = *r.Applied
					}
					table.AppendRow(tabular.Row{r.Schema, r.Version, r.Name, applied})
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

func migrationsOf(ctx context.Context, db string) ([]migrationRow, error) {
	at, err := parsePlace(db)
	if err != nil {
		return nil, err
	}
	schemas := []shards.Shard{{Number: postgres.Home, Place: shards.Place{URL: at.url}}}
	if at.file != "" {
		f, err := shards.ReadFile(at.file)
		if err != nil {
			return nil, err
		}
		schemas = append([]shards.Shard{{Number: postgres.Home, Place: f.Home}}, f.Shards...)
	}
	var rows []migrationRow
	for _, s := range schemas {
		var list []durable.Migration
		if at.folder != "" {
			list, err = pebble.Status(at.folder)
		} else {
			list, err = postgres.Status(ctx, s.URL, s.Schema)
		}
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			row := migrationRow{Schema: s.Schema, Version: m.Version, Name: m.Name}
			if !m.Applied.IsZero() {
				at := m.Applied.UTC().Format(time.RFC3339)
				row.Applied = &at
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func migrateUpCommand() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring the schema up to date; make the database if it is a folder that is not there",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := openOrCreate(cmd.Context(), url)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "the schema is up to date")
			return db.Close()
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.MarkFlagRequired("db")
	return cmd
}
