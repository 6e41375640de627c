package postgres_test

import (
	"context"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

func numbersOf(t *testing.T, d *postgres.DB, n int) (numbers []int64) {
	t.Helper()
	err := d.Update(context.Background(), func(tx durable.Tx) error {
		found, err := tx.Load(context.Background(), &durable.Request{Numbers: n})
		if err == nil {
			numbers = found.Numbers
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

func TestNumbersOfShardsNeverMeet(t *testing.T) {
	const shards = 3
	seen := make(map[int64]bool)
	for shard := range int64(shards) {
		d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true, Shard: shard, Stride: shards})
		before := int64(0)
		for _, n := range []int{1, 700, 3000} {
			for _, number := range numbersOf(t, d, n) {
				if number <= before || number%shards != shard || seen[number] {
					t.Fatalf("shard %d hands out %d after %d", shard, number, before)
				}
				before, seen[number] = number, true
			}
		}
	}
}

func TestAShardThatThereIsNotIsRefused(t *testing.T) {
	for _, o := range []postgres.Options{{Shard: 1}, {Shard: 4, Stride: 4}, {Shard: -1, Stride: 4}, {Stride: -1}} {
		if _, err := postgres.Open(context.Background(), "postgres://127.0.0.1:1/none", o); err == nil || !strings.Contains(err.Error(), "there is no shard") {
			t.Errorf("shard %d of %d: %v", o.Shard, o.Stride, err)
		}
	}
}
