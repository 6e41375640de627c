package observe_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"recoup/internal/service/observe"
)

// collector takes traces as an OpenTelemetry collector does, and keeps the bytes.
func collector(t *testing.T) (url string, received func() string) {
	var mu sync.Mutex
	var all strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		all.Write(body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	return server.URL, func() string { mu.Lock(); defer mu.Unlock(); return all.String() }
}

func TestRequestsAreTracedByRoute(t *testing.T) {
	url, received := collector(t)
	w := newWatched()
	tracing, err := observe.StartTracing(t.Context(), url, "1.0", 1, w.Log)
	if err != nil {
		t.Fatal(err)
	}
	w.Tracing = tracing
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/accounts/{account}", func(w http.ResponseWriter, r *http.Request) {
		_, end := tracing.Span(r.Context(), "look up")
		end(errors.New("failed with " + apiKey))
	})
	r := httptest.NewRequest("GET", "/v1/accounts/jane-doe", nil)
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	w.Middleware(mux).ServeHTTP(httptest.NewRecorder(), r)
	if err := tracing.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := received()
	for _, want := range []string{"GET /v1/accounts/{account}", "look up", "recoup", "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q was not sent", want)
		}
	}
	for _, secret := range []string{"jane", "0123456789"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q was sent", secret)
		}
	}
	if line := w.log.String(); !strings.Contains(line, `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"`) {
		t.Errorf("the log does not lead to the trace: %s", line)
	}
}

func TestWithoutTracingThereIsNothingToEnd(t *testing.T) {
	var tracing *observe.Tracing
	ctx, end := tracing.Span(t.Context(), "look up")
	end(nil)
	if ctx != t.Context() {
		t.Error("the context is another")
	}
	if err := tracing.End(t.Context()); err != nil {
		t.Error(err)
	}
}

// The service must not wait for a collector that is not there.
func TestTracingWithoutACollector(t *testing.T) {
	w := newWatched()
	tracing, err := observe.StartTracing(t.Context(), "http://127.0.0.1:1", "1.0", 1, w.Log)
	if err != nil {
		t.Fatal(err)
	}
	w.Tracing = tracing
	if answer := w.ask("GET", "/v1/accounts/a", "", service()); answer.Code != 200 {
		t.Errorf("answered %d", answer.Code)
	}
	if err := tracing.End(t.Context()); err != nil {
		t.Errorf("ending: %v", err)
	}
	if !strings.Contains(w.log.String(), "traces could not be sent") {
		t.Errorf("the log says %s", w.log.String())
	}
}
