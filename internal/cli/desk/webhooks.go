package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/secrets"
	"recoup/internal/service/security"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
	"recoup/internal/store/outbox"
	"recoup/reward"
)

func webhooks() *cobra.Command {
	return cli.Group("webhooks", "Say where outgoing webhooks go, and look after what could not be delivered", "",
		webhooksAdd(), webhooksList(), webhooksRotate(),
		webhooksChange("disable", "Stop an endpoint; what is due waits until it is enabled, and nothing new is kept for it", (*webhook.Outbox).Disable),
		webhooksChange("enable", "Start an endpoint again, with what is due", (*webhook.Outbox).Enable),
		webhooksRemove(), webhooksDead(), webhooksReplay(), webhooksKeep())
}

// hooks is a command that does something with the webhooks of a database and lists what it
// was about.
func hooks[Row any](use, short string, args cobra.PositionalArgs, l *tabular.Listing[Row], do func(*cobra.Command, *webhook.Outbox, []string) ([]Row, error)) *cobra.Command {
	var file *string
	cmd := listing(use, short, args, l, func(cmd *cobra.Command, d *desk, args []string) ([]Row, error) {
		keys, err := secrets.Keys(*file)
		if err != nil {
			return nil, err
		}
		rows, err := do(cmd, webhook.New(d.db, d.db.Records, time.Now).Sealed(keys), args)
		if err == nil {
			err = d.noteEndpoint(cmd, args)
		}
		return rows, err
	})
	file = cli.SecretsKey(cmd)
	return cmd
}

var idOfEndpoint = cli.OneArgument("the id of the endpoint, which webhooks list shows")

func webhooksAdd() *cobra.Command {
	var types []string
	var allowPrivate bool
	cmd := hooks("add --db URL [--type TYPE]… ADDRESS", "Add an endpoint and show its secret, this once",
		cli.OneArgument("the URL that deliveries are posted to, such as https://example.com/recoup, or a topic of Kafka or a subject of JetStream, such as kafka://broker:9092/topic or nats://server:4222/subject"), &endpointListing,
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			e, secret, err := outbox.Add(cmd.Context(), args[0], types, allowPrivate)
			if err != nil {
				return nil, err
			}
			return withSecret(cmd, e, secret), nil
		})
	cmd.Flags().StringSliceVar(&types, "type", nil, "what it wants to be told, one of "+strings.Join(outbox.Choices, ", ")+"; may be repeated; all but "+outbox.JournalPosted+" if left out")
	cmd.Flags().BoolVar(&allowPrivate, "allow-private", false, "allow a private address, and http; the service must allow it as well")
	return cmd
}

func webhooksList() *cobra.Command {
	return hooks("list --db URL", "List all endpoints, with how many deliveries are due and dead", cobra.NoArgs, &endpointListing,
		func(cmd *cobra.Command, outbox *webhook.Outbox, _ []string) (rows []endpointRow, err error) {
			list, err := outbox.List(cmd.Context())
			for _, e := range list {
				rows = append(rows, endpointRowOf(e))
			}
			return rows, err
		})
}

func webhooksRotate() *cobra.Command {
	var overlap time.Duration
	cmd := hooks("rotate --db URL [--overlap DURATION] ID", "Give an endpoint a new secret and show it, this once", idOfEndpoint, &endpointListing,
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			if overlap < 0 {
				return nil, fmt.Errorf("--overlap %s: expected zero or more", overlap)
			}
			secret, err := outbox.Rotate(cmd.Context(), args[0], overlap)
			if err != nil {
				return nil, err
			}
			e, err := outbox.Endpoint(cmd.Context(), args[0])
			return withSecret(cmd, e, secret), err
		})
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the old secret signs as well; 0 for one that has leaked")
	return cmd
}

// webhooksChange is a command that changes one endpoint.
func webhooksChange(name, short string, change func(*webhook.Outbox, context.Context, string) error) *cobra.Command {
	return hooks(name+" --db URL ID", short, idOfEndpoint, &endpointListing,
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			if err := change(outbox, cmd.Context(), args[0]); err != nil {
				return nil, err
			}
			e, err := outbox.Endpoint(cmd.Context(), args[0])
			return []endpointRow{endpointRowOf(e)}, err
		})
}

func webhooksRemove() *cobra.Command {
	return hooks("remove --db URL ID", "Forget an endpoint, with all that is due to it and its dead letters", idOfEndpoint, &endpointListing,
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			e, err := outbox.Endpoint(cmd.Context(), args[0])
			if err != nil {
				return nil, err
			}
			return []endpointRow{endpointRowOf(e)}, outbox.Remove(cmd.Context(), args[0])
		})
}

func webhooksDead() *cobra.Command {
	var endpoint string
	var after int64
	var limit int
	cmd := hooks("dead --db URL [--endpoint ID]", "List deliveries that were given up, with their last errors", cobra.NoArgs, &deadListing,
		func(cmd *cobra.Command, outbox *webhook.Outbox, _ []string) (rows []deadRow, err error) {
			if limit < 1 {
				return nil, fmt.Errorf("--limit %d: expected at least 1", limit)
			}
			list, err := outbox.Dead(cmd.Context(), endpoint, after, limit)
			if len(list) == limit {
				fmt.Fprintf(cmd.ErrOrStderr(), "There may be more: --after %d lists them.\n", list[limit-1].Number)
			}
			for _, l := range list {
				rows = append(rows, deadRow{l.Number, l.ID, l.Endpoint, l.Account, l.Type, cli.Seconds(reward.At(l.Created)), l.Attempts, l.Error})
			}
			return rows, err
		})
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "only those of this endpoint")
	cmd.Flags().Int64Var(&after, "after", 0, "only those with a greater number")
	cmd.Flags().IntVar(&limit, "limit", 1000, "how many at most")
	return cmd
}

