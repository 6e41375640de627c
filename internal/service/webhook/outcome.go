package webhook

import (
	"cmp"
	"context"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// record keeps what became of deliveries, all of a lane in one transaction. Somebody
// else may have taken over since they were sent: then what became of them here counts
// only where they were taken, and held is false. So it is also where the lease is not any
// more what it was: those of a shard do not go along when it is split.
func (o *Outbox) record(ctx context.Context, lane record.Store, holder string, ended []Attempt) (held bool, err error) {
	number, err := o.atHome(ctx, ended)
	if err != nil {
		return false, err
	}
	now := o.now()
	var taken []string // keys of deliveries
	var moves []move
	for i := range ended {
		a := &ended[i]
		d := a.sent
		m := move{from: d.Key()}
		d.Attempts = a.Number
		switch a.Fate {
		case Released:
			continue
		case Waiting:
			continue
		case Delivered:
			taken = append(taken, m.from)
			continue
		case Retried:
			d.Error, d.Next = a.text(), now.Add(a.pause).UnixNano()
			m.to, err = outbox.Deliveries.Record(d.Key(), &d)
		default:
			d.Error, d.Number = a.text(), number
			number++
			m.to, err = outbox.DeadLetters.Record(d.DeadKey(), &d)
		}
		if err != nil {
			return false, err
		}
		moves = append(moves, m)
	}
	if len(taken)+len(moves) == 0 {
		return true, nil
	}
	err = lane.Change(ctx, func(tx record.Tx) (err error) {
		for _, key := range taken {
			outbox.Deliveries.Delete(tx, key)
		}
		if held, err = holds(ctx, tx, holder); err != nil || !held {
			return err
		}
		for i := range moves {
			if err := moves[i].make(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	return held, err
}

// move is a delivery's from one place to another.
type move struct {
	from string // key among the deliveries
	to   record.Record
}

// make makes the move, unless the delivery is not there any more: its endpoint was
// removed meanwhile.
func (m *move) make(ctx context.Context, tx record.Tx) error {
	_, ok, err := tx.Get(ctx, string(outbox.Deliveries), m.from)
	if err != nil || !ok {
		return err
	}
	outbox.Deliveries.Delete(tx, m.from)
	tx.Put(m.to.Table, m.to.Key, m.to.Value)
	return nil
}

// atHome disables the endpoints that said they are gone, and returns the first of as
// many numbers as there are new dead letters. They are those of the whole database, so
// numbers are given out here and before they are used; some may never be.
func (o *Outbox) atHome(ctx context.Context, ended []Attempt) (first int64, err error) {
	var dead int64
	gone := map[string]bool{}
	for i := range ended {
		switch a := &ended[i]; a.Fate {
		case Gone:
			gone[a.Endpoint] = true
			dead++
		case Dead:
			dead++
		}
	}
	if dead == 0 {
		return 0, nil
	}
	now := o.now().UnixNano()
	err = o.home.Change(ctx, func(tx record.Tx) error {
		last, _, err := outbox.Counters.Get(ctx, tx, outbox.LastDead)
		if err != nil {
			return err
		}
		first = last + 1
		last += dead
		if err := outbox.Counters.Put(tx, outbox.LastDead, &last); err != nil {
			return err
		}
		for id := range gone {
			e, ok, err := outbox.Endpoints.Get(ctx, tx, id)
			if err != nil {
				return err
			}
			if !ok {
				continue // it was removed
			}
			e.Disabled = cmp.Or(e.Disabled, now)
			if err := outbox.Endpoints.Put(tx, id, &e); err != nil {
				return err
			}
		}
		return nil
	})
	return first, err
}
