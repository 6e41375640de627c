package rebuild

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/go-json-experiment/json"

	"recoup/event"
	"recoup/reward"
)

// past is one event of the older log, with what became of it then.
type past struct {
	event    reward.Event
	received reward.Instant
	outcome  reward.Outcome
	code     reward.Code
	postings []pastPosting
}

// pastPosting is what is needed of a posting in the older journal, which may have
// members that this program does not know.
type pastPosting struct {
	Kind    string `json:"kind"`
	Amount  int64  `json:"amount"`
	Balance int64  `json:"balance"`
}

// readLog calls f with every event of the older database, by account in byte order and
// then in the account's order. It is one statement, so it is one moment of the database.
func readLog(ctx context.Context, db *sql.DB, f func(*past) error) error {
	rows, err := db.QueryContext(ctx, `SELECT account, sequence, received, outcome, code, event, postings FROM events ORDER BY account, sequence`)
	if err != nil {
		return fmt.Errorf("reading the older log of events: %w", err)
	}
	defer rows.Close()
	decoder := event.NewDecoder()
	var account string
	var last int64
	for rows.Next() {
		var p past
		var id string
		var sequence, received, outcome, code int64
		var line, postings sql.RawBytes
		if err := rows.Scan(&id, &sequence, &received, &outcome, &code, &line, &postings); err != nil {
			return fmt.Errorf("reading the older log of events: %w", err)
		}
		failed := func(err error) error {
			return fmt.Errorf("event %d of account %q in the older log: %w", sequence, id, err)
		}
		if id != account {
			account, last = id, 0
		}
		if last++; sequence != last {
			return failed(fmt.Errorf("expected event %d: the log is not whole; run `recoup verify` with the program that wrote it, and restore it from a backup", last))
		}
		if err := decoder.Decode(line, &p.event); err != nil {
			return failed(fmt.Errorf("this program cannot read it: %w", err))
		}
		if p.event.Account != id {
			return failed(fmt.Errorf("expected an event of that account, found one of %q", p.event.Account))
		}
		if len(postings) > 0 {
			if err := json.Unmarshal(postings, &p.postings); err != nil {
				return failed(fmt.Errorf("its postings: %w", err))
			}
		}
		p.received, p.outcome, p.code = reward.Instant(received), reward.Outcome(outcome), reward.Code(code)
		if err := f(&p); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the older log of events: %w", err)
	}
	return nil
}
