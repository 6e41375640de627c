package shards_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/shards"
	"recoup/reward"
)

// A process that runs while a shard is split has a lane for the new one from then on: it
// waits for none of the others, and what is to be delivered from there is delivered and
// listed.
func TestANewShardHasALaneInEveryProcess(t *testing.T) {
	w := newWorld(t, 1)
	db := w.open()
	s := w.store(db, everyday())
	group := engine.NewGroup(engine.New(s), engine.GroupOptions{})
	defer group.Close(context.Background())
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer refusing.Close()
	letters := webhook.New(db, db.Records, time.Now)
	ctx, stop := context.WithCancel(t.Context())
	var dispatchers sync.WaitGroup
	dispatchers.Go(func() {
		webhook.Dispatch(ctx, letters, webhook.Options{AllowPrivate: true, Schedule: []time.Duration{}, Poll: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	})
	defer dispatchers.Wait()
	defer stop()
	_, _, err := letters.Add(t.Context(), refusing.URL, []string{outbox.RewardPosted}, true)
	ok(t, err)
	_, err = group.Apply(t.Context(), []reward.Event{purchase("before", 1)}, nil)
	ok(t, err)

	to := shards.Place{URL: pgtest.Shared(t).NewDatabase(t), Schema: "upper"}
	w.patiently(func(m *shards.Mover) (shards.Moved, error) {
		return m.Split(t.Context(), 0, 1, to, shards.Place{URL: w.url, Schema: "lower"})
	})
	inLane := func(lane int) string {
		for n := 0; ; n++ {
			if id := fmt.Sprintf("a%d", n); shards.Bucket(id)*2/shards.Buckets == lane {
				return id
			}
		}
	}
	lower, upper := inLane(0), inLane(1)
	_, err = group.Apply(t.Context(), []reward.Event{purchase(lower, 1), purchase(upper, 1)}, nil)
	ok(t, err)

	// Commits of the lower half wait for this.
	conn := w.direct("lower")
	w.exec(conn, "BEGIN; LOCK TABLE accounts IN EXCLUSIVE MODE")
	waiting := make(chan error, 1)
	go func() {
		_, err := group.Apply(context.Background(), []reward.Event{purchase(lower, 2)}, nil)
		waiting <- err
	}()
	for group.Waiting() > 0 || !blocked(t, w) {
		time.Sleep(time.Millisecond)
	}
	soon, enough := context.WithTimeout(t.Context(), time.Minute)
	defer enough()
	if _, err := group.Apply(soon, []reward.Event{purchase(upper, 2)}, nil); err != nil {
		t.Errorf("the new shard waits for the other: %v", err)
	}
	w.exec(conn, "ROLLBACK")
	ok(t, <-waiting)

	for given := map[string]int{}; given[upper] < 2 || given[lower] < 2; time.Sleep(5 * time.Millisecond) {
		if soon.Err() != nil {
			t.Fatalf("what was given up is %v", given)
		}
		list, err := letters.Dead(t.Context(), "", 0, 100)
		ok(t, err)
		clear(given)
		for i := range list {
			given[list[i].Account]++
		}
	}
}

// blocked reports whether anybody waits for a lock.
func blocked(t *testing.T, w *world) (is bool) {
	t.Helper()
	conn := w.direct("recoup")
	defer conn.Close(context.Background())
	ok(t, conn.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&is))
	return is
}
