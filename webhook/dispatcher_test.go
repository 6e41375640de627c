package webhook_test

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/store/durable"
	"recoup/webhook"
)

func TestADeliveryIsSignedAndDoneWithWhenItIsTaken(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		r := answering(t, http.StatusNoContent)
		_, secret := add(t, d.outbox(), r.URL)
		body := d.notify(t, durable.RewardPosted, "a1")
		a := dispatch(t, d.outbox(), onThisMachine).next(t)
		if a.Fate != webhook.Delivered || a.Number != 1 || a.Status != http.StatusNoContent || a.Type != durable.RewardPosted {
			t.Errorf("the attempt is %+v", a)
		}
		got := r.next(t)
		if got.body != body {
			t.Errorf("the body is %s, want %s", got.body, body)
		}
		if err := webhook.Verify(got.header, []byte(got.body), secret, d.now(), 0); err != nil {
			t.Error(err)
		}
		if got.header.Get("Content-Type") != "application/json" {
			t.Errorf("the headers are %v", got.header)
		}
		if n, m := d.rows(t, "notices"), d.rows(t, "deliveries"); n != 0 || m != 0 {
			t.Errorf("%d notices and %d deliveries are left", n, m)
		}
	})
}

// A notice stays until the last of its deliveries is done with.
func TestEachEndpointGetsWhatItWants(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		all, denials, broken := answering(t, 200), answering(t, 200), answering(t, 500)
		add(t, d.outbox(), all.URL)
		add(t, d.outbox(), denials.URL, durable.RedemptionDenied, durable.BalanceNegative)
		add(t, d.outbox(), broken.URL, durable.RewardPosted)
		denied := d.notify(t, durable.RedemptionDenied, "a1")
		d.notify(t, durable.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		for range 4 {
			p.next(t)
		}
		if len(all.got) != 2 || len(broken.got) != 1 || len(denials.got) != 1 || denials.next(t).body != denied {
			t.Errorf("%d, %d and %d requests", len(all.got), len(denials.got), len(broken.got))
		}
		if n, m := d.rows(t, "notices"), d.rows(t, "deliveries"); n != 1 || m != 1 {
			t.Errorf("%d notices and %d deliveries are left, want those of the broken one", n, m)
		}
	})
}

