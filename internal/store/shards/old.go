package shards

import (
	"context"
	"fmt"

	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// DropOld removes what a shard has left behind at the places where it was before. The one
// where it is now is never removed. Pooler: see postgres.Options.
func DropOld(ctx context.Context, name string, number int64, pooler bool) error {
	f, err := ReadFile(name)
	if err != nil {
		return err
	}
	l := &ledger{options: Options{Pooler: pooler}}
	if err := l.openHome(ctx, f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer l.close()
	var old []placement
	err = l.home.Read(ctx, func(r record.Reader) (err error) {
		old, err = left.List(ctx, r, record.Under(number), Stride)
		return err
	})
	if err != nil {
		return err
	}
	if len(old) == 0 {
		return fmt.Errorf("shard %d has left nothing behind", number)
	}
	for i := range old {
		if err := l.drop(ctx, &old[i]); err != nil {
			return fmt.Errorf("removing %s: %w", old[i].Place, err)
		}
	}
	return nil
}

// drop removes a schema that a shard has left, and forgets it.
func (l *ledger) drop(ctx context.Context, p *placement) error {
	list, err := placed(ctx, l.home)
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].same(p.Place) {
			return fmt.Errorf("shard %d is there now", list[i].Number)
		}
	}
	// Somebody may have made another schema of that name since.
	kept, is, err := postgres.Peek(ctx, p.URL, p.Schema)
	if err == nil && is && kept.Identity == (postgres.Identity{Ledger: l.id, Shard: p.Shard, Epoch: p.Epoch}) && kept.Closed != "" {
		err = dropSchema(ctx, p.Place)
	}
	if err != nil {
		return err
	}
	return l.home.Change(ctx, func(tx record.Tx) error {
		left.Delete(tx, record.Key(p.Shard, p.Epoch))
		return nil
	})
}
