package webhook

import (
	"context"
	"fmt"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// target is an endpoint that is sent to.
type target struct {
	id, url     string
	secrets     keyring
	contentType string // "": that of notices
	inOrder     bool   // it is a topic, see publish
}

// targets returns the endpoints that are not disabled.
func (o *Outbox) targets(ctx context.Context) ([]target, error) {
	listed, err := o.listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the endpoints of webhooks: %w", err)
	}
	var list []target
	for _, e := range listed {
		if e.Disabled != 0 {
			continue
		}
		ring, err := o.ring(&e)
		if err != nil {
			return nil, err
		}
		list = append(list, target{id: e.ID, url: e.URL, secrets: ring, inOrder: e.InOrder()})
	}
	return list, nil
}

// lookAhead is how many deliveries to an endpoint are read at once. Where many were just
// deleted a database takes long to find the first that is left, and that is not to be
// so for each one that is sent.
const lookAhead = 100

// fill looks for what is due to each target that has room and nothing in its queue: what
// has waited longest, in order. What is being sent is due as well, until its outcome is
// recorded, and is left out. It reports whether there is anything in the queues.
func (d *Dispatcher) fill(ctx context.Context, targets []target, now time.Time) (found bool, err error) {
	queues := make(map[string][]outbox.Delivery, len(targets))
	err = d.lane.Read(ctx, func(r record.Reader) error {
		for _, t := range targets {
			queue := d.queues[t.id]
			if len(queue) == 0 && d.running[t.id] < d.atOnce(&t) && !now.Before(d.resting[t.id].until) {
				var err error
				if queue, err = d.due(ctx, r, &t, now); err != nil {
					return err
				}
			}
			queues[t.id] = queue
			found = found || len(queue) > 0
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	d.queues = queues // without those of endpoints that were disabled or removed
	return found, nil
}

// due looks for what is due to an endpoint.
func (d *Dispatcher) due(ctx context.Context, r record.Reader, t *target, now time.Time) (queue []outbox.Delivery, err error) {
	span, most := outbox.DueAt(t.id, now.UnixNano()), lookAhead
	if t.inOrder {
		most = streamAhead
		// By account, so that all have their turn: on from where the last look ended.
		if reached := d.reached[t.id]; reached != "" {
			span = span.After(reached)
		}
	}
	last := ""
	err = outbox.Deliveries.Each(ctx, r, span, func(key string, one *outbox.Delivery) (bool, error) {
		if !d.flying[key] {
			queue = append(queue, *one)
		}
		last = key
		return len(queue) < most, nil
	})
	if t.inOrder {
		began := d.reached[t.id]
		if d.reached[t.id] = last; len(queue) < most {
			delete(d.reached, t.id)
		}
		if err == nil && len(queue) == 0 && began != "" {
			return d.due(ctx, r, t, now)
		}
	}
	return queue, err
}
