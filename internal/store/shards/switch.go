package shards

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// What is told while the shard does not work.
const (
	stopping    = "stopping the shard"
	stopped     = "the shard is stopped; copying what is left"
	switching   = "switching"
	hasSwitched = "the shard is at its new place"
)

// stopAndSwitch stops the shard, copies what is left, proves that nothing is missing, and
// has home place the shard where it has been copied to. Unless it was switched, the shard
// goes on where it was.
func (w *moving) stopAndSwitch(ctx context.Context, at **snapshot) (last []string, switched bool, err error) {
	stop, cancel := context.WithTimeout(ctx, stopFor)
	defer cancel()
	w.Tell(stopping)
	began := time.Now()
	if err = w.close(stop); err == nil {
		w.Tell(stopped)
		last, err = w.copyRest(stop, at)
	}
	if err == nil {
		w.Tell(switching)
		err = w.place(stop)
	}
	if err != nil {
		// It may have been done all the same. Nobody else may do it from now on.
		if switched, asked := w.settle(ctx); !switched {
			return nil, false, fmt.Errorf("%w%s", err, asked)
		}
	}
	w.Tell(hasSwitched)
	for _, t := range w.to {
		if err := t.open(ctx, w.token); err != nil {
			return last, true, fmt.Errorf("it is at its new place, and whoever uses it next opens it: %w", err)
		}
	}
	w.result.Stopped = time.Since(began)
	return last, true, nil
}

// close stops the shard, as soon as the commits under way have ended.
func (w *moving) close(ctx context.Context) error {
	return postgres.At(ctx, w.from.URL, w.from.Schema, func(c *pgx.Conn) error {
		if _, err := c.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", closingFor.Milliseconds())); err != nil {
			return err
		}
		closed, err := postgres.Close(ctx, c, postgres.Identity{Ledger: w.id, Shard: w.from.Number, Epoch: w.from.Epoch}, w.token)
		if err == nil && !closed {
			err = fmt.Errorf("%s is not open at epoch %d", w.from.Place, w.from.Epoch)
		}
		return err
	})
}

// copyRest makes the last round, when nothing changes any more.
func (w *moving) copyRest(ctx context.Context, at **snapshot) ([]string, error) {
	last, now, err := w.round(ctx, *at, true)
	if err != nil {
		return nil, err
	}
	*at = now
	var all, copied int64
	if err := now.conn.QueryRow(ctx, "SELECT count(*) FROM accounts").Scan(&all); err != nil {
		return nil, err
	}
	for _, t := range w.to {
		err := t.in(ctx, func() error {
			accounts, err := t.proveWhole(ctx, now, w.tables)
			if err != nil {
				return err
			}
			copied += accounts
			if err := t.takeNumbers(ctx, now.conn); err != nil || !t.part {
				return err
			}
			_, err = t.conn.Exec(ctx, sealedInAll)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if copied != all {
		return nil, fmt.Errorf("there are %d accounts at the new places and %d at the old one", copied, all)
	}
	return last, nil
}

// sealedInAll adds up anew how many events are sealed, in one of several parts of a shard.
const sealedInAll = `INSERT INTO records (tab, key, value) SELECT 'sealed', 'total', json_build_object('events', coalesce(sum((value ->> 'sequence')::INT8), 0)) FROM records WHERE tab = 'seals'
	ON CONFLICT (tab, key) DO UPDATE SET value = excluded.value`

// place has home say where the shard is from now on, unless somebody has taken the move
// away. This is the moment from which on the shard is there.
func (w *moving) place(ctx context.Context) error {
	key := record.Key(w.from.Number)
	return w.home.Change(ctx, func(tx record.Tx) error {
		m, is, err := moves.Get(ctx, tx, key)
		if err != nil {
			return err
		}
		if !is || m.Token != w.token {
			return fmt.Errorf("the move was taken back, since the shard was stopped for too long")
		}
		list, err := readPlacements(ctx, tx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(s Shard) bool { return s.Number == w.from.Number })
		if at < 0 || list[at].Epoch != w.from.Epoch {
			return fmt.Errorf("it has been moved meanwhile")
		}
		before := *placementOf(&list[at])
		list = slices.Delete(list, at, at+1)
		for _, t := range w.to {
			list = append(list, t.Shard)
			if err := placements.Put(tx, record.Key(t.Number), placementOf(&t.Shard)); err != nil {
				return err
			}
		}
		if _, err := deal(list); err != nil {
			return err
		}
		moves.Delete(tx, key)
		return left.Put(tx, record.Key(before.Shard, before.Epoch), &before)
	})
}

// settle finds out whether the shard has been placed anew, when that is not known, and
// sees to it that it will not be if it has not. Then it goes on where it was. asked is
// what went wrong with that.
func (w *moving) settle(ctx context.Context) (switched bool, asked string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer stop()
	err := cancel(ctx, w.home, w.from.Number, w.token)
	if err == nil {
		var at Shard
		at, _, err = placedNow(ctx, w.home, w.from.Number)
		if err == nil && at.Epoch != w.from.Epoch {
			return true, ""
		}
	}
	if err == nil {
		err = w.reopen(ctx, w.from)
	}
	if err == nil {
		err = w.announce(ctx) // for the next attempt
	}
	if err != nil {
		return false, fmt.Sprintf("; and the shard could not be opened again, which whoever uses it next does: %v", err)
	}
	return false, ""
}

// giveUp leaves the shard where it is, and nothing of the move.
func (w *moving) giveUp(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer stop()
	if err := cancel(ctx, w.home, w.from.Number, w.token); err != nil {
		w.Tell(fmt.Sprintf("the move could not be taken back: %v", err))
		return
	}
	if at, _, err := placedNow(ctx, w.home, w.from.Number); err != nil || at.Epoch != w.from.Epoch {
		return
	}
	if err := w.reopen(ctx, w.from); err != nil {
		w.Tell(fmt.Sprintf("the shard could not be opened again, which whoever uses it next does: %v", err))
	}
	for _, t := range w.to {
		if t.conn == nil {
			continue // it has not come to be made
		}
		w.discard(ctx, t.Place, postgres.Identity{Ledger: w.id, Shard: t.Number, Epoch: t.Epoch}, w.token)
	}
}

// finish writes the file, and proves the accounts that were copied last.
func (w *moving) finish(ctx context.Context, last []string) error {
	if err := w.writeFile(ctx); err != nil {
		return err
	}
	for _, t := range w.to {
		var own []string
		for _, account := range last {
			if t.Buckets.has(Bucket(account)) {
				own = append(own, account)
			}
		}
		if len(own) == 0 {
			continue
		}
		w.Tell(fmt.Sprintf("proving the %d accounts that changed last in %s", len(own), t.Place))
		if err := w.prove(ctx, t, own); err != nil {
			return fmt.Errorf("the shard is at its new place: %w", err)
		}
	}
	return nil
}
