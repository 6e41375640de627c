package shards

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// Plan is the file of a new ledger of so many shards, dealt out to databases in equal
// parts: home is in the first of them. Schemas are called by the prefix.
func Plan(urls []string, shards int, prefix string) (*File, error) {
	if shards < 1 || shards > Stride {
		return nil, fmt.Errorf("expected 1 to %d shards, not %d", Stride, shards)
	}
	if len(urls) == 0 || len(urls) > shards {
		return nil, fmt.Errorf("expected 1 URL or more, and no more than there are shards, not %d", len(urls))
	}
	f := &File{Home: Place{URL: urls[0], Schema: prefix}}
	for i := range shards {
		f.Shards = append(f.Shards, Shard{
			Number: int64(i), Place: Place{URL: urls[i*len(urls)/shards], Schema: fmt.Sprintf("%s_%d", prefix, i)}, Epoch: 1,
		})
	}
	f.dealEvenly()
	if err := f.Home.check(); err != nil {
		return nil, err
	}
	for i := range f.Shards {
		if err := f.Shards[i].check(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Create makes the schemas of a new ledger and then writes its file. A Create that was
// broken off is finished by another with the same plan. Pooler: see postgres.Options.
func Create(ctx context.Context, name string, f *File, pooler bool) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s is there already", name)
		}
		return err
	}
	id, err := f.begin(ctx, pooler)
	if err != nil {
		return err
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i := range f.Shards {
		s := &f.Shards[i]
		group.Go(func() error {
			err := postgres.Make(inGroup, s.URL, s.Schema, postgres.Kept{Identity: postgres.Identity{Ledger: id, Shard: s.Number, Epoch: s.Epoch}}, pooler)
			if err != nil {
				return fmt.Errorf("shard %d, %s: %w", s.Number, s.Place, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := f.place(ctx, id, true, pooler); err != nil {
		return err
	}
	return f.WriteFile(name)
}

// begin makes home, or finds it as another Create has left it, and returns the id of the
// ledger.
func (f *File) begin(ctx context.Context, pooler bool) (id string, err error) {
	kept, is, err := postgres.Peek(ctx, f.Home.URL, f.Home.Schema)
	if err != nil && !errors.Is(err, postgres.ErrSchema) {
		return "", fmt.Errorf("home, %s: %w", f.Home, err)
	}
	if is && kept.Shard == postgres.Home {
		return kept.Ledger, f.place(ctx, kept.Ledger, false, pooler)
	}
	id = rand.Text()
	err = postgres.Make(ctx, f.Home.URL, f.Home.Schema, postgres.Kept{Identity: postgres.Identity{Ledger: id, Shard: postgres.Home, Epoch: 1}}, pooler)
	if err != nil {
		return "", fmt.Errorf("home, %s: %w", f.Home, err)
	}
	return id, nil
}

// place writes down at home where the shards are, if it is to; where that is there
// already, it has to be the same.
func (f *File) place(ctx context.Context, id string, write, pooler bool) error {
	d, err := postgres.Open(ctx, f.Home.URL, postgres.Options{
		Schema: f.Home.Schema, Identity: &postgres.Identity{Ledger: id, Shard: postgres.Home, Epoch: 1}, Readers: 1, Writers: 1, Pooler: pooler,
	})
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Change(ctx, func(tx record.Tx) error {
		placed, err := readPlacements(ctx, tx)
		if err != nil {
			return err
		}
		if len(placed) > 0 {
			if err := f.agree(placed); err != nil {
				return fmt.Errorf("home, %s, is of a ledger that is there already: %w", f.Home, err)
			}
			return nil
		}
		if !write {
			return nil
		}
		for i := range f.Shards {
			if err := placements.Put(tx, record.Key(f.Shards[i].Number), placementOf(&f.Shards[i])); err != nil {
				return err
			}
		}
		return nil
	})
}
