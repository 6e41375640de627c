package rebuild

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/reward"
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

// reader reads rows of the older log, whole accounts in their order.
type reader struct {
	decoder *event.Decoder
	account string
	last    int64
}

func newReader() *reader { return &reader{decoder: event.NewDecoder()} }

func (r *reader) read(row *durable.EventRow) (*past, error) {
	failed := func(err error) (*past, error) {
		return nil, fmt.Errorf("event %d of account %q in the older log: %w", row.Sequence, row.Account, err)
	}
	if row.Account != r.account {
		r.account, r.last = row.Account, 0
	}
	if r.last++; row.Sequence != r.last {
		return failed(fmt.Errorf("expected event %d: the log is not whole; run `recoup verify` with the program that wrote it, and restore it from a backup", r.last))
	}
	var p past
	if err := r.decoder.Decode(row.Event, &p.event); err != nil {
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
	return &p, nil
}
