package webhook_test

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/store/durable"
	"recoup/webhook"
)

// A process dies between the answer and the deletion. Another one delivers again
// when the lease has ended, and no sooner, under the same id.
func TestAtLeastOnce(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		var process interface{ Close() error }
		var once sync.Once
		r := receive(t, func(http.ResponseWriter, delivered) { once.Do(func() { process.Close() }) })
		sentinel := answering(t, 200)
		e, _ := add(t, d.outbox(), r.URL, durable.RewardPosted)
		add(t, d.outbox(), sentinel.URL, durable.BalanceNegative)
		d.notify(t, durable.RewardPosted, "a1")
		driver := d.again()
		process = driver
		o := onThisMachine
		o.Timeout = 10 * time.Second
		first := dispatch(t, outboxOf(d, driver), o)
		id := r.next(t).id()
		first.stop(t)
		if len(first.attempts) != 0 {
			t.Fatal("the process that died has recorded its delivery")
		}

		d.advance(o.Timeout + webhook.LeaseMargin - 1)
		d.notify(t, durable.BalanceNegative, "a2")
		second := dispatch(t, d.outbox(), o)
		if a := second.next(t); a.Endpoint == e.ID {
			t.Fatal("it was delivered again while the lease lasts")
		}
		d.advance(1)
		second.Wake()
		if a := second.next(t); a.Endpoint != e.ID || a.Fate != webhook.Delivered || a.Number != 1 {
			t.Errorf("the second delivery is %+v", a)
		}
		if again := r.next(t).id(); again != id {
			t.Errorf("the second delivery has the id %s, the first %s", again, id)
		}
	})
}

// A process that was asleep past the end of its lease does not disturb the one
// that took over.
func TestALateFailureDoesNotCount(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		late, fail := held(t)
		mine, take := held(t)
		var requests atomic.Int64
		r := receive(t, func(w http.ResponseWriter, _ delivered) {
			if requests.Add(1) == 1 {
				late()
				w.WriteHeader(500)
				return
			}
			mine()
		})
		e, _ := add(t, d.outbox(), r.URL)
		d.notify(t, durable.RewardPosted, "a1")
		o := onThisMachine
		o.Timeout = time.Hour
		asleep := dispatch(t, d.outbox(), o)
		r.next(t)
		d.advance(o.Timeout + webhook.LeaseMargin)
		heir := dispatch(t, d.outbox(), o)
		r.next(t)
		taken := d.delivery(t, e.ID)
		fail()
		asleep.next(t)
		if w := d.delivery(t, e.ID); w != taken {
			t.Errorf("the late failure changed %+v to %+v", taken, w)
		}
		take()
		if a := heir.next(t); a.Fate != webhook.Delivered || d.rows(t, "deliveries") != 0 {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

// Dispatchers that compete for the same deliveries each send others.
func TestTwoDispatchersShareTheWork(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		var seen sync.Map
		r := receive(t, func(_ http.ResponseWriter, got delivered) {
			if _, twice := seen.LoadOrStore(got.id(), true); twice {
				t.Errorf("%s was sent twice", got.body)
			}
		})
		add(t, d.outbox(), r.URL)
		const n = 300
		d.notify(t, durable.RewardPosted, many(n)...)
		var both [2]*dispatching
		for i := range both {
			both[i] = dispatch(t, outboxOf(d, d.again()), onThisMachine)
		}
		for range n {
			select {
			case a := <-both[0].attempts:
				if a.Fate != webhook.Delivered {
					t.Fatalf("the attempt is %+v", a)
				}
			case a := <-both[1].attempts:
				if a.Fate != webhook.Delivered {
					t.Fatalf("the attempt is %+v", a)
				}
			case <-time.After(patience):
				t.Fatal("no sign of an attempt")
			}
		}
		if n := d.rows(t, "deliveries"); n != 0 {
			t.Errorf("%d deliveries are left", n)
		}
	})
}

// Told to stop, a dispatcher lets what runs end and records it.
func TestStopFinishesWhatRuns(t *testing.T) {
	inSQLite(t, func(t *testing.T, d *database) {
		wait, let := held(t)
		r := receive(t, func(http.ResponseWriter, delivered) { wait() })
		add(t, d.outbox(), r.URL)
		d.notify(t, durable.RewardPosted, "a1")
		o := onThisMachine
		o.Grace = time.Hour
		p := dispatch(t, d.outbox(), o)
		r.next(t)
		p.cancel()
		let()
		p.stop(t)
		if a := p.next(t); a.Fate != webhook.Delivered || d.rows(t, "deliveries") != 0 {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

// No connection stays open behind a dispatcher that has stopped.
func TestStopClosesConnections(t *testing.T) {
	inSQLite(t, func(t *testing.T, d *database) {
		closed := make(chan bool, 1)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- true
			}
		}
		server.Start()
		defer server.Close()
		add(t, d.outbox(), server.URL)
		d.notify(t, durable.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		p.next(t)
		p.stop(t)
		await(t, closed, "the end of the connection")
	})
}

// What does not end within the grace is broken off. It does not count, and
// another process may take it at once.
func TestStopBreaksOffWhatTakesTooLong(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		wait, _ := held(t)
		r := receive(t, func(http.ResponseWriter, delivered) { wait() })
		e, _ := add(t, d.outbox(), r.URL)
		d.notify(t, durable.RewardPosted, "a1")
		before := d.delivery(t, e.ID)
		o := onThisMachine
		o.Timeout, o.Grace = time.Hour, 20*time.Millisecond
		p := dispatch(t, d.outbox(), o)
		r.next(t)
		p.stop(t)
		if a := p.next(t); a.Fate != webhook.Released {
			t.Errorf("the attempt is %+v", a)
		}
		if after := d.delivery(t, e.ID); after != before {
			t.Errorf("the delivery is %+v, want %+v", after, before)
		}
	})
}

// A database that cannot be written for a while delays. What was sent meanwhile
// is recorded afterwards, and not sent again.
func TestWhatCouldNotBeRecordedIsRecordedLater(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		wait, let := held(t)
		r := receive(t, func(http.ResponseWriter, delivered) { wait() })
		add(t, d.outbox(), r.URL)
		d.notify(t, durable.RewardPosted, "a1")
		errors := make(lines, 10_000)
		o := onThisMachine
		o.Poll, o.Log = time.Millisecond, slog.New(slog.NewTextHandler(errors, nil))
		p := dispatch(t, d.outbox(), o)
		r.next(t)
		d.exec(t, "ALTER TABLE deliveries RENAME TO elsewhere")
		let()
		// The first is of looking for work, perhaps; the third must be of recording.
		for range 3 {
			if line := await(t, errors, "an error"); !strings.Contains(line, "held up") {
				t.Fatal(line)
			}
		}
		d.exec(t, "ALTER TABLE elsewhere RENAME TO deliveries")
		if a := p.next(t); a.Fate != webhook.Delivered || len(r.got) != 0 {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

// lines are those of a log.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}
