package shards

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/store/postgres"
)

// copy copies everything as of one moment, and proves it.
func (w *moving) copy(ctx context.Context) (*snapshot, error) {
	at, err := begin(ctx, w.old[0])
	if err != nil {
		return nil, err
	}
	for _, t := range w.to {
		if err := t.copyAll(ctx, at, w.tables, w.Tell); err != nil {
			return nil, err
		}
		w.result.Accounts += t.accounts
		w.result.Events += t.events
		w.Tell(fmt.Sprintf("proving %d accounts in %s", t.accounts, t.Place))
		if err := w.prove(ctx, t, nil); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// prove applies the events of accounts of a target again.
func (w *moving) prove(ctx context.Context, t *target, accounts []string) error {
	if w.Prove == nil {
		return nil
	}
	id := postgres.Identity{Ledger: w.id, Shard: t.Number, Epoch: t.Epoch}
	d, err := postgres.Open(ctx, t.URL, postgres.Options{Schema: t.Schema, Identity: &id, Mover: true, Pooler: w.Pooler, Shard: t.Number, Stride: Stride, Readers: 4, Writers: 1})
	if err != nil {
		return err
	}
	defer d.Close()
	return w.Prove(ctx, w.home, d, accounts)
}

// catchUp follows until little is left to do.
func (w *moving) catchUp(ctx context.Context, at *snapshot) (*snapshot, error) {
	for round := 1; ; round++ {
		began := time.Now()
		_, now, err := w.round(ctx, at, false)
		if err != nil {
			return nil, err
		}
		at = now
		w.result.Rounds++
		if time.Since(began) < soon || round == mostRounds {
			return at, nil
		}
		w.Tell(fmt.Sprintf("followed for %v, %d accounts", time.Since(began).Round(time.Millisecond), w.result.Last))
	}
}

// round follows once, and proves what it has brought; the last one proves the accounts that
// have changed as a whole. The snapshot before is ended only afterwards.
func (w *moving) round(ctx context.Context, before *snapshot, last bool) (changed []string, now *snapshot, err error) {
	conn := w.old[0]
	if before.conn == conn {
		conn = w.old[1]
	}
	if now, err = begin(ctx, conn); err != nil {
		return nil, nil, err
	}
	w.result.Last = 0
	for _, t := range w.to {
		var of []string
		err := t.in(ctx, func() (err error) {
			if of, err = t.follow(ctx, before, now, w.tables); err != nil || !last {
				return err
			}
			return t.prove(ctx, now, w.tables, of)
		})
		if err != nil {
			return nil, nil, errors.Join(err, now.end(context.WithoutCancel(ctx)))
		}
		w.result.Last += len(of)
		changed = append(changed, of...)
	}
	return changed, now, before.end(ctx)
}
