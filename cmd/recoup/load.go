package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/event/card"
	"recoup/internal/engine"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/pebble"
	"recoup/reward"
)

func newLoad() *cobra.Command {
	var o serveOptions
	var output string
	var replay bool
	cmd := &cobra.Command{
		Use:   "load --db URL EVENTS.jsonl|-",
		Short: "Apply a file of events to a database",
		Long: "Applies events to a database without the service, in large batches: to start with an\n" +
			"existing history, or to carry one over from another database. On PostgreSQL it may run\n" +
			"while the service does. To run it again is safe, for events that are there are duplicates.\n" +
			"Events that only a service makes itself, such as what people proposed and approved there, are\n" +
			"refused unless --replay says that the file is a log. The security log has who loaded what.",
		Args: oneArgument("the file of events or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			in, err := openInput(args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			given, err := readPrograms(o.programs)
			if err != nil {
				return err
			}
			d, err := openOrCreate(cmd.Context(), o.db)
			if errors.As(err, new(*pebble.HeldError)) {
				return fmt.Errorf("--db: %w: stop it first, or send the events to it with POST /v1/events", err)
			}
			if err != nil {
				return err
			}
			defer d.Close()
			if err := noteLoad(cmd.Context(), d, in.name, replay); err != nil {
				return err
			}
			reader := event.NewReader(in, in.name)
			done := showProgress("loading", progress.UnitsBytes, in.size, reader.Consumed)
			outcomes, err := load(cmd.Context(), d, reader, given, o.maxAhead, replay)
			done()
			if err != nil {
				return err
			}
			return writeOutcomes(cmd.OutOrStdout(), output, outcomes)
		},
	}
	cmd.Flags().StringVar(&o.db, "db", "", databaseUsage)
	cmd.Flags().StringArrayVar(&o.programs, "program", nil, "program file to put into the database if it is not there; may be repeated, the first ever put is the default")
	cmd.Flags().DurationVar(&o.maxAhead, "max-ahead", 15*time.Minute, "how far ahead of now an event may be dated")
	cmd.Flags().BoolVar(&replay, "replay", false, "the file is the log of a ledger, as recoup export events writes it: take what a service made itself from it, such as approvals, too")
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	cmd.MarkFlagRequired("db")
	return cmd
}

// load applies a stream of events, a batch a commit, and counts the results. What a service
// makes itself is taken from a log alone, which is replayed.
func load(ctx context.Context, d *durable.Database, in *event.Reader, given []programFile, maxAhead time.Duration, replay bool) (map[reward.Result]int64, error) {
	programs, err := openPrograms(ctx, d, given, false)
	if err != nil {
		return nil, err
	}
	now := func() reward.Instant { return reward.At(time.Now()) }
	en := engine.New(durable.Over(d, durable.Options{Programs: programs, Now: now}))
	exempted, err := exempt.Open(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	outcomes := make(map[reward.Result]int64)
	var results []reward.Result
	for batch, err := range in.Batches(ctx) {
		if err != nil {
			return nil, fmt.Errorf("%w; what comes before that batch is in the database", err)
		}
		latest := now() + reward.Instant(maxAhead)
		for i := range batch {
			e := &batch[i]
			if !replay && ownEvent(e) {
				return nil, fmt.Errorf("event %q of account %q is a %v of the source %q, which is the service's own: expected --replay with it, for a log that a ledger has exported; what comes before its batch is in the database", e.ID, e.Account, e.Type, e.Source)
			}
			if member, is := event.CardNumber(e, func(m string) bool { return exempted.Has(e.Source, m) }); is && !replay {
				return nil, fmt.Errorf("%s of event %q looks like the number of a card: expected none, a member that recoup exemptions add has exempted, or that the event is sent to the service, which keeps it apart; what comes before its batch is in the database", member, card.Mask(e.ID))
			}
			if e.Time > latest {
				return nil, fmt.Errorf("event %q of account %q is dated %v, more than %v ahead of now: one bad clock must not move an account into the future", e.ID, e.Account, e.Time, maxAhead)
			}
		}
		if results, err = en.Apply(ctx, batch, results[:0]); err != nil {
			return nil, err
		}
		for _, r := range results {
			outcomes[r]++
		}
	}
	return outcomes, nil
}

// ownEvent reports whether an event is of those that no sender may deliver to a service.
func ownEvent(e *reward.Event) bool {
	return strings.HasPrefix(e.Source, "recoup:") || e.Source == "api" || e.Type.OnRecord() || e.Account == approval.TermsAccount
}

// writeOutcomes writes how often there was which result.
func writeOutcomes(w io.Writer, output string, outcomes map[reward.Result]int64) error {
	type row struct {
		Outcome string  `json:"outcome"`
		Code    *string `json:"code"`
		Events  int64   `json:"events"`
	}
	rows := []row{}
	for _, r := range slices.SortedFunc(maps.Keys(outcomes), func(x, y reward.Result) int {
		return cmp.Or(cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.Code, y.Code))
	}) {
		v := row{Outcome: r.Outcome.String(), Events: outcomes[r]}
		if r.Code != reward.NoCode {
			code := r.Code.String()
			v.Code = &code
		}
		rows = append(rows, v)
	}
	asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"outcomes": rows}) }
	asTable := func(w io.Writer) error {
		t := tabular.New(w, "outcome", "code", ">events")
		for _, r := range rows {
			code := ""
			if r.Code != nil {
				code = *r.Code
			}
			t.AppendRow(tabular.Row{r.Outcome, code, r.Events})
		}
		t.Render()
		return nil
	}
	return write(w, output, asJSON, asTable)
}
