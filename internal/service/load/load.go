// Package load applies files of events to a database, without a service: to start with an
// existing history, or to carry one over from another database.
package load

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/kit/card"
	"recoup/internal/service/approval"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

// Options say what is loaded.
type Options struct {
	Programs []programs.File // that are put into the database if they are not there
	MaxAhead time.Duration   // how far ahead of now an event may be dated
	Replay   bool            // it is the log of a ledger: take what a service made itself, too
}

// Outcomes count events by what came of them.
type Outcomes map[reward.Result]int64

// Run applies a stream of events, a batch a commit, and counts the results. What a service
// makes itself is taken from a log alone, which is replayed.
func Run(ctx context.Context, d *durable.Database, in *event.Reader, o Options) (Outcomes, error) {
	programs, err := programs.OpenWith(ctx, d, o.Programs, false)
	if err != nil {
		return nil, err
	}
	now := func() reward.Instant { return reward.At(time.Now()) }
	en := engine.New(durable.Over(d, durable.Options{Programs: programs, Now: now}))
	exempted, err := exempt.Open(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	outcomes := make(Outcomes)
	var results []reward.Result
	for batch, err := range in.Batches(ctx) {
		if err != nil {
			return nil, fmt.Errorf("%w; what comes before that batch is in the database", err)
		}
		latest := now() + reward.Instant(o.MaxAhead)
		for i := range batch {
			e := &batch[i]
			if !o.Replay && ownEvent(e) {
				return nil, fmt.Errorf("event %q of account %q is a %v of the source %q, which is the service's own: expected --replay with it, for a log that a ledger has exported; what comes before its batch is in the database", e.ID, e.Account, e.Type, e.Source)
			}
			if member, is := event.CardNumber(e, func(m string) bool { return exempted.Has(e.Source, m) }); is && !o.Replay {
				return nil, fmt.Errorf("%s of event %q looks like the number of a card: expected none, a member that recoup exemptions add has exempted, or that the event is sent to the service, which keeps it apart; what comes before its batch is in the database", member, card.Mask(e.ID))
			}
			if e.Time > latest {
				return nil, fmt.Errorf("event %q of account %q is dated %v, more than %v ahead of now: one bad clock must not move an account into the future", e.ID, e.Account, e.Time, o.MaxAhead)
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
