package webhook_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"recoup/internal/kit/signing"
	"recoup/internal/service/webhook"
)

// patience is how long a test waits for what must happen before it fails.
const patience = 20 * time.Second

// delivered is a request as a receiver saw it.
type delivered struct {
	header http.Header
	body   string
}

func (d delivered) id() string { return d.header.Get(signing.HeaderID) }

// receiver is somebody else's system, on this machine.
type receiver struct {
	*httptest.Server
	got chan delivered
}

// receive starts one that answers with what the function writes.
func receive(t *testing.T, answer func(w http.ResponseWriter, got delivered)) *receiver {
	t.Helper()
	r := &receiver{got: make(chan delivered, 10_000)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || request.Method != http.MethodPost {
			t.Errorf("%s with %v", request.Method, err)
		}
		got := delivered{request.Header, string(body)}
		r.got <- got
		answer(w, got)
	}))
	t.Cleanup(r.Close)
	return r
}

// answering starts a receiver that always answers the status.
func answering(t *testing.T, status int) *receiver {
	return receive(t, func(w http.ResponseWriter, _ delivered) { w.WriteHeader(status) })
}

// next is the next request; the test fails if none comes.
func (r *receiver) next(t *testing.T) delivered {
	t.Helper()
	return await(t, r.got, "a request")
}

// held returns a function that waits until the other one is called, or the test
// ends.
func held(t *testing.T) (wait, let func()) {
	gate, over := make(chan struct{}), t.Context().Done()
	wait = func() {
		select {
		case <-gate:
		case <-over:
		}
	}
	return wait, sync.OnceFunc(func() { close(gate) })
}

func await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("no sign of %s", what)
		panic("unreachable")
	}
}

// dispatching is a dispatcher at work. Unless it is told to poll, it looks for
// what is due only when it starts, when it is woken, and when something ended.
type dispatching struct {
	*webhook.Dispatcher
	attempts chan webhook.Attempt // as they are recorded
	cancel   context.CancelFunc
	ended    chan struct{}
}

// dispatch starts a dispatcher, which stops at the latest when the test ends.
func dispatch(t *testing.T, outbox *webhook.Outbox, o webhook.Options) *dispatching {
	t.Helper()
	d := &dispatching{attempts: make(chan webhook.Attempt, 10_000), ended: make(chan struct{})}
	if o.Poll == 0 {
		o.Poll = time.Hour
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Observe = func(a webhook.Attempt) { d.attempts <- a }
	d.Dispatcher = webhook.NewDispatcher(outbox, o)
	var ctx context.Context
	ctx, d.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(d.ended)
		d.Run(ctx)
	}()
	t.Cleanup(func() { d.stop(t) })
	return d
}

func (d *dispatching) stop(t *testing.T) {
	t.Helper()
	d.cancel()
	await(t, d.ended, "the end of the dispatcher")
}

// next is the next attempt to be recorded; the test fails if none is.
func (d *dispatching) next(t *testing.T) webhook.Attempt {
	t.Helper()
	return await(t, d.attempts, "an attempt")
}

// onThisMachine are options for receivers on this machine.
var onThisMachine = webhook.Options{AllowPrivate: true}
