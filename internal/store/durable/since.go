package durable

import (
	"context"
	"fmt"
	"slices"
)

// Had is how much of an account's log somebody has: so many events, the last of which has a
// number. The zero Had is nothing.
type Had struct{ Events, Last int64 }

// DivergedError says that what somebody has of an account is not how its log begins: it is of
// another ledger, or of a time that a backup has undone.
type DivergedError struct{ Account string }

// Error says what is wrong.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("the log of account %q does not go on from where it was", e.Account)
}

// mostBack is how many new events of an account are read from its end; where there are more
// all of its log is.
const mostBack = 1000

// EachSince is EachWithEvents without the events that somebody has: account is called with
// every account and how much of it there is, logged with those of its events that are new. had
// may be asked of several accounts at once. The error is a *DivergedError where what
// somebody has does not fit.
func (s *Store) EachSince(ctx context.Context, had func(account string) Had, account func(*Standing, Had) error, logged func(*EventRow) error) error {
	type one struct {
		account *Standing
		has     Had
		event   *EventRow
	}
	return InOrder(ctx, s.db, func(ctx context.Context, r Reader, stretch *Stretch, emit func(string, one) error) error {
		fresh := !slices.ContainsFunc(stretch.Rows, func(row AccountRow) bool { return had(row.Account) != Had{} })
		stand := func(row *AccountRow) error {
			var v Standing
			if err := s.standing(ctx, row, &v); err != nil {
				return err
			}
			return emit(row.Account, one{account: &v, has: Had{row.Version, row.Last}})
		}
		if fresh { // all of it is read at once
			rows := stretch.Rows
			err := stretch.Events(ctx, r, func(e *EventRow) error {
				for ; len(rows) > 0 && rows[0].Account <= e.Account; rows = rows[1:] {
					if err := stand(&rows[0]); err != nil {
						return err
					}
				}
				return emit(e.Account, one{event: e.Clone()})
			})
			for ; err == nil && len(rows) > 0; rows = rows[1:] {
				err = stand(&rows[0])
			}
			return err
		}
		for i := range stretch.Rows {
			row := &stretch.Rows[i]
			if err := stand(row); err != nil {
				return err
			}
			err := eventsSince(ctx, r, row, had(row.Account), func(e *EventRow) error { return emit(row.Account, one{event: e}) })
			if err != nil {
				return err
			}
		}
		return nil
	}, func(o one) error {
		if o.account != nil {
			return account(o.account, o.has)
		}
		return logged(o.event)
	})
}

// eventsSince calls f with the events of an account after what somebody has, in order.
func eventsSince(ctx context.Context, r Reader, row *AccountRow, had Had, f func(*EventRow) error) error {
	diverged := &DivergedError{row.Account}
	switch more := row.Version - had.Events; {
	case more < 0, more == 0 && row.Last != had.Last:
		return diverged
	case more == 0:
		return nil
	case more <= mostBack:
		var list []*EventRow
		err := eventsBack(ctx, r, row.Last, fewEvents, func(e *EventRow) (bool, error) {
			list = append(list, e.Clone())
			return int64(len(list)) < more, nil
		})
		if err != nil {
			return err
		}
		slices.Reverse(list)
		if int64(len(list)) != more || list[0].Before != had.Last {
			return diverged
		}
		for _, e := range list {
			if err := f(e); err != nil {
				return err
			}
		}
		return nil
	}
	return r.EventsOf(ctx, row.Account, row.Account, func(e *EventRow) error {
		switch {
		case e.Sequence <= had.Events:
			return nil
		case e.Sequence == had.Events+1 && e.Before != had.Last:
			return diverged
		}
		return f(e.Clone())
	})
}
