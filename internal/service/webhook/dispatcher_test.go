package webhook_test

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/kit/signing"
	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
)

func TestADeliveryIsSignedAndDoneWithWhenItIsTaken(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		r := answering(t, http.StatusNoContent)
		_, secret := add(t, d.outbox(), r.URL)
		body := d.notify(t, outbox.RewardPosted, "a1")
		a := dispatch(t, d.outbox(), onThisMachine).next(t)
		if a.Fate != webhook.Delivered || a.Number != 1 || a.Status != http.StatusNoContent || a.Type != outbox.RewardPosted {
			t.Errorf("the attempt is %+v", a)
		}
		got := r.next(t)
		if got.body != body {
			t.Errorf("the body is %s, want %s", got.body, body)
		}
		if err := signing.Verify(got.header, []byte(got.body), secret, d.now(), 0); err != nil {
			t.Error(err)
		}
		if got.header.Get("Content-Type") != "application/json" {
			t.Errorf("the headers are %v", got.header)
		}
		if left := d.left(t); len(left) != 0 {
			t.Errorf("what is left is %+v", left)
		}
	})
}

func TestEachEndpointGetsWhatItWants(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		all, denials, broken := answering(t, 200), answering(t, 200), answering(t, 500)
		add(t, d.outbox(), all.URL)
		add(t, d.outbox(), denials.URL, outbox.RedemptionDenied, outbox.BalanceNegative)
		e, _ := add(t, d.outbox(), broken.URL, outbox.RewardPosted)
		denied := d.notify(t, outbox.RedemptionDenied, "a1")
		d.notify(t, outbox.RewardPosted, "a1")
		p := dispatch(t, d.outbox(), onThisMachine)
		for range 4 {
			p.next(t)
		}
		if len(all.got) != 2 || len(broken.got) != 1 || len(denials.got) != 1 || denials.next(t).body != denied {
			t.Errorf("%d, %d and %d requests", len(all.got), len(denials.got), len(broken.got))
		}
		if left := d.left(t); len(left) != 1 || left[0].Endpoint != e.ID {
			t.Errorf("what is left is %+v, want the delivery to the broken one", left)
		}
	})
}

func TestOnlySuccessIsTaken(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
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
			d.notify(t, outbox.RewardPosted, strconv.Itoa(c.status))
			p := dispatch(t, d.outbox(), onThisMachine)
			a := p.next(t)
			if a.Fate != c.fate || a.Status != c.status {
				t.Errorf("%d: the attempt is %+v", c.status, a)
			}
			if len(elsewhere.got) > 0 {
				t.Errorf("%d: the redirect was followed", c.status)
			}
			if c.err != "" {
				if w := d.delivery(t, e.ID); w.err != c.err || w.attempts != 1 {
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

// An endpoint that is as slow as can be fills its own places and no others.
func TestASlowEndpointDoesNotHoldUpOthers(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
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
		d.notify(t, outbox.RewardPosted, many(n)...)
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
	inPebble(t, func(t *testing.T, d *database) {
		wait, _ := held(t)
		e, _ := add(t, d.outbox(), receive(t, func(http.ResponseWriter, delivered) { wait() }).URL)
		d.notify(t, outbox.RewardPosted, "a1")
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
	inPebble(t, func(t *testing.T, d *database) {
		r := receive(t, func(w http.ResponseWriter, _ delivered) {
			for block := make([]byte, 1<<12); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		})
		add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
		o := onThisMachine
		o.Timeout = time.Hour
		if a := dispatch(t, d.outbox(), o).next(t); a.Fate != webhook.Delivered {
			t.Errorf("the attempt is %+v", a)
		}
	})
}
