package durable

import (
	"cmp"
	"context"
	"fmt"

	"recoup/event"
	"recoup/reward"
)

// Entries returns up to limit of an account's postings with a number below
// before, the newest first; before is zero for the newest of all.
func (s *Store) Entries(ctx context.Context, account string, before int64, limit int) (list []EntryView, err error) {
	var last *EventRow
	var cause *reward.Event
	decoder := event.NewDecoder()
	read := s.journal(ctx, account, nil, func(p *reward.Posting, row *EventRow) bool {
		if before != 0 && p.Number >= before {
			return true
		}
		if row != last {
			last, cause = row, new(reward.Event)
			err = decoder.Decode(row.Event, cause)
		}
		list = append(list, EntryView{*p, row.Principal, cause})
		return err == nil && len(list) < limit
	})
	return list, cmp.Or(read, err)
}

// EntriesFrom returns up to limit of an account's postings from an event of the log
// backwards, the newest first: as far as it is an event of the account.
func (s *Store) EntriesFrom(ctx context.Context, account string, event int64, limit int) (list []reward.Posting, err error) {
	from := func(r Reader, _ *reward.Program) (int64, bool, error) {
		row, ok, err := r.Numbered(ctx, event)
		if !ok || row.Account != account {
			event = 0
		}
		return event, true, err
	}
	err = s.journal(ctx, account, from, func(p *reward.Posting, _ *EventRow) bool {
		list = append(list, *p)
		return len(list) < limit
	})
	return list, err
}

// journal calls f with an account's postings, the newest first, and the event of
// each, until it returns false. It begins with the event that skip says is late enough, or at the newest if
// skip is nil or knows none.
func (s *Store) journal(ctx context.Context, account string, skip func(Reader, *reward.Program) (event int64, known bool, err error), f func(*reward.Posting, *EventRow) bool) error {
	err := s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Account(ctx, account)
		if err != nil || !there {
			return err
		}
		from := row.Last
		if skip != nil {
			p, err := s.programOf(ctx, &row)
			if err != nil {
				return err
			}
			late, known, err := skip(r, p)
			if err != nil {
				return err
			}
			if known {
				from = late
			}
		}
		return eventsBack(ctx, r, from, fewEvents, func(row *EventRow) (bool, error) {
			postings, err := postingsOf(row)
			if err != nil {
				return false, err
			}
			for j := len(postings) - 1; j >= 0; j-- {
				if !f(&postings[j], row) {
					return false, nil
				}
			}
			return true, nil
		})
	})
	if err != nil {
		return fmt.Errorf("reading the journal of account %s: %w", account, err)
	}
	return nil
}

// BalanceAt returns what an account's balance was at a moment, from the journal:
// after its last posting dated at it or before, zero if there is none.
func (s *Store) BalanceAt(ctx context.Context, account string, at reward.Instant) (balance int64, err error) {
	later := func(r Reader, p *reward.Program) (event int64, ok bool, err error) {
		cycle := p.CycleAt(at)
		// What is after the statement of the next cycle is dated later.
		rows, err := r.Statements(ctx, account, cycle+2, 1)
		if len(rows) == 0 || rows[0].Cycle <= cycle {
			return 0, false, err
		}
		return rows[0].Last, true, err
	}
	err = s.journal(ctx, account, later, func(p *reward.Posting, _ *EventRow) bool {
		if p.At <= at {
			balance = p.Balance
		}
		return p.At > at
	})
	return balance, err
}
