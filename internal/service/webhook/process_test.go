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

	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// A process dies between the answer and the deletion. Another one delivers again
// when the lease has ended, and no sooner, under the same id.
func TestAtLeastOnce(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		dies := d.process()
		var once sync.Once
		r := receive(t, func(http.ResponseWriter, delivered) { once.Do(func() { dies.lost.Store(true) }) })
		add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
		o := onThisMachine
		o.Timeout = 10 * time.Second
		first := dispatch(t, d.outboxOf(dies), o)
		id := r.next(t).id()
		first.stop(t)
		if len(first.attempts) != 0 {
			t.Fatal("the process that died has recorded its delivery")
		}

		d.advance(o.Timeout + webhook.LeaseMargin - 1)
		d.notify(t, outbox.RewardPosted, "a2")
		heir := d.process()
		o.Poll = time.Millisecond
		second := dispatch(t, d.outboxOf(heir), o)
		heir.lookAround(t)
		if len(r.got) != 0 {
			t.Fatal("something was delivered while the lease lasts")
		}
		d.advance(1)
		ids := map[string]int{}
		for range 2 {
			if a := second.next(t); a.Fate != webhook.Delivered || a.Number != 1 {
				t.Errorf("the attempt is %+v", a)
			}
			ids[r.next(t).id()]++
		}
		if len(ids) != 2 || ids[id] != 1 {
			t.Errorf("delivered were %v, want %s and another", ids, id)
		}
	})
}

// Of two dispatchers one sends, until it dies; then the other does. Nothing is lost, and
// nothing sent twice but what was on its way.
func TestOneSendsUntilItDies(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		const n = 300
		first, second := d.process(), d.process()
		var mu sync.Mutex
		ids := map[string]int{}
		died := make(chan bool, 1)
		r := receive(t, func(_ http.ResponseWriter, got delivered) {
			mu.Lock()
			defer mu.Unlock()
			if ids[got.id()]++; len(ids) == n/2 && !first.lost.Swap(true) {
				died <- true
			}
		})
		add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, many(n)...)
		o := onThisMachine
		o.Poll = time.Millisecond
		dies := dispatch(t, d.outboxOf(first), o)
		dies.next(t)
		heir := dispatch(t, d.outboxOf(second), o)
		await(t, died, "the death of the first")
		dies.stop(t)
		second.lookAround(t)
		if len(heir.attempts) != 0 {
			t.Fatal("the other one sends while the lease lasts")
		}
		left := len(d.left(t))
		d.advance(15*time.Second + webhook.LeaseMargin)
		for range left {
			if a := heir.next(t); a.Fate != webhook.Delivered {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		twice := 0
		for _, times := range ids {
			twice += times - 1
		}
		if len(ids) != n || twice > 4 || len(d.left(t)) != 0 {
			t.Errorf("%d of %d were sent, %d of them twice, %d are left", len(ids), n, twice, len(d.left(t)))
		}
	})
}

// Who lives keeps the lease, however long that is.
func TestTheLeaseIsRenewed(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), answering(t, 200).URL)
		d.notify(t, outbox.RewardPosted, "a1")
		o := onThisMachine
		o.Poll = time.Millisecond
		first, second := d.process(), d.process()
		holder := dispatch(t, d.outboxOf(first), o)
		holder.next(t)
		other := dispatch(t, d.outboxOf(second), o)
		for range 10 {
			d.advance(webhook.LeaseMargin / 2)
			first.lookAround(t)
			second.lookAround(t)
		}
		const n = 100 // of which the other one would send some
		d.notify(t, outbox.RewardPosted, many(n)...)
		for range n {
			if a := holder.next(t); a.Fate != webhook.Delivered {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		if len(other.attempts) != 0 {
			t.Errorf("the other one sent %d", len(other.attempts))
		}
	})
}

// Who stops gives the lease back.
func TestAfterOneThatStoppedOthersSendAtOnce(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), answering(t, 200).URL)
		for _, account := range many(3) {
			d.notify(t, outbox.RewardPosted, account)
			p := dispatch(t, d.outbox(), onThisMachine)
			if a := p.next(t); a.Fate != webhook.Delivered {
				t.Errorf("the attempt is %+v", a)
			}
			p.stop(t)
		}
	})
}