func TestOnlySuccessIsTaken(t *testing.T) {
	inSQLite(t, func(t *testing.T, d *database) {
		for _, c := range []struct {
			status int
			fate   webhook.Fate
			err    string
		}{
			{200, webhook.Delivered, ""},
			{204, webhook.Delivered, ""},
			{299, webhook.Delivered, ""},
			{302, webhook.Retried, "answered 302 Found: redirects are not followed"},
			{400, webhook.Retried, "answered 400 Bad Request"},
			{429, webhook.Retried, "answered 429 Too Many Requests"},
			{503, webhook.Retried, "answered 503 Service Unavailable"},
		} {
			elsewhere := answering(t, 200)
			r := receive(t, func(w http.ResponseWriter, _ delivered) {
				w.Header().Set("Location", elsewhere.URL)
				w.WriteHeader(c.status)
			})
			e, _ := add(t, d.outbox(), r.URL)
			d.notify(t, durable.RewardPosted, strconv.Itoa(c.status))
			p := dispatch(t, d.outbox(), onThisMachine)
			a := p.next(t)
			if a.Fate != c.fate || a.Status != c.status {
				t.Errorf("%d: the attempt is %+v", c.status, a)
			}
			if len(elsewhere.got) > 0 {
				t.Errorf("%d: the redirect was followed", c.status)
			}
			if c.err != "" {
				if w := d.delivery(t, e.ID); w.err != c.err || w.attempts != 1 || w.state != 0 {
					t.Errorf("%d: what is kept is %+v, want the error %q", c.status, w, c.err)
				}
			}
			p.stop(t)
			if err := d.outbox().Remove(t.Context(), e.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The pauses of the schedule, each up to a fifth longer, with the same id and a
// fresh signature every time; then the delivery is dead, and with a replay all
// begins anew.
func TestRetries(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		broken, sentinel := answering(t, 500), answering(t, 200)
		e, secret := add(t, d.outbox(), broken.URL, durable.RewardPosted)
		add(t, d.outbox(), sentinel.URL, durable.BalanceNegative)
		d.notify(t, durable.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		id := ""
		for i, pause := range webhook.DefaultSchedule {
			if a := p.next(t); a.Fate != webhook.Retried || a.Number != int64(i+1) {
				t.Fatalf("attempt %d is %+v", i+1, a)
			}
			got := broken.next(t)
			if err := webhook.Verify(got.header, []byte(got.body), secret, d.now(), time.Second); err != nil {
				t.Fatalf("attempt %d: %v", i+1, err)
			}
			if id == "" {
				id = got.id()
			}
			if id == "" || got.id() != id {
				t.Fatalf("attempt %d has the id %q, the first %q", i+1, got.id(), id)
			}
			w := d.delivery(t, e.ID)
			if wait := w.next.Sub(d.now()); wait < pause || wait > pause+pause/5 || w.attempts != i+1 {
				t.Fatalf("after attempt %d: %+v, which is in %s, want about %s", i+1, w, wait, pause)
			}
			// Just before, nothing happens: the sentinel's delivery is recorded in
			// the round after the one that would have claimed this one.
			d.advance(w.next.Sub(d.now()) - 1)
			d.notify(t, durable.BalanceNegative, "a2")
			p.Wake()
			if a := p.next(t); a.Type != durable.BalanceNegative || d.delivery(t, e.ID) != w {
				t.Fatalf("attempt %d came too early: %+v", i+2, a)
			}
			d.advance(1)
			p.Wake()
		}
		if a := p.next(t); a.Fate != webhook.Dead || a.Number != 10 {
			t.Fatalf("the last attempt is %+v", a)
		}
		broken.next(t)
		dead, err := d.outbox().Dead(t.Context(), e.ID, 0, 10)
		if err != nil || len(dead) != 1 {
			t.Fatalf("the dead letters are %+v, %v", dead, err)
		}
		l := dead[0]
		if l.ID != id || l.Endpoint != e.ID || l.Account != "a1" || l.Type != durable.RewardPosted || l.Attempts != 10 || l.Error != "answered 500 Internal Server Error" {
			t.Errorf("the dead letter is %+v", l)
		}
		if err := d.outbox().Replay(t.Context(), l.Number); err != nil {
			t.Fatal(err)
		}
		p.Wake()
		if a := p.next(t); a.Fate != webhook.Retried || a.Number != 1 || broken.next(t).id() != id {
			t.Errorf("replayed, the attempt is %+v", a)
		}
	})
}

func TestDeliveriesThatFailTogetherAreNotRetriedTogether(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), answering(t, 500).URL)
		d.notify(t, durable.RewardPosted, many(8)...)
		p := dispatch(t, d.outbox(), onThisMachine)
		for range 8 {
			p.next(t)
		}
		var different int
		if err := d.driver.DB().QueryRow("SELECT count(DISTINCT next_at) FROM deliveries").Scan(&different); err != nil || different < 2 {
			t.Errorf("8 deliveries are due at %d times, %v", different, err)
		}
	})
}

