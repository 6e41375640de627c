package shards_test

import (
	"context"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/internal/store/shards"
)

// What a transaction pays for asking whether its schema is still the one.
func BenchmarkExpectShard(b *testing.B) {
	w := newWorld(b, 1)
	s := w.read().Shards[0]
	id := w.identity(0)
	alone, err := postgres.Open(b.Context(), pgtest.Shared(b).NewDatabase(b), postgres.Options{Migrate: true})
	ok(b, err)
	defer alone.Close()
	shard, err := postgres.Open(b.Context(), s.URL, postgres.Options{Schema: s.Schema, Identity: &id, Stride: shards.Stride})
	ok(b, err)
	defer shard.Close()
	for _, c := range []struct {
		name string
		db   *postgres.DB
	}{{"a shard", shard}, {"a database by itself", alone}} {
		b.Run("lock an account/"+c.name, func(b *testing.B) {
			for range b.N {
				ok(b, c.db.Update(context.Background(), func(tx durable.Tx) error {
					_, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{"a"}, Held: []int64{-1}})
					return err
				}))
			}
		})
		b.Run("read an account/"+c.name, func(b *testing.B) {
			for range b.N {
				ok(b, c.db.View(context.Background(), func(r durable.Reader) error {
					_, _, err := r.Account(context.Background(), "a")
					return err
				}))
			}
		})
	}
	b.Run("read an account/a shard on shared connections", func(b *testing.B) {
		server, err := postgres.Connect(b.Context(), s.URL, 4, postgres.Options{})
		ok(b, err)
		defer server.Close()
		shared, err := postgres.Open(b.Context(), s.URL, postgres.Options{Schema: s.Schema, Identity: &id, Stride: shards.Stride, Reading: server})
		ok(b, err)
		defer shared.Close()
		for range b.N {
			ok(b, shared.View(context.Background(), func(r durable.Reader) error {
				_, _, err := r.Account(context.Background(), "a")
				return err
			}))
		}
	})
}
