package rebuild

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
)

// past is one event of the older log, with what became of it then.
type past struct {
	event    reward.Event
	received reward.Instant
	// principal is who sent it then, who has sent it still.
	principal string
	outcome   reward.Outcome
	code      reward.Code
	postings  []pastPosting
}

// pastPosting is what is needed of a posting in the older journal, which may have
// members that this program does not know.
type pastPosting struct {
	Kind    string `json:"kind"`
	Amount  int64  `json:"amount"`
	Balance int64  `json:"balance"`
}

// readLog calls f with every event of the older database, by account in byte order and
// then in the account's order.
func readLog(ctx context.Context, from Source, f func(*past) error) error {
	decoder := event.NewDecoder()
	var account string
	var last int64
	err := from.EventsOf(ctx, func(row *durable.EventRow) error {
		var p past
		failed := func(err error) error {
			return fmt.Errorf("event %d of account %q in the older log: %w", row.Sequence, row.Account, err)
		}
		if row.Account != account {
			account, last = row.Account, 0
		}
		if last++; row.Sequence != last {
			return failed(fmt.Errorf("expected event %d: the log is not whole; run `recoup verify` with the program that wrote it, and restore it from a backup", last))
		}
		if err := decoder.Decode(row.Event, &p.event); err != nil {
			return failed(fmt.Errorf("this program cannot read it: %w", err))
		}
		if p.event.Account != row.Account {
			return failed(fmt.Errorf("expected an event of that account, found one of %q", p.event.Account))
		}
		if len(row.Postings) > 0 {
			if err := json.Unmarshal(row.Postings, &p.postings); err != nil {
				return failed(fmt.Errorf("its postings: %w", err))
			}
		}
		p.received, p.principal, p.outcome, p.code = row.Received, row.Principal, row.Outcome, row.Code
		return f(&p)
	})
	if err != nil {
		return fmt.Errorf("reading the older log of events: %w", err)
	}
	return nil
}
