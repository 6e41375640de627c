package desk

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/reward"
)

func keys() *cobra.Command {
	return cli.Group("keys", "Create, list, rotate and revoke the API keys of a database", "",
		keysCreate(), keysList(), keysRotate(), keysRevoke())
}

func keysCreate() *cobra.Command {
	var scopes []string
	var role string
	var life time.Duration
	var like access.Key
	cmd := listingOf("create --db URL --name NAME --role viewer|operator|approver|admin | --scope ingest|redeem|read|operate|approve|admin", "Create an API key and show it, this once",
		cobra.NoArgs, &keyListing, orMake, func(cmd *cobra.Command, d *desk, _ []string) (rows []keyRow, err error) {
			if like.Scopes, err = allowed(role, scopes); err != nil {
				return nil, err
			}
			switch {
			case len(like.Sources) > 0 || !like.Scopes.Has(scope.Ingest):
			case role != "":
				like.Sources = []string{access.NoSource}
			default:
				return nil, errors.New("--source: a key that delivers events needs the sources that they may have, such as --source core-banking or --source 'pos-*'; --source '*' is any")
			}
			if life != 0 {
				like.Expires = reward.At(time.Now().Add(life))
			}
			key, text, err := d.keys.Create(cmd.Context(), like)
			if err == nil && role != "" {
				err = d.people.Own(cmd.Context(), &key)
			}
			if err != nil {
				return nil, err
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
	cli.Require(cmd, "name")
	return cmd
}

// allowed is what a new key may be used for, by whichever of the two flags was given.
func allowed(role string, scopes []string) (scope.Set, error) {
	if scopes != nil {
		set, err := scope.Parse(scopes)
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

var idOfKey = cli.OneArgument("the id of the key, which keys list shows")

func keysRotate() *cobra.Command {
	var overlap time.Duration
	cmd := listing("rotate --db URL ID", "Make a key that follows another, which ends after a while", idOfKey, &keyListing,
		func(cmd *cobra.Command, d *desk, args []string) ([]keyRow, error) {
			key, text, err := d.keys.Rotate(cmd.Context(), args[0], overlap)
			if err != nil {
				return nil, err
			}
			return d.shown(cmd, security.KeyRotated, key, text)
		})
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "for how long both are in force")
	return cmd
}

func keysList() *cobra.Command {
	return listing("list --db URL", "List all API keys, without their secrets", cobra.NoArgs, &keyListing,
		func(cmd *cobra.Command, d *desk, _ []string) (rows []keyRow, err error) {
			list, err := d.keys.List(cmd.Context())
			for _, key := range list {
				rows = append(rows, rowOf(key))
			}
			return rows, err
		})
}

func keysRevoke() *cobra.Command {
	return listing("revoke --db URL ID", "End an API key for good; services that are running refuse it within seconds", idOfKey, &keyListing,
		func(cmd *cobra.Command, d *desk, args []string) ([]keyRow, error) {
			key, err := d.keys.Revoke(cmd.Context(), args[0])
			if err != nil {
				return nil, err
			}
			return []keyRow{rowOf(key)}, d.note(cmd.Context(), security.KeyRevoked, "key "+key.ID+" ("+key.Name+")")
		})
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
	row := keyRow{ID: key.ID, Name: key.Name, Scopes: key.Scopes.Names(), Created: cli.Seconds(key.Created)}
	if role, ok := access.RoleOf(key.Scopes); ok {
		row.Role = role.String()
	}
	row.Sources, row.Programs, row.Accounts, row.Rate, row.Follows = key.Sources, key.Programs, key.Accounts, key.Rate, key.Follows
	row.Revoked, row.Expires, row.Used = cli.SecondsOrNone(key.Revoked), cli.SecondsOrNone(key.Expires), cli.SecondsOrNone(key.Used)
	return row
}

var keyListing = tabular.Listing[keyRow]{
	Name: "keys", Columns: []string{"id", "name", "role", "scopes", "created", "revoked", "expires", "last used", "limits", "?key"},
	Cells: func(r *keyRow) tabular.Row {
		return tabular.Row{r.ID, r.Name, r.Role, strings.Join(r.Scopes, ", "), r.Created, cli.OrNone(r.Revoked), cli.OrNone(r.Expires), cli.OrNone(r.Used), r.limits(), r.Key}
	},
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