// Where there is nowhere to send, not even a lease is taken.
func TestWithoutEndpointsNothingIsWritten(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		p := d.process()
		o := onThisMachine
		o.Poll = time.Millisecond
		dispatch(t, d.outboxOf(p), o)
		p.lookAround(t)
		d.read(t, func(r record.Reader) error {
			return r.Scan(t.Context(), "leases", record.Span{}, func(key string, value []byte) (bool, error) {
				t.Errorf("there is %s: %s", key, value)
				return true, nil
			})
		})
	})
}

// Who took the lease with a clock that was years ahead, and died, holds up others for
// no longer than anybody else would.
func TestAClockThatWasWrong(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		right := d.now()
		add(t, d.outbox(), answering(t, 200).URL)
		d.advance(5 * 365 * 24 * time.Hour)
		d.notify(t, outbox.RewardPosted, "a1")
		dies := d.process()
		wrong := dispatch(t, d.outboxOf(dies), onThisMachine)
		wrong.next(t)
		dies.lost.Store(true)
		wrong.stop(t)

		d.advance(right.Sub(d.now()))
		d.notify(t, outbox.RewardPosted, "a2")
		heir := d.process()
		o := onThisMachine
		o.Poll = time.Millisecond
		p := dispatch(t, d.outboxOf(heir), o)
		heir.lookAround(t)
		d.advance(15*time.Second + webhook.LeaseMargin - 1)
		heir.lookAround(t)
		if len(p.attempts) != 0 {
			t.Fatal("it was sent while somebody else may be sending")
		}
		d.advance(1)
		if a := p.next(t); a.Fate != webhook.Delivered {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

// A process that was asleep past the end of its lease does not disturb the one
// that took over, and sends no more.
func TestALateFailureDoesNotCount(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
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
		d.notify(t, outbox.RewardPosted, "a1")
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
		if a := heir.next(t); a.Fate != webhook.Delivered || len(d.left(t)) != 0 {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

// What fails when its endpoint was removed is not tried again.
func TestAnEndpointIsRemovedMeanwhile(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		wait, let := held(t)
		r := receive(t, func(w http.ResponseWriter, _ delivered) {
			wait()
			w.WriteHeader(http.StatusGone)
		})
		e, _ := add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		r.next(t)
		if err := d.outbox().Remove(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		let()
		p.next(t)
		if c, err := d.outbox().Counts(t.Context()); c != (webhook.Counts{}) || err != nil || len(d.left(t)) != 0 {
			t.Errorf("counted are %+v, %v", c, err)
		}
		if dead, err := d.outbox().Dead(t.Context(), e.ID, 0, 1); len(dead) != 0 || err != nil {
			t.Errorf("the dead letters are %+v, %v", dead, err)
		}
	})
}

// Told to stop, a dispatcher lets what runs end and records it.
func TestStopFinishesWhatRuns(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		wait, let := held(t)
		r := receive(t, func(http.ResponseWriter, delivered) { wait() })
		add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
		o := onThisMachine
		o.Grace = time.Hour
		p := dispatch(t, d.outbox(), o)
		r.next(t)
		p.cancel()
		let()
		p.stop(t)
		if a := p.next(t); a.Fate != webhook.Delivered || len(d.left(t)) != 0 {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

// No connection stays open behind a dispatcher that has stopped.
func TestStopClosesConnections(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
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
		d.notify(t, outbox.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		p.next(t)
		p.stop(t)
		await(t, closed, "the end of the connection")
	})
}

// What does not end within the grace is broken off. It does not count, and
// another process may take it at once.
func TestStopBreaksOffWhatTakesTooLong(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		wait, _ := held(t)
		r := receive(t, func(http.ResponseWriter, delivered) { wait() })
		e, _ := add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
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

// A database that cannot be used for a while delays. What was sent meanwhile is recorded
// afterwards, and not sent again.
func TestWhatCouldNotBeRecordedIsRecordedLater(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		wait, let := held(t)
		r := receive(t, func(http.ResponseWriter, delivered) { wait() })
		add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
		errors := make(lines, 10_000)
		o := onThisMachine
		o.Poll, o.Log = time.Millisecond, slog.New(slog.NewTextHandler(errors, nil))
		db := d.process()
		p := dispatch(t, d.outboxOf(db), o)
		r.next(t)
		db.lost.Store(true)
		let()
		// The first is of looking for work, perhaps; the third must be of recording.
		for range 3 {
			if line := await(t, errors, "an error"); !strings.Contains(line, "held up") {
				t.Fatal(line)
			}
		}
		db.lost.Store(false)
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
