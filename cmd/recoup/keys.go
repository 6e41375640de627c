package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/access"
	"recoup/reward"
	"recoup/store/durable"
	"recoup/store/pebble"
	"recoup/tabular"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Create, list and revoke the API keys of a database",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newKeysCreate(), newKeysList(), newKeysRevoke())
	return cmd
}

func newKeysCreate() *cobra.Command {
	var scopes []string
	var role, name string
	cmd := keyCommand("create --db URL --name NAME --role viewer|operator|approver|admin | --scope ingest|redeem|read|operate|approve|admin", "Create an API key and show it, this once",
		func(cmd *cobra.Command, keys *access.Keys, _ []string) ([]keyRow, error) {
			set, err := allowed(cmd, role, scopes)
			if err != nil {
				return nil, err
			}
			key, text, err := keys.Create(cmd.Context(), name, set)
			if err != nil {
				return nil, err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "Keep the key: it cannot be shown again. A service that is running takes it within a second.")
			row := rowOf(key)
			row.Key = text
			return []keyRow{row}, nil
		})
	cmd.Flags().StringSliceVar(&scopes, "scope", nil, "what a program may use the key for; may be repeated; admin implies the others")
	cmd.Flags().StringVar(&role, "role", "", "for a person, instead of --scope: viewer (looks), operator (works reviews, proposes adjustments too), approver (decides about adjustments of others too) or admin (everything)")
	cmd.Flags().StringVar(&name, "name", "", "what people call it")
	cmd.MarkFlagsOneRequired("role", "scope")
	cmd.MarkFlagsMutuallyExclusive("role", "scope")
	cmd.MarkFlagRequired("name")
	return cmd
}

// allowed is what a new key may be used for, by whichever of the two flags was given.
func allowed(cmd *cobra.Command, role string, scopes []string) (access.Scopes, error) {
	if !cmd.Flags().Changed("role") {
		set, err := access.ParseScopes(scopes)
		if err != nil {
			return 0, fmt.Errorf("--scope: %w", err)
		}
		return set, nil
	}
	r, err := access.ParseRole(role)
	if err != nil {
		return 0, fmt.Errorf("--role: %w", err)
	}
	return r.Scopes(), nil
}

func newKeysList() *cobra.Command {
	return keyCommand("list --db URL", "List all API keys, without their secrets",
		func(cmd *cobra.Command, keys *access.Keys, _ []string) ([]keyRow, error) {
			list, err := keys.List(cmd.Context())
			rows := make([]keyRow, len(list))
			for i, key := range list {
				rows[i] = rowOf(key)
			}
			return rows, err
		})
}

func newKeysRevoke() *cobra.Command {
	cmd := keyCommand("revoke --db URL ID", "End an API key for good; services that are running refuse it within seconds",
		func(cmd *cobra.Command, keys *access.Keys, args []string) ([]keyRow, error) {
			key, err := keys.Revoke(cmd.Context(), args[0])
			return []keyRow{rowOf(key)}, err
		})
	cmd.Args = oneArgument("the id of the key, which keys list shows")
	return cmd
}

// keyRow is a key as it is printed. Role is the strongest that its scopes add up to,
// empty if there is none. Key is its text, where it is created.
type keyRow struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Role    string   `json:"role,omitempty"`
	Scopes  []string `json:"scopes"`
	Created string   `json:"created_at"`
	Revoked *string  `json:"revoked_at"`
	Key     string   `json:"key,omitempty"`
}

func rowOf(key access.Key) keyRow {
	row := keyRow{ID: key.ID, Name: key.Name, Scopes: key.Scopes.Names(), Created: seconds(key.Created)}
	if role, ok := access.RoleOf(key.Scopes); ok {
		row.Role = role.String()
	}
	if key.Revoked != 0 {
		at := seconds(key.Revoked)
		row.Revoked = &at
	}
	return row
}

func seconds(at reward.Instant) string { return at.Time().Format(time.RFC3339) }

// keyCommand is a command that does something with the keys of a database and
// prints those that it was about.
func keyCommand(use, short string, do func(*cobra.Command, *access.Keys, []string) ([]keyRow, error)) *cobra.Command {
	var url, output string
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			open := openDatabase
			if cmd.Name() == "create" {
				open = openForFirstKey
			}
			rows, err := withKeys(cmd.Context(), url, open, func(keys *access.Keys) ([]keyRow, error) { return do(cmd, keys, args) })
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"keys": rows}) }
			asTable := func(w io.Writer) error { writeKeys(w, rows); return nil }
			return write(cmd.OutOrStdout(), output, asJSON, asTable)
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	cmd.MarkFlagRequired("db")
	return cmd
}

// openForFirstKey makes the database if it is not there, for there must be a key before
// there is a service.
func openForFirstKey(ctx context.Context, db string) (*durable.Database, error) {
	d, err := openOrCreate(ctx, db)
	if errors.As(err, new(*pebble.HeldError)) {
		return openDatabase(ctx, db)
	}
	return d, err
}

// withKeys opens a database for as long as something is done with its keys.
func withKeys(ctx context.Context, url string, open func(context.Context, string) (*durable.Database, error), do func(*access.Keys) ([]keyRow, error)) ([]keyRow, error) {
	db, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return do(access.New(db, time.Now))
}

func writeKeys(w io.Writer, rows []keyRow) {
	columns := []string{"id", "name", "role", "scopes", "created", "revoked"}
	fresh := len(rows) == 1 && rows[0].Key != ""
	if fresh {
		columns = append(columns, "key")
	}
	table := tabular.New(w, columns...)
	for _, r := range rows {
		row := tabular.Row{r.ID, r.Name, r.Role, strings.Join(r.Scopes, ", "), r.Created, ""}
		if r.Revoked != nil {
			row[5] = *r.Revoked
		}
		if fresh {
			row = append(row, r.Key)
		}
		table.AppendRow(row)
	}
	table.Render()
}
