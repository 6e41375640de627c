package durable

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recoup/event"
	"recoup/ledger"
	"recoup/reward"
)

// viewer decodes rows of the log; of many, one should.
type viewer struct{ decoder *event.Decoder }

func newViewer() viewer { return viewer{event.NewDecoder()} }

func (v viewer) view(row *EventRow) (l LoggedView, err error) {
	l = LoggedView{Number: row.Number, Received: row.Received, Principal: row.Principal, Result: reward.Result{Outcome: row.Outcome, Code: row.Code}}
	if err := v.decoder.Decode(row.Event, &l.Event); err != nil {
		return l, fmt.Errorf("event %d of the log: %w", row.Number, err)
	}
	l.Postings, err = postingsOf(row)
	return l, err
}

// postingsOf decodes the postings of a row of the log.
func postingsOf(row *EventRow) ([]reward.Posting, error) {
	if row.Postings == nil {
		return nil, nil
	}
	list, err := ledger.ParsePostings(row.Postings, row.Account, nil)
	if err != nil {
		return nil, fmt.Errorf("event %d of the log: its postings: %w", row.Number, err)
	}
	return list, nil
}

// How many events are read at a time: by who may soon have enough, and by others.
const (
	fewEvents  = 200
	mostEvents = 1500
)

// eventsBack calls f with an account's events from a number backwards, until it
// returns false. It reads so many at a time.
func eventsBack(ctx context.Context, r Reader, from int64, page int, f func(*EventRow) (bool, error)) error {
	for from != 0 {
		rows, err := r.Events(ctx, from, page)
		if err != nil {
			return err
		}
		for i := range rows {
			if more, err := f(&rows[i]); err != nil || !more {
				return err
			}
			from = rows[i].Before
		}
	}
	return nil
}

// History returns up to limit of an account's logged events, the newest first,
// from before the one with a number; before is zero for the newest of all. There
// are none before a number that is not of one of the account's events.
func (s *Store) History(ctx context.Context, account string, before int64, limit int) (list []LoggedView, err error) {
	err = s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Account(ctx, account)
		if err != nil || !there {
			return err
		}
		from := row.Last
		if before != 0 {
			e, logged, err := r.Numbered(ctx, before)
			if err != nil || !logged || e.Account != account {
				return err
			}
			from = e.Before
		}
		if from == 0 || limit <= 0 {
			return nil
		}
		rows, err := r.Events(ctx, from, limit)
		if err != nil {
			return err
		}
		list, err = viewsOf(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the log of account %s: %w", account, err)
	}
	return list, nil
}

func viewsOf(rows []EventRow) ([]LoggedView, error) {
	list := make([]LoggedView, len(rows))
	viewer := newViewer()
	for i := range rows {
		var err error
		if list[i], err = viewer.view(&rows[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// EventsOfAccount returns all logged events of an account, the oldest first. If
// there are more than limit, whole is false and the list is empty.
func (s *Store) EventsOfAccount(ctx context.Context, account string, limit int) (list []LoggedView, whole bool, err error) {
	err = s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Account(ctx, account)
		if err != nil {
			return err
		}
		if whole = row.Version <= int64(limit); !whole || !there {
			return nil
		}
		rows, err := r.Events(ctx, row.Last, limit)
		if err != nil {
			return err
		}
		slices.Reverse(rows)
		list, err = viewsOf(rows)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("reading the log of account %s: %w", account, err)
	}
	return list, whole, nil
}

// TransactionHistory returns the logged events of an account that concern a
// purchase, the oldest first: it names the purchase, it is about a refund or
// chargeback that lies on it (as Transaction lists them), or it caused a posting
// of it. Of an account with more than 3,000 events it looks at as many: the newest,
// and those at and before what is known to have happened to the purchase; cut says
// so. A refund may be announced before the purchase is authorised, and another
// purchase's refund move its reward, so that there is no knowing what is left out.
func (s *Store) TransactionHistory(ctx context.Context, account, transaction string) (list []LoggedView, cut bool, err error) {
	if transaction == "" {
		return nil, false, nil
	}
	_, err = s.read(ctx, account, func(r Reader, row *AccountRow, e *entry) error {
		on := make(map[PartKey]bool)
		var times []reward.Instant
		var ids mentions
		ids.add(transaction)
		if d, is := e.account.Detail(transaction); is {
			times = append(times, d.Posted, d.Withdrawn)
			for _, reversal := range d.Reversals {
				on[PartKey{account, reversal.Kind, reversal.ID}] = true
				ids.add(reversal.ID)
				arrived := reversal.At
				if refund, is := e.account.Refund(reversal.ID); is && reversal.Kind == reward.RefundPart {
					arrived = refund.Arrived
				}
				times = append(times, arrived)
			}
		}
		list, cut, err = logged(ctx, r, e.account.Program(), row, times, &ids, func(v *LoggedView) bool { return v.concerns(transaction, on) })
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return list, cut, nil
}

// logged returns the events of a walk that mention some ids and are wanted, the
// oldest first.
func logged(ctx context.Context, r Reader, p *reward.Program, row *AccountRow, times []reward.Instant, ids *mentions, want func(*LoggedView) bool) (list []LoggedView, cut bool, err error) {
	viewer := newViewer()
	cut, err = walk(ctx, r, p, row, times, func(row *EventRow) error {
		if !ids.in(row) {
			return nil
		}
		v, err := viewer.view(row)
		if err == nil && want(&v) {
			list = append(list, v)
		}
		return err
	})
	slices.SortFunc(list, func(a, b LoggedView) int { return cmp.Compare(a.Number, b.Number) })
	return list, cut, err
}

// concerns reports whether an event is about a purchase or one of the reversals
// on it, or changed the purchase's reward.
func (v *LoggedView) concerns(transaction string, on map[PartKey]bool) bool {
	if v.Event.Transaction == transaction {
		return true
	}
	if kind, is := reward.PartOf(v.Event.Type); is && on[PartKey{v.Event.Account, kind, v.Event.Fact}] {
		return true
	}
	return slices.ContainsFunc(v.Postings, func(p reward.Posting) bool { return p.Transaction == transaction })
}
