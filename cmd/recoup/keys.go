package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/access"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/reward"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Create, list, rotate and revoke the API keys of a database",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newKeysCreate(), newKeysList(), newKeysRotate(), newKeysRevoke())
	return cmd
}

func newKeysCreate() *cobra.Command {
	var scopes []string
	var role string
	var life time.Duration
	var like access.Key
	cmd := keyCommand("create --db URL --name NAME --role viewer|operator|approver|admin | --scope ingest|redeem|read|operate|approve|admin", "Create an API key and show it, this once",
		func(cmd *cobra.Command, d *desk, _ []string) ([]keyRow, error) {
			set, err := allowed(cmd, role, scopes)
			if err != nil {
				return nil, err
			}
			like.Scopes = set
			switch {
			case len(like.Sources) > 0 || !set.Has(access.Ingest):
			case role != "":
				like.Sources = []string{noSource}
			default:
				return nil, errors.New("--source: a key that delivers events needs the sources that they may have, such as --source core-banking or --source 'pos-*'; --source '*' is any")
			}
			if life != 0 {
				like.Expires = reward.At(time.Now().Add(life))
			}
			key, text, err := d.keys.Create(cmd.Context(), like)
			if err != nil {
				return nil, err
			}
			if role != "" {
				if err := d.belong(cmd.Context(), &key); err != nil {
					return nil, err
				}
			}
			return d.shown(cmd, security.KeyMade, key, text)
		})
	f := cmd.Flags()
	f.StringSliceVar(&scopes, "scope", nil, "what a program may use the key for; may be repeated; admin implies the others")
	f.StringVar(&role, "role", "", "for a person, instead of --scope: viewer (looks), operator (works reviews, proposes adjustments too), approver (decides about adjustments of others too) or admin (everything)")
	f.StringVar(&like.Name, "name", "", "what people call it; with --role the name of the person whose it is")
	f.StringArrayVar(&like.Sources, "source", nil, "source that its events may have, with * for any characters; may be repeated; needed with the scope ingest")
	f.StringArrayVar(&like.Programs, "program", nil, "program whose accounts it may be used for, and which it may open accounts of; may be repeated; without any it is used for all, and opens accounts of the default program")
	f.StringArrayVar(&like.Accounts, "account-prefix", nil, "what the ids of accounts begin with that it may be used for; may be repeated")
	f.IntVar(&like.Rate, "rate", 0, "requests per second that it may be used for (default no limit of its own)")
	f.DurationVar(&life, "expires-in", 0, "for how long it lets somebody in, such as 2160h (default for ever)")
	cmd.MarkFlagsOneRequired("role", "scope")
	cmd.MarkFlagsMutuallyExclusive("role", "scope")
	cmd.MarkFlagRequired("name")
	return cmd
}

// noSource is the pattern of a source that no sender has: that of keys which people sign in
// with.
const noSource = "recoup:none"

// belong links a key to the person of its name, who is made if there is none.
func (d *desk) belong(ctx context.Context, key *access.Key) error {
	person, err := d.people.Named(ctx, key.Name)
	if err != nil {
		return err
	}
	_, err = d.people.Link(ctx, person.ID, key.ID)
	return err
}

// shown shows a key that was made, with its text, and notes that it was.
func (d *desk) shown(cmd *cobra.Command, what security.What, key access.Key, text string) ([]keyRow, error) {
	if err := d.note(cmd.Context(), what, "key "+key.ID+" ("+key.Name+"): "+key.Scopes.String()); err != nil {
		return nil, err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "Keep the key: it cannot be shown again. A service that is running takes it within a second.")
	row := rowOf(key)
	row.Key = text
	return []keyRow{row}, nil
}

