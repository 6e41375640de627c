package shards_test

import (
	"testing"

	"recoup/internal/pgtest"
	"recoup/store/shards"
)

func TestAShardIsSplitWhileItWorks(t *testing.T) {
	w := newWorld(t, 2)
	l := newLoad(t, w.store(w.open(), everyday()), "a", 8)
	l.more(t, 500)
	to := shards.Place{URL: pgtest.Shared(t).NewDatabase(t), Schema: "third"}
	rest := shards.Place{URL: w.url, Schema: "second_half"}
	moved, err := w.mover().Split(t.Context(), 1, 2, to, rest)
	ok(t, err)
	l.more(t, 500)
	l.end()
	t.Logf("%+v; nobody waited longer than %v", moved, l.longest)
	f := w.read()
	if len(f.Shards) != 3 || f.Shards[1].Buckets.String() != "2048-3071" || f.Shards[2].Buckets.String() != "3072-4095" {
		t.Errorf("the file is %s", f.Text())
	}
	l.check(t, w.open())
}
