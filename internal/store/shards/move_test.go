package shards_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/internal/store/shards"
)

// mover moves shards of a world, and proves what it has copied with verify.
func (w *world) mover() *shards.Mover {
	return &shards.Mover{
		File: w.file,
		Prove: func(ctx context.Context, home record.Store, at durable.Driver, accounts []string) error {
			db := durable.Several(home, []durable.Driver{at}, func(string) int { return 0 }, func(int64) int { return 0 })
			programs := newStore(w, db, everyday()).Programs()
			if accounts == nil {
				accounts = []string{""}
			}
			for _, account := range accounts {
				report, err := verify.Run(ctx, at, verify.Options{Programs: programs, Account: account})
				if err != nil || report.Count > 0 {
					return errors.Join(err, fmt.Errorf("%d differences: %v", report.Count, report.Differences))
				}
			}
			return nil
		},
		Tell: func(what string) { w.Log(what) },
	}
}

func TestAShardMovesWhileItWorks(t *testing.T) {
	w := newWorld(t, 3)
	db, other := w.open(), w.open()
	l := newLoad(t, w.store(db, everyday()), "a", 8)
	l2 := newLoad(t, w.store(other, everyday()), "b", 1)
	l.more(t, 500)
	before := w.read().Shards[1]
	id := w.identity(1)
	stale, err := postgres.Open(t.Context(), before.URL, postgres.Options{Schema: before.Schema, Identity: &id, Shard: 1, Stride: shards.Stride})
	ok(t, err)
	defer stale.Close()
	l2.end()

	to := shards.Place{URL: pgtest.Shared(t).NewDatabase(t), Schema: "elsewhere"}
	moved := w.patiently(func(m *shards.Mover) (shards.Moved, error) { return m.Move(t.Context(), 1, to) })
	l.more(t, 500)
	l.end()
	t.Logf("%+v; nobody waited longer than %v", moved, l.longest)

	// Who still writes to the old place is refused, and so is who starts with the old file.
	if err := stale.Update(t.Context(), func(tx durable.Tx) error {
		_, err := tx.Load(t.Context(), &durable.Request{Accounts: []string{"a"}, Held: []int64{-1}})
		return err
	}); !errors.Is(err, postgres.ErrMoved) {
		t.Errorf("a stale process may write: %v", err)
	}
	if s := w.read().Shards[1]; s.Place != to || s.Epoch != 2 {
		t.Errorf("the file has the shard at %v, epoch %d", s.Place, s.Epoch)
	}
	for id := range l2.acknowledged {
		l.acknowledged[id] = true
	}
	l.check(t, w.open())
	again, err := w.mover().Move(t.Context(), 1, to)
	if err != nil || !again.Already {
		t.Errorf("moving it again: %+v, %v", again, err)
	}
}

// TestAMoveThatTakesTooLongIsTriedAgain: somebody has what the last step reads locked until the
// shard has been stopped for long enough, whereby the mover gives up what it has asked, and
// loses the connection with its snapshot.
func TestAMoveThatTakesTooLongIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	l := newLoad(t, w.store(w.open(), everyday()), "a", 2)
	l.more(t, 50)
	locker := w.direct(w.read().Shards[1].Schema)
	m := w.mover()
	attempts := 0
	m.Tell = func(what string) {
		w.Log(what)
		switch {
		case what == "the shard is stopped; copying what is left":
			if attempts++; attempts == 1 {
				w.exec(locker, "BEGIN")
				w.exec(locker, "ALTER SEQUENCE event_numbers RENAME TO locked")
			}
		case strings.Contains(what, "trying again"):
			w.exec(locker, "ROLLBACK")
		}
	}
	to := shards.Place{URL: pgtest.Shared(t).NewDatabase(t), Schema: "elsewhere"}
	w.patiently(func(*shards.Mover) (shards.Moved, error) { return m.Move(t.Context(), 1, to) })
	if attempts < 2 {
		t.Errorf("it was tried %d times, want again after the first", attempts)
	}
	l.more(t, 50)
	l.end()
	l.check(t, w.open())
}

// patiently has a shard moved, and asks again, as an operator would, if the machine is so busy
// that each time the shard would have been stopped for too long.
func (w *world) patiently(move func(*shards.Mover) (shards.Moved, error)) shards.Moved {
	w.Helper()
	for {
		moved, err := move(w.mover())
		if errors.Is(err, context.DeadlineExceeded) {
			w.Logf("asking again: %v", err)
			continue
		}
		ok(w, err)
		return moved
	}
}

// identity is what the schema of a shard has to be.
func (w *world) identity(shard int64) postgres.Identity {
	s := w.read().Shards[shard]
	kept, _, err := postgres.Peek(context.Background(), s.URL, s.Schema)
	ok(w, err)
	return kept.Identity
}
