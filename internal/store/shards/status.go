package shards

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"recoup/internal/store/postgres"
)

// Status is what there is to say of a shard.
type Status struct {
	Shard
	Accounts, Events int64 // as the server estimates
	State            string
}

// Working is the state of a shard that works.
const Working = "open"

// ReadStatus looks at all shards of a file. What is wrong with one is its state.
// Pooler: see postgres.Options.
func ReadStatus(ctx context.Context, name string, pooler bool) ([]Status, error) {
	f, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	l := &ledger{options: Options{Pooler: pooler}}
	if err := l.openHome(ctx, f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer l.close()
	at, err := placed(ctx, l.home)
	if err != nil {
		return nil, err
	}
	disagreement := f.agree(at)
	list := make([]Status, len(at))
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i := range at {
		list[i].Shard = at[i]
		group.Go(func() error {
			list[i].State = l.look(inGroup, &list[i])
			return inGroup.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if disagreement != nil {
		return list, fmt.Errorf("%s: %w", name, disagreement)
	}
	return list, nil
}

// look returns the state of a shard.
func (l *ledger) look(ctx context.Context, s *Status) string {
	kept, is, err := postgres.Peek(ctx, s.URL, s.Schema)
	if err == nil {
		err = s.expect(kept, is, l.identity(&s.Shard))
	}
	if err != nil {
		return err.Error()
	}
	err = postgres.At(ctx, s.URL, s.Schema, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, `SELECT greatest(a.reltuples, 0)::INT8, greatest(e.reltuples, 0)::INT8 FROM pg_class a, pg_class e WHERE a.oid = 'accounts'::REGCLASS AND e.oid = 'events'::REGCLASS`).Scan(&s.Accounts, &s.Events)
	})
	if err != nil {
		return err.Error()
	}
	moving, err := l.home.Moving(ctx, s.Number)
	switch {
	case err != nil:
		return err.Error()
	case kept.Closed != "" && moving:
		return "stopped for a moment, to be moved"
	case kept.Closed != "":
		return "closed by a move that has ended; whoever uses it next opens it"
	case moving:
		return Working + ", and being moved"
	}
	return Working
}
