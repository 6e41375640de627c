package webhook_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
)

// childOf names, to a process of this program, the database that it is to send from.
const childOf = "RECOUP_TEST_SENDS_FROM"

// openAt opens a database by its place, a URL or a folder, as two processes both may.
func openAt(ctx context.Context, place string) (durable.Driver, error) {
	if strings.HasPrefix(place, "postgres") {
		return postgres.Open(ctx, place, postgres.Options{Migrate: true})
	}
	return pebble.Open(ctx, place, pebble.Options{Create: true})
}

// sendUntilKilled is what a child does instead of testing.
func sendUntilKilled(place string) {
	db, err := openAt(context.Background(), place)
	if err != nil {
		panic(err)
	}
	d := &database{clock: newClock(), Driver: db}
	webhook.Dispatch(context.Background(), d.outbox(), onThisMachine)
}

// A process is killed while it sends. Another one sends the rest: one that was there all
// the time when the lease has ended, one that has the folder to itself at once: nothing is lost, and nothing sent
// twice but what was on its way.
func TestAKilledProcess(t *testing.T) {
	t.Run("beside another", func(t *testing.T) { killOne(t, pgtest.NewSchema(t), true) })
	t.Run("before another", func(t *testing.T) { killOne(t, filepath.Join(t.TempDir(), "ledger"), false) })
}

// killOne has a process send, kills it amid that, and sends the rest. beside says whether
// the other one is there from the beginning, or opens the database only then.
func killOne(t *testing.T, place string, beside bool) {
	const n, perEndpoint = 200, 4
	var mu sync.Mutex
	ids := map[string]int{}
	wait, let := held(t)
	halfway := make(chan bool, n)
	r := receive(t, func(_ http.ResponseWriter, got delivered) {
		mu.Lock()
		ids[got.id()]++
		many := len(ids) > n/2
		mu.Unlock()
		if many {
			halfway <- true
			wait()
		}
	})
	d := &database{clock: newClock(), Driver: opened(t, place)}
	add(t, d.outbox(), r.URL)
	d.notify(t, "reward.posted", many(n)...)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childOf+"="+place)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceFunc(func() {
		child.Process.Kill()
		child.Wait()
	})
	defer kill()
	for range perEndpoint {
		await(t, halfway, "a process that sends")
	}
	if !beside {
		kill()
	}
	d.Driver = opened(t, place)
	heirs := newProcess(d.Driver)
	o := onThisMachine
	o.Poll = time.Millisecond
	o.Alone = !beside
	heir := dispatch(t, d.outboxOf(heirs), o)
	heirs.lookAround(t)
	kill()
	if beside {
		let()
		heirs.lookAround(t)
		if len(heir.attempts) != 0 {
			t.Error("another sends while the lease lasts")
		}
	}
	left := len(d.left(t))
	if left < n/2-1 {
		t.Errorf("%d of %d deliveries are left", left, n)
	}
	if beside {
		d.advance(15*time.Second + webhook.LeaseMargin)
	} else {
		let()
	}
	for range left {
		if a := heir.next(t); a.Fate != webhook.Delivered {
			t.Fatalf("the attempt is %+v", a)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	twice := 0
	for _, times := range ids {
		twice += times - 1
	}
	if len(ids) != n || twice != perEndpoint || len(d.left(t)) != 0 {
		t.Errorf("%d of %d were sent, %d of them twice, %d are left; on their way were %d", len(ids), n, twice, len(d.left(t)), perEndpoint)
	}
}

// opened opens a database for as long as the test runs, at most.
func opened(t *testing.T, place string) durable.Driver {
	t.Helper()
	db, err := openAt(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
