package desk

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/sources"
	"recoup/reward"
)

func sourcesCommand() *cobra.Command {
	return cli.Group("sources", "Look after webhooks of processors that could not be mapped", "",
		sourcesDead(), sourcesReplay(), sourcesDismiss())
}

// deadWebhookRow is a webhook as it is printed.
type deadWebhookRow struct {
	Number   int64  `json:"number"`
	Source   string `json:"source"`
	ID       string `json:"id"`
	Received string `json:"received_at"`
	State    string `json:"state"`
	Why      string `json:"why"`
}

func deadWebhookRowOf(l sources.Letter) deadWebhookRow {
	state := "dead"
	switch {
	case l.Due:
		state = "due"
	case l.Waits:
		state = "waits"
	}
	return deadWebhookRow{l.Number, l.Source, l.ID, cli.Seconds(reward.At(l.Received)), state, l.Why}
}

var deadWebhookListing = tabular.Listing[deadWebhookRow]{
	Name: "webhooks", Columns: []string{">number", "source", "id", "received", "state", "why"},
	Cells: func(r *deadWebhookRow) tabular.Row {
		return tabular.Row{r.Number, r.Source, r.ID, r.Received, r.State, r.Why}
	},
}

// sourcesOf are the sources of a desk's database, to look after what they kept.
func sourcesOf(d *desk) *sources.Sources {
	return sources.New(sources.Options{Records: d.db, Now: time.Now})
}

func sourcesDead() *cobra.Command {
	var after int64
	var limit int
	cmd := listing("dead --db URL", "List webhooks of which something could not be mapped or applied, with why", cobra.NoArgs, &deadWebhookListing,
		func(cmd *cobra.Command, d *desk, _ []string) (rows []deadWebhookRow, err error) {
			if limit < 1 {
				return nil, fmt.Errorf("--limit %d: expected at least 1", limit)
			}
			list, err := sourcesOf(d).Dead(cmd.Context(), after, limit)
			if len(list) == limit {
				fmt.Fprintf(cmd.ErrOrStderr(), "There may be more: --after %d lists them.\n", list[limit-1].Number)
			}
			for _, l := range list {
				rows = append(rows, deadWebhookRowOf(l))
			}
			return rows, err
		})
	cmd.Flags().Int64Var(&after, "after", 0, "only those with a greater number")
	cmd.Flags().IntVar(&limit, "limit", 1000, "how many at most")
	return cmd
}

func sourcesReplay() *cobra.Command {
	var all bool
	cmd := listing("replay --db URL NUMBER… | --all", "Have the service take webhooks again, within a second or two", cobra.ArbitraryArgs, &deadWebhookListing,
		func(cmd *cobra.Command, d *desk, args []string) ([]deadWebhookRow, error) {
			if all != (len(args) == 0) {
				return nil, errors.New("expected numbers that sources dead shows, or --all for all of them")
			}
			return eachOf(cmd, sourcesOf(d), args, all, (*sources.Sources).Replay)
		})
	cmd.Flags().BoolVar(&all, "all", false, "all that are on the list")
	return cmd
}

func sourcesDismiss() *cobra.Command {
	return listing("dismiss --db URL NUMBER…", "Take webhooks off the list that somebody has looked after in another way", cobra.MinimumNArgs(1), &deadWebhookListing,
		func(cmd *cobra.Command, d *desk, args []string) ([]deadWebhookRow, error) {
			return eachOf(cmd, sourcesOf(d), args, false, (*sources.Sources).Dismiss)
		})
}

// eachOf does something with the webhooks of some numbers, or with all, and returns them as
// they were.
func eachOf(cmd *cobra.Command, s *sources.Sources, args []string, all bool, do func(*sources.Sources, context.Context, int64) error) (rows []deadWebhookRow, err error) {
	wanted := make(map[int64]bool)
	for _, arg := range args {
		number, err := strconv.ParseInt(arg, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: expected the number of a webhook, which sources dead shows", arg)
		}
		wanted[number] = true
	}
	const page = 500
	for after := int64(0); ; {
		list, err := s.Dead(cmd.Context(), after, page)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			if after = l.Number; !all && !wanted[l.Number] {
				continue
			}
			if err := do(s, cmd.Context(), l.Number); err != nil {
				return nil, err
			}
			delete(wanted, l.Number)
			rows = append(rows, deadWebhookRowOf(l))
		}
		if len(list) < page {
			break
		}
	}
	for number := range wanted {
		return nil, fmt.Errorf("webhook %d: %w", number, sources.ErrNotFound)
	}
	return rows, nil
}
