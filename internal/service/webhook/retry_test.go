package webhook_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/kit/signing"
	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
)

// The pauses of the schedule, each up to a fifth longer, with the same id and a
// fresh signature every time; then the delivery is dead, and with a replay all
// begins anew.
func TestRetries(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		broken, sentinel := answering(t, 500), answering(t, 200)
		e, secret := add(t, d.outbox(), broken.URL, outbox.RewardPosted)
		add(t, d.outbox(), sentinel.URL, outbox.BalanceNegative)
		d.notify(t, outbox.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		id := ""
		for i, pause := range webhook.DefaultSchedule {
			if a := p.next(t); a.Fate != webhook.Retried || a.Number != int64(i+1) {
				t.Fatalf("attempt %d is %+v", i+1, a)
			}
			got := broken.next(t)
			if err := signing.Verify(got.header, []byte(got.body), secret, d.now(), time.Second); err != nil {
				t.Fatalf("attempt %d: %v", i+1, err)
			}
			if id == "" {
				id = got.id()
			}
			if id == "" || got.id() != id {
				t.Fatalf("attempt %d has the id %q, the first %q", i+1, got.id(), id)
			}
			w := d.delivery(t, e.ID)
			if wait := w.next.Sub(d.now()); wait < pause || wait > pause+pause/5 || w.attempts != int64(i+1) {
				t.Fatalf("after attempt %d: %+v, which is in %s, want about %s", i+1, w, wait, pause)
			}
			// Just before, nothing happens: the sentinel's delivery is recorded in
			// the round after the one that would have claimed this one.
			d.advance(w.next.Sub(d.now()) - 1)
			d.notify(t, outbox.BalanceNegative, "a2")
			p.Wake()
			if a := p.next(t); a.Type != outbox.BalanceNegative || d.delivery(t, e.ID) != w {
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
		if l.ID != id || l.Endpoint != e.ID || l.Account != "a1" || l.Type != outbox.RewardPosted || l.Attempts != 10 || l.Error != "answered 500 Internal Server Error" {
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
	inPebble(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), answering(t, 500).URL)
		d.notify(t, outbox.RewardPosted, many(8)...)
		p := dispatch(t, d.outbox(), onThisMachine)
		for range 8 {
			p.next(t)
		}
		times := map[int64]bool{}
		for _, w := range d.left(t) {
			times[w.Next] = true
		}
		if len(times) < 2 {
			t.Errorf("8 deliveries are due at %d times", len(times))
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
		d.notify(t, outbox.RewardPosted, many(5)...)
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
		if dead, err := d.outbox().Dead(t.Context(), e.ID, 0, 100); len(dead) != 5 || err != nil {
			t.Fatalf("of the endpoint %d are dead, %v", len(dead), err)
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
	inPebble(t, func(t *testing.T, d *database) {
		e, _ := add(t, d.outbox(), answering(t, http.StatusGone).URL)
		d.notify(t, outbox.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		if a := p.next(t); a.Fate != webhook.Gone {
			t.Fatalf("the attempt is %+v", a)
		}
		list, err := d.outbox().List(t.Context())
		if err != nil || len(list) != 1 || !list[0].Disabled.Equal(d.now()) || list[0].Dead != 1 || list[0].Due != 0 {
			t.Errorf("the endpoints are %+v, %v", list, err)
		}
		d.notify(t, outbox.RewardPosted, "a2")
		if left := d.left(t); len(left) != 0 {
			t.Errorf("for endpoint %s, which is disabled, there is %+v", e.ID, left)
		}
	})
}

// What waits for a disabled endpoint waits until it is enabled.
func TestDisableAndEnable(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		paused, sentinel := answering(t, 200), answering(t, 200)
		e, _ := add(t, d.outbox(), paused.URL, outbox.RewardPosted)
		add(t, d.outbox(), sentinel.URL)
		d.notify(t, outbox.RewardPosted, "a1")
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

// There may be a token in an endpoint's URL: it is not repeated in errors.
func TestErrorsDoNotShowTheURL(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		r := answering(t, 200)
		e, _ := add(t, d.outbox(), r.URL+"/?token=abc")
		r.Close()
		d.notify(t, outbox.RewardPosted, "a1")
		if a := dispatch(t, d.outbox(), onThisMachine).next(t); a.Fate != webhook.Retried || a.Status != 0 {
			t.Errorf("the attempt is %+v", a)
		}
		if w := d.delivery(t, e.ID); !strings.Contains(w.err, "connection refused") || strings.Contains(w.err, "token") {
			t.Errorf("what is kept is %+v", w)
		}
	})
}
