package webhook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// DeadLetter is a delivery that was given up.
type DeadLetter struct {
	Number   int64 // names it, in the whole database
	ID       string
	Endpoint string
	Account  string
	Type     string
	Created  time.Time // of the notice
	Attempts int64
	Error    string // of the last attempt
	Body     string // JSON, as it is sent
}

// Dead returns up to limit dead letters with numbers after one, of one endpoint
// or, if its id is empty, of all, in order of their numbers.
func (o *Outbox) Dead(ctx context.Context, endpoint string, after int64, limit int) ([]DeadLetter, error) {
	ids, err := o.ids(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("listing dead letters: %w", err)
	}
	var list []DeadLetter
	for _, lane := range o.lanes() {
		err := lane.Read(ctx, func(r record.Reader) error {
			for _, id := range ids {
				some, err := outbox.DeadLetters.List(ctx, r, outbox.DeadAfter(id, after), limit)
				if err != nil {
					return err
				}
				for i := range some {
					list = append(list, letter(&some[i]))
				}
				slices.SortFunc(list, func(x, y DeadLetter) int { return cmp.Compare(x.Number, y.Number) })
				list = list[:min(len(list), limit)]
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("listing dead letters: %w", err)
		}
	}
	return list, nil
}

func letter(d *outbox.Delivery) DeadLetter {
	return DeadLetter{
		Number: d.Number, ID: idOf(d.Body), Endpoint: d.Endpoint, Account: d.Account, Type: d.Type, Created: moment(d.Created),
		Attempts: d.Attempts, Error: d.Error, Body: string(d.Body),
	}
}

// ids are those of one endpoint or, if its id is empty, of all.
func (o *Outbox) ids(ctx context.Context, endpoint string) ([]string, error) {
	if endpoint != "" {
		return []string{endpoint}, nil
	}
	listed, err := o.listed(ctx)
	ids := make([]string, len(listed))
	for i := range listed {
		ids[i] = listed[i].ID
	}
	return ids, err
}

// Replay has one dead letter tried again, at once and with all attempts anew.
func (o *Outbox) Replay(ctx context.Context, number int64) error {
	ids, err := o.ids(ctx, "")
	if err != nil {
		return fmt.Errorf("replaying dead letter %d: %w", number, err)
	}
	for _, lane := range o.lanes() {
		for _, id := range ids {
			n, err := o.replaySome(ctx, lane, record.Under(id, number))
			if err != nil {
				return fmt.Errorf("replaying dead letter %d: %w", number, err)
			}
			if n > 0 {
				return nil
			}
		}
	}
	return fmt.Errorf("dead letter %d: %w; `recoup webhooks dead` shows those that are there", number, ErrNotFound)
}

// ReplayAll has all dead letters of an endpoint tried again, and returns how
// many there are. Those of a disabled endpoint wait until it is enabled. Where it
// fails, some may be tried again.
func (o *Outbox) ReplayAll(ctx context.Context, endpoint string) (int64, error) {
	n, err := o.replayAll(ctx, endpoint)
	if err == nil && n == 0 {
		_, err = o.Endpoint(ctx, endpoint)
	}
	if err != nil {
		return 0, fmt.Errorf("replaying the dead letters of an endpoint: %w", err)
	}
	return n, nil
}

func (o *Outbox) replayAll(ctx context.Context, endpoint string) (all int64, err error) {
	// Those that die again meanwhile have greater numbers.
	var last int64
	err = o.home.Read(ctx, func(r record.Reader) (err error) {
		last, _, err = outbox.Counters.Get(ctx, r, outbox.LastDead)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, lane := range o.lanes() {
		for n := page; n == page; all += int64(n) {
			if n, err = o.replaySome(ctx, lane, outbox.DeadUpTo(endpoint, last)); err != nil {
				return 0, err
			}
		}
	}
	return all, nil
}

// replaySome has a page of a span of dead letters tried again, and returns how many
// that are.
func (o *Outbox) replaySome(ctx context.Context, lane record.Store, s record.Span) (n int, err error) {
	now := o.now().UnixNano()
	err = lane.Change(ctx, func(tx record.Tx) error {
		list, err := outbox.DeadLetters.List(ctx, tx, s, page)
		if err != nil {
			return err
		}
		for i := range list {
			d := &list[i]
			outbox.DeadLetters.Delete(tx, d.DeadKey())
			d.Number, d.Attempts, d.Next = 0, 0, now
			if err := outbox.Deliveries.Put(tx, d.Key(), d); err != nil {
				return err
			}
		}
		n = len(list)
		return nil
	})
	return n, err
}
