package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/security"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/outbox"
	"recoup/reward"
)

func webhooksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "Say where outgoing webhooks go, and look after what could not be delivered",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newWebhooksAdd(), newWebhooksList(), newWebhooksRotate(), newWebhooksDisable(), newWebhooksEnable(),
		newWebhooksRemove(), newWebhooksDead(), newWebhooksReplay(), newWebhooksKeep())
	return cmd
}

const endpointArgument = "the id of the endpoint, which webhooks list shows"

func newWebhooksAdd() *cobra.Command {
	var types []string
	var allowPrivate bool
	cmd := endpointsCommand("add --db URL [--type TYPE]… ADDRESS", "Add an endpoint and show its secret, this once",
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			e, secret, err := outbox.Add(cmd.Context(), args[0], types, allowPrivate)
			if err != nil {
				return nil, err
			}
			return []endpointRow{withSecret(cmd, e, secret)}, nil
		})
	cmd.Args = oneArgument("the URL that deliveries are posted to, such as https://example.com/recoup")
	cmd.Flags().StringSliceVar(&types, "type", nil, "what it wants to be told, one of "+strings.Join(outbox.NoticeTypes[:], ", ")+"; may be repeated; all if left out")
	cmd.Flags().BoolVar(&allowPrivate, "allow-private", false, "allow a private address, and http; the service must allow it as well")
	return cmd
}

func newWebhooksList() *cobra.Command {
	return endpointsCommand("list --db URL", "List all endpoints, with how many deliveries are due and dead",
		func(cmd *cobra.Command, outbox *webhook.Outbox, _ []string) ([]endpointRow, error) {
			list, err := outbox.List(cmd.Context())
			rows := make([]endpointRow, len(list))
			for i, e := range list {
				rows[i] = endpointRowOf(e)
			}
			return rows, err
		})
}

func newWebhooksRotate() *cobra.Command {
	var overlap time.Duration
	cmd := endpointsCommand("rotate --db URL [--overlap DURATION] ID", "Give an endpoint a new secret and show it, this once",
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			if overlap < 0 {
				return nil, fmt.Errorf("--overlap %s: expected zero or more", overlap)
			}
			secret, err := outbox.Rotate(cmd.Context(), args[0], overlap)
			if err != nil {
				return nil, err
			}
			e, err := outbox.Endpoint(cmd.Context(), args[0])
			return []endpointRow{withSecret(cmd, e, secret)}, err
		})
	cmd.Args = oneArgument(endpointArgument)
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the old secret signs as well; 0 for one that has leaked")
	return cmd
}

func newWebhooksDisable() *cobra.Command {
	return endpointCommand("disable", "Stop an endpoint; what is due waits until it is enabled, and nothing new is kept for it", (*webhook.Outbox).Disable)
}

func newWebhooksEnable() *cobra.Command {
	return endpointCommand("enable", "Start an endpoint again, with what is due", (*webhook.Outbox).Enable)
}

// endpointCommand is a command that changes one endpoint.
func endpointCommand(name, short string, change func(*webhook.Outbox, context.Context, string) error) *cobra.Command {
	cmd := endpointsCommand(name+" --db URL ID", short,
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			if err := change(outbox, cmd.Context(), args[0]); err != nil {
				return nil, err
			}
			e, err := outbox.Endpoint(cmd.Context(), args[0])
			return []endpointRow{endpointRowOf(e)}, err
		})
	cmd.Args = oneArgument(endpointArgument)
	return cmd
}

func newWebhooksRemove() *cobra.Command {
	cmd := endpointsCommand("remove --db URL ID", "Forget an endpoint, with all that is due to it and its dead letters",
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) ([]endpointRow, error) {
			e, err := outbox.Endpoint(cmd.Context(), args[0])
			if err != nil {
				return nil, err
			}
			return []endpointRow{endpointRowOf(e)}, outbox.Remove(cmd.Context(), args[0])
		})
	cmd.Args = oneArgument(endpointArgument)
	return cmd
}

func newWebhooksDead() *cobra.Command {
	var endpoint string
	var after int64
	var limit int
	cmd := webhookCommand("dead --db URL [--endpoint ID]", "List deliveries that were given up, with their last errors",
		func(cmd *cobra.Command, outbox *webhook.Outbox, _ []string) (printed, error) {
			if limit < 1 {
				return nil, fmt.Errorf("--limit %d: expected at least 1", limit)
			}
			list, err := outbox.Dead(cmd.Context(), endpoint, after, limit)
			if len(list) == limit {
				fmt.Fprintf(cmd.ErrOrStderr(), "There may be more: --after %d lists them.\n", list[limit-1].Number)
			}
			letters := make(deadLetters, len(list))
			for i, l := range list {
				letters[i] = deadRow{l.Number, l.ID, l.Endpoint, l.Account, l.Type, seconds(reward.At(l.Created)), l.Attempts, l.Error}
			}
			return letters, err
		})
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "only those of this endpoint")
	cmd.Flags().Int64Var(&after, "after", 0, "only those with a greater number")
	cmd.Flags().IntVar(&limit, "limit", 1000, "how many at most")
	return cmd
}

func newWebhooksReplay() *cobra.Command {
	var endpoint string
	cmd := webhookCommand("replay --db URL NUMBER | --endpoint ID", "Try a delivery again that was given up, or all of an endpoint",
		func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) (printed, error) {
			switch {
			case endpoint == "" && len(args) == 1:
				number, err := strconv.ParseInt(args[0], 10, 64)
				if err != nil {
					return nil, fmt.Errorf("%q: expected the number of a dead letter, which webhooks dead shows", args[0])
				}
				return replayed(1), outbox.Replay(cmd.Context(), number)
			case endpoint != "" && len(args) == 0:
				n, err := outbox.ReplayAll(cmd.Context(), endpoint)
				return replayed(n), err
			}
			return nil, errors.New("expected the number of one dead letter, or --endpoint for all of an endpoint")
		})
	cmd.Args = cobra.ArbitraryArgs
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "all dead letters of this endpoint")
	return cmd
}