func webhooksReplay() *cobra.Command {
	var db *open.Database
	var format *tabular.Format
	var file *string
	var endpoint string
	cmd := &cobra.Command{
		Use:   "replay --db URL NUMBER | --endpoint ID",
		Short: "Try a delivery again that was given up, or all of an endpoint",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := secrets.Keys(*file)
			if err != nil {
				return err
			}
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				n, err := replayed(cmd.Context(), webhook.New(d, d.Records, time.Now).Sealed(keys), endpoint, args)
				if err != nil {
					return err
				}
				return format.Write(cmd.OutOrStdout(), func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"replayed": n}) }, func(w io.Writer) error {
					_, err := fmt.Fprintf(w, "tried again: %d\n", n)
					return err
				})
			})
		},
	}
	db, format, file = cli.Database(cmd), cli.Output(cmd), cli.SecretsKey(cmd)
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "all dead letters of this endpoint")
	return cmd
}

// replayed has one dead letter tried again, or all of an endpoint, and counts them.
func replayed(ctx context.Context, outbox *webhook.Outbox, endpoint string, args []string) (int64, error) {
	switch {
	case endpoint == "" && len(args) == 1:
		number, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q: expected the number of a dead letter, which webhooks dead shows", args[0])
		}
		return 1, outbox.Replay(ctx, number)
	case endpoint != "" && len(args) == 0:
		n, err := outbox.ReplayAll(ctx, endpoint)
		return int64(n), err
	}
	return 0, errors.New("expected the number of one dead letter, or --endpoint for all of an endpoint")
}

func webhooksKeep() *cobra.Command {
	var db *open.Database
	var keep time.Duration
	cmd := &cobra.Command{
		Use:   "keep --db URL --for DURATION",
		Short: "Have notices kept for a time, to be fetched with GET /v1/notices; 0 ends it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				if err := webhook.FeedOf(d).Keep(cmd.Context(), keep); err != nil {
					return fmt.Errorf("--for: %w", err)
				}
				if keep == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "No notices are kept from now on.")
				} else {
					fmt.Fprintf(cmd.ErrOrStderr(), "Notices are kept for %v from now on.\n", keep)
				}
				return nil
			})
		},
	}
	db = cli.Database(cmd)
	cmd.Flags().DurationVar(&keep, "for", 0, "how long a notice can be fetched, such as 168h")
	cli.Require(cmd, "for")
	return cmd
}

// endpointRow is an endpoint as it is printed. Secret is there where it is new.
type endpointRow struct {
	ID       string   `json:"id"`
	URL      string   `json:"url"`
	Types    []string `json:"types"`
	Created  string   `json:"created_at"`
	Disabled *string  `json:"disabled_at"`
	Due      int64    `json:"due"`
	Dead     int64    `json:"dead"`
	Secret   string   `json:"secret,omitempty"`
}

func endpointRowOf(e webhook.Endpoint) endpointRow {
	row := endpointRow{ID: e.ID, URL: e.URL, Types: e.Types, Created: cli.Seconds(reward.At(e.Created)), Due: e.Due, Dead: e.Dead}
	if len(row.Types) == 0 {
		row.Types = outbox.NoticeTypes[:]
	}
	if !e.Disabled.IsZero() {
		row.Disabled = cli.SecondsOrNone(reward.At(e.Disabled))
	}
	return row
}

// withSecret is an endpoint with its new secret.
func withSecret(cmd *cobra.Command, e webhook.Endpoint, secret string) []endpointRow {
	fmt.Fprintln(cmd.ErrOrStderr(), "Keep the secret: it cannot be shown again.")
	row := endpointRowOf(e)
	row.Secret = secret
	return []endpointRow{row}
}

var endpointListing = tabular.Listing[endpointRow]{
	Name: "endpoints", Columns: []string{"id", "url", "types", "created", "disabled", ">due", ">dead", "?secret"},
	Cells: func(r *endpointRow) tabular.Row {
		return tabular.Row{r.ID, r.URL, strings.Join(r.Types, ", "), r.Created, cli.OrNone(r.Disabled), webhook.Counted(r.Due), webhook.Counted(r.Dead), r.Secret}
	},
}

// deadRow is a dead letter as it is printed.
type deadRow struct {
	Number   int64  `json:"number"`
	ID       string `json:"webhook_id"`
	Endpoint string `json:"endpoint"`
	Account  string `json:"account"`
	Type     string `json:"type"`
	Created  string `json:"created_at"`
	Attempts int64  `json:"attempts"`
	Error    string `json:"error"`
}

var deadListing = tabular.Listing[deadRow]{
	Name: "dead", Columns: []string{">number", "webhook-id", "endpoint", "account", "type", "created", ">attempts", "last error"},
	Cells: func(r *deadRow) tabular.Row {
		return tabular.Row{r.Number, r.ID, r.Endpoint, r.Account, r.Type, r.Created, r.Attempts, r.Error}
	},
}

// noteEndpoint notes a command that changes where notices go.
func (d *desk) noteEndpoint(cmd *cobra.Command, args []string) error {
	switch about := strings.Join(args, " "); cmd.Name() {
	case "add":
		return d.note(cmd.Context(), security.EndpointChanged, "add "+webhook.Shown(about))
	case "rotate", "disable", "enable", "remove":
		return d.note(cmd.Context(), security.EndpointChanged, cmd.Name()+" "+about)
	}
	return nil
}