func TestDeadLettersOfAnEndpointAreReplayed(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		var mended atomic.Bool
		r := receive(t, func(w http.ResponseWriter, _ delivered) {
			if !mended.Load() {
				w.WriteHeader(500)
			}
		})
		e, _ := add(t, d.outbox(), r.URL)
		other, _ := add(t, d.outbox(), answering(t, 500).URL)
		d.notify(t, durable.RewardPosted, many(5)...)
		o := onThisMachine
		o.Schedule = []time.Duration{}
		p := dispatch(t, d.outbox(), o)
		for range 10 {
			if a := p.next(t); a.Fate != webhook.Dead {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		all, err := d.outbox().Dead(t.Context(), "", 0, 4)
		if err != nil || len(all) != 4 {
			t.Fatalf("the first four dead letters are %+v, %v", all, err)
		}
		rest, err := d.outbox().Dead(t.Context(), "", all[3].Number, 100)
		if err != nil || len(rest) != 6 {
			t.Fatalf("the other six dead letters are %+v, %v", rest, err)
		}
		mended.Store(true)
		if n, err := d.outbox().ReplayAll(t.Context(), e.ID); n != 5 || err != nil {
			t.Fatalf("%d were replayed, %v", n, err)
		}
		p.Wake()
		for range 5 {
			if a := p.next(t); a.Fate != webhook.Delivered || a.Endpoint != e.ID {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		if dead, err := d.outbox().Dead(t.Context(), other.ID, 0, 100); len(dead) != 5 || err != nil {
			t.Errorf("of the other endpoint %d are dead, %v", len(dead), err)
		}
	})
}

func TestAnEndpointThatIsGoneIsDisabled(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		e, _ := add(t, d.outbox(), answering(t, http.StatusGone).URL)
		d.notify(t, durable.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		if a := p.next(t); a.Fate != webhook.Gone {
			t.Fatalf("the attempt is %+v", a)
		}
		list, err := d.outbox().List(t.Context())
		if err != nil || len(list) != 1 || !list[0].Disabled.Equal(d.now()) || list[0].Dead != 1 || list[0].Due != 0 {
			t.Errorf("the endpoints are %+v, %v", list, err)
		}
		d.notify(t, durable.RewardPosted, "a2")
		if n := d.rows(t, "deliveries"); n != 1 {
			t.Errorf("%d deliveries for endpoint %s, which is disabled", n, e.ID)
		}
	})
}

// What waits for a disabled endpoint waits until it is enabled.
func TestDisableAndEnable(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		paused, sentinel := answering(t, 200), answering(t, 200)
		e, _ := add(t, d.outbox(), paused.URL, durable.RewardPosted)
		add(t, d.outbox(), sentinel.URL)
		d.notify(t, durable.RewardPosted, "a1")
		if err := d.outbox().Disable(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		p := dispatch(t, d.outbox(), onThisMachine)
		if a := p.next(t); a.Endpoint == e.ID || d.delivery(t, e.ID).next != d.now() {
			t.Fatalf("an attempt at a disabled endpoint: %+v", a)
		}
		if err := d.outbox().Enable(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		p.Wake()
		if a := p.next(t); a.Endpoint != e.ID || a.Fate != webhook.Delivered {
			t.Errorf("after it was enabled: %+v", a)
		}
	})
}

// An endpoint that is as slow as can be fills its own places and no others.
func TestASlowEndpointDoesNotHoldUpOthers(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		wait, let := held(t)
		var most, running atomic.Int64
		slow := receive(t, func(http.ResponseWriter, delivered) {
			now := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			wait()
		})
		quick := answering(t, 200)
		first, _ := add(t, d.outbox(), slow.URL)
		second, _ := add(t, d.outbox(), quick.URL)
		const n = 50
		d.notify(t, durable.RewardPosted, many(n)...)
		o := onThisMachine
		o.Concurrency, o.PerEndpoint = 4, 2
		p := dispatch(t, d.outbox(), o)
		for range n {
			if a := p.next(t); a.Endpoint != second.ID || a.Fate != webhook.Delivered {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		let()
		for range n {
			if a := p.next(t); a.Endpoint != first.ID || a.Fate != webhook.Delivered {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		if most.Load() > 2 {
			t.Errorf("%d requests at once, want 2 at most", most.Load())
		}
	})
}

func TestAReceiverThatDoesNotAnswerIsGivenUp(t *testing.T) {
	inSQLite(t, func(t *testing.T, d *database) {
		wait, _ := held(t)
		e, _ := add(t, d.outbox(), receive(t, func(http.ResponseWriter, delivered) { wait() }).URL)
		d.notify(t, durable.RewardPosted, "a1")
		o := onThisMachine
		o.Timeout = 20 * time.Millisecond
		if a := dispatch(t, d.outbox(), o).next(t); a.Fate != webhook.Retried {
			t.Errorf("the attempt is %+v", a)
		}
		if w := d.delivery(t, e.ID); w.err != "no answer within 20ms" {
			t.Errorf("what is kept is %+v", w)
		}
	})
}

// The status decides; the rest of an answer is read only as far as is polite.
func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	inSQLite(t, func(t *testing.T, d *database) {
		r := receive(t, func(w http.ResponseWriter, _ delivered) {
			for block := make([]byte, 1<<12); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		})
		add(t, d.outbox(), r.URL)
		d.notify(t, durable.RewardPosted, "a1")
		o := onThisMachine
		o.Timeout = time.Hour
		if a := dispatch(t, d.outbox(), o).next(t); a.Fate != webhook.Delivered {
			t.Errorf("the attempt is %+v", a)
		}
	})
}

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