func newKeysRotate() *cobra.Command {
	var overlap time.Duration
	cmd := keyCommand("rotate --db URL ID", "Make a key that follows another, which ends after a while",
		func(cmd *cobra.Command, d *desk, args []string) ([]keyRow, error) {
			key, text, err := d.keys.Rotate(cmd.Context(), args[0], overlap)
			if err != nil {
				return nil, err
			}
			return d.shown(cmd, security.KeyRotated, key, text)
		})
	cmd.Args = oneArgument("the id of the key, which keys list shows")
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "for how long both are in force")
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
		func(cmd *cobra.Command, d *desk, _ []string) ([]keyRow, error) {
			list, err := d.keys.List(cmd.Context())
			rows := make([]keyRow, len(list))
			for i, key := range list {
				rows[i] = rowOf(key)
			}
			return rows, err
		})
}

func newKeysRevoke() *cobra.Command {
	cmd := keyCommand("revoke --db URL ID", "End an API key for good; services that are running refuse it within seconds",
		func(cmd *cobra.Command, d *desk, args []string) ([]keyRow, error) {
			key, err := d.keys.Revoke(cmd.Context(), args[0])
			if err != nil {
				return nil, err
			}
			return []keyRow{rowOf(key)}, d.note(cmd.Context(), security.KeyRevoked, "key "+key.ID+" ("+key.Name+")")
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
	Expires *string  `json:"expires_at"`
	Used    *string  `json:"last_used_at"`
	Follows string   `json:"follows,omitempty"`

	Sources  []string `json:"sources,omitempty"`
	Programs []string `json:"programs,omitempty"`
	Accounts []string `json:"account_prefixes,omitempty"`
	Rate     int      `json:"rate,omitempty"`

	Key string `json:"key,omitempty"`
}

func rowOf(key access.Key) keyRow {
	row := keyRow{ID: key.ID, Name: key.Name, Scopes: key.Scopes.Names(), Created: seconds(key.Created)}
	if role, ok := access.RoleOf(key.Scopes); ok {
		row.Role = role.String()
	}
	row.Sources, row.Programs, row.Accounts, row.Rate, row.Follows = key.Sources, key.Programs, key.Accounts, key.Rate, key.Follows
	for _, m := range []struct {
		at   reward.Instant
		into **string
	}{{key.Revoked, &row.Revoked}, {key.Expires, &row.Expires}, {key.Used, &row.Used}} {
		if m.at != 0 {
			at := seconds(m.at)
			*m.into = &at
		}
	}
	return row
}

func seconds(at reward.Instant) string { return at.Time().Format(time.RFC3339) }

// keyCommand is a command that does something with the keys of a database and
// prints those that it was about.
func keyCommand(use, short string, do func(*cobra.Command, *desk, []string) ([]keyRow, error)) *cobra.Command {
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
			var rows []keyRow
			err := atDesk(cmd.Context(), url, open, func(d *desk) (err error) {
				rows, err = do(cmd, d, args)
				return err
			})
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

func writeKeys(w io.Writer, rows []keyRow) {
	columns := []string{"id", "name", "role", "scopes", "created", "revoked", "expires", "last used", "limits"}
	fresh := len(rows) == 1 && rows[0].Key != ""
	if fresh {
		columns = append(columns, "key")
	}
	table := tabular.New(w, columns...)
	for i := range rows {
		r := &rows[i]
		row := tabular.Row{r.ID, r.Name, r.Role, strings.Join(r.Scopes, ", "), r.Created, orNone(r.Revoked), orNone(r.Expires), orNone(r.Used), r.limits()}
		if fresh {
			row = append(row, r.Key)
		}
		table.AppendRow(row)
	}
	table.Render()
}

func orNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// limits are those of a key on one line.
func (r *keyRow) limits() string {
	var parts []string
	for _, l := range []struct {
		what string
		list []string
	}{{"source", r.Sources}, {"program", r.Programs}, {"account", r.Accounts}} {
		if len(l.list) > 0 {
			parts = append(parts, l.what+" "+strings.Join(l.list, " or "))
		}
	}
	if r.Rate > 0 {
		parts = append(parts, fmt.Sprintf("%d/s", r.Rate))
	}
	return strings.Join(parts, "; ")
}
