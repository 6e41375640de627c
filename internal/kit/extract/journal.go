package extract

import (
	"context"
	"fmt"

	"recoup/event"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/ledger/export"
	"recoup/reward"
)

// Journal exports the journal of a database for accountants: of one lane, as one snapshot has it; of several, each
// account and what is near it in its lane. The error is an *export.Difference where the log
// does not have what its events give.
func Journal(ctx context.Context, db *durable.Database, out export.Writer, o export.Options) (tally export.Tally, err error) {
	programs, err := programs.Open(ctx, db)
	if err != nil {
		return tally, err
	}
	x := export.New(out, o)
	if id := o.Account; id != "" {
		err = db.ViewOf(ctx, id, func(r durable.Reader) error {
			row, ok, err := r.Account(ctx, id)
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("account %q: there is none of that name in the database", id)
			}
			return replayAccounts(o, programs, []durable.AccountRow{row}, func(f func(*durable.EventRow) error) error { return r.EventsOf(ctx, id, id, f) }, x.Join)
		})
	} else {
		err = durable.InOrder(ctx, db, func(ctx context.Context, r durable.Reader, s *durable.Stretch, emit func(string, *export.Part) error) error {
			return replayAccounts(o, programs, s.Rows, func(f func(*durable.EventRow) error) error { return s.Events(ctx, r, f) }, func(p *export.Part) error { return emit(p.Account(), p) })
		}, x.Join)
	}
	if err != nil {
		return tally, err
	}
	return x.Close()
}

// replayAccounts calls emit with the export of each of some accounts.
func replayAccounts(o export.Options, programs *durable.Programs, rows []durable.AccountRow, events func(func(*durable.EventRow) error) error, emit func(*export.Part) error) error {
	of := make(map[string]*reward.Program, len(rows))
	for i := range rows {
		p, ok := programs.Get(rows[i].Program)
		if !ok {
			return fmt.Errorf("account %q: its program %q is not in the database; restore the table programs from a backup", rows[i].Account, rows[i].Program)
		}
		of[rows[i].Account] = p
	}
	decoder := event.NewDecoder()
	var entry export.Entry
	return export.Replay(o, func(f func(*export.Entry) error) error {
		return events(func(row *durable.EventRow) (err error) {
			entry.Program = of[row.Account]
			if entry.Program == nil {
				return fmt.Errorf("account %q: it has events, but no row", row.Account)
			}
			if err = decoder.Decode(row.Event, &entry.Event); err == nil {
				entry.Postings, err = ledger.ParsePostings(row.Postings, row.Account, entry.Postings[:0])
			}
			if err != nil {
				return fmt.Errorf("account %q, event number %d: %w", row.Account, row.Number, err)
			}
			entry.Principal, entry.Result = row.Principal, reward.Result{Outcome: row.Outcome, Code: row.Code}
			return f(&entry)
		})
	}, emit)
}