func newWebhooksKeep() *cobra.Command {
	var url string
	var keep time.Duration
	cmd := &cobra.Command{
		Use:   "keep --db URL --for DURATION",
		Short: "Have notices kept for a time, to be fetched with GET /v1/notices; 0 ends it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := openDatabase(cmd.Context(), url)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := feedOf(db).Keep(cmd.Context(), keep); err != nil {
				return fmt.Errorf("--for: %w", err)
			}
			if keep == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "No notices are kept from now on.")
			} else {
				fmt.Fprintf(cmd.ErrOrStderr(), "Notices are kept for %v from now on.\n", keep)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().DurationVar(&keep, "for", 0, "how long a notice can be fetched, such as 168h")
	cmd.MarkFlagRequired("db")
	cmd.MarkFlagRequired("for")
	return cmd
}

// printed is what a command on webhooks prints.
type printed interface {
	json() any
	table(io.Writer)
}

// webhookCommand is a command that does something with the webhooks of a
// database and prints what came of it.
func webhookCommand(use, short string, do func(*cobra.Command, *webhook.Outbox, []string) (printed, error)) *cobra.Command {
	var url, output string
	var secrets secretsFlag
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			keys, err := secrets.keys()
			if err != nil {
				return err
			}
			db, err := openDatabase(cmd.Context(), url)
			if err != nil {
				return err
			}
			defer db.Close()
			result, err := do(cmd, webhook.New(db, db.Records, time.Now).Sealed(keys), args)
			if err != nil {
				return err
			}
			if err := noteEndpoint(cmd, db, args); err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, result.json()) }
			asTable := func(w io.Writer) error { result.table(w); return nil }
			return write(cmd.OutOrStdout(), output, asJSON, asTable)
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	secrets.flags(cmd.Flags())
	cmd.MarkFlagRequired("db")
	return cmd
}

// endpointsCommand is one that prints endpoints.
func endpointsCommand(use, short string, do func(*cobra.Command, *webhook.Outbox, []string) ([]endpointRow, error)) *cobra.Command {
	return webhookCommand(use, short, func(cmd *cobra.Command, outbox *webhook.Outbox, args []string) (printed, error) {
		rows, err := do(cmd, outbox, args)
		return endpointRows(rows), err
	})
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
	row := endpointRow{ID: e.ID, URL: e.URL, Types: e.Types, Created: seconds(reward.At(e.Created)), Due: e.Due, Dead: e.Dead}
	if len(row.Types) == 0 {
		row.Types = outbox.NoticeTypes[:]
	}
	if !e.Disabled.IsZero() {
		at := seconds(reward.At(e.Disabled))
		row.Disabled = &at
	}
	return row
}

// withSecret is an endpoint with its new secret.
func withSecret(cmd *cobra.Command, e webhook.Endpoint, secret string) endpointRow {
	fmt.Fprintln(cmd.ErrOrStderr(), "Keep the secret: it cannot be shown again.")
	row := endpointRowOf(e)
	row.Secret = secret
	return row
}

type endpointRows []endpointRow

func (rows endpointRows) json() any { return map[string]any{"endpoints": []endpointRow(rows)} }

func (rows endpointRows) table(w io.Writer) {
	columns := []string{"id", "url", "types", "created", "disabled", ">due", ">dead"}
	fresh := len(rows) == 1 && rows[0].Secret != ""
	if fresh {
		columns = append(columns, "secret")
	}
	table := tabular.New(w, columns...)
	for _, r := range rows {
		row := tabular.Row{r.ID, r.URL, strings.Join(r.Types, ", "), r.Created, "", counted(r.Due), counted(r.Dead)}
		if r.Disabled != nil {
			row[4] = *r.Disabled
		}
		if fresh {
			row = append(row, r.Secret)
		}
		table.AppendRow(row)
	}
	table.Render()
}

// counted is how many wait, where no more than webhook.MostCounted are counted.
func counted(n int64) string {
	if n >= webhook.MostCounted {
		return fmt.Sprintf("%d or more", n)
	}
	return strconv.FormatInt(n, 10)
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

type deadLetters []deadRow

func (rows deadLetters) json() any { return map[string]any{"dead": []deadRow(rows)} }

func (rows deadLetters) table(w io.Writer) {
	table := tabular.New(w, ">number", "webhook-id", "endpoint", "account", "type", "created", ">attempts", "last error")
	for _, r := range rows {
		table.AppendRow(tabular.Row{r.Number, r.ID, r.Endpoint, r.Account, r.Type, r.Created, r.Attempts, r.Error})
	}
	table.Render()
}

// replayed is how many deliveries are tried again.
type replayed int64

func (n replayed) json() any { return map[string]any{"replayed": int64(n)} }

func (n replayed) table(w io.Writer) {
	fmt.Fprintf(w, "tried again: %d\n", int64(n))
}

// noteEndpoint notes a command that changes where notices go.
func noteEndpoint(cmd *cobra.Command, db *durable.Database, args []string) error {
	switch about := strings.Join(args, " "); cmd.Name() {
	case "add":
		return noteAt(cmd.Context(), db, security.EndpointChanged, "add "+webhook.Shown(about))
	case "rotate", "disable", "enable", "remove":
		return noteAt(cmd.Context(), db, security.EndpointChanged, cmd.Name()+" "+about)
	}
	return nil
}
