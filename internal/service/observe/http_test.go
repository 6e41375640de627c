package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recoup/internal/service/observe"
)

// watched is a service that is watched, with what it logs.
type watched struct {
	observe.HTTP
	log bytes.Buffer
}

func newWatched() *watched {
	w := &watched{}
	w.Metrics, w.Log = observe.NewMetrics(), observe.NewLog(&w.log, slog.LevelInfo)
	return w
}

// ask sends a request to a mux behind the middleware.
func (w *watched) ask(method, target, body string, mux http.Handler) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.Middleware(mux).ServeHTTP(answer, httptest.NewRequest(method, target, strings.NewReader(body)))
	return answer
}

// lines returns the log, and empties it.
func (w *watched) lines(t *testing.T) []map[string]any {
	t.Helper()
	var list []map[string]any
	for decoder := json.NewDecoder(&w.log); ; {
		var line map[string]any
		switch err := decoder.Decode(&line); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		}
		list = append(list, line)
	}
}

// service has a route with an account in its path.
func service() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/accounts/{account}", func(w http.ResponseWriter, r *http.Request) {
		observe.Identify(r.Context(), "keyid")
		io.WriteString(w, "hello")
	})
	mux.HandleFunc("POST /v1/events", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) })
	mux.HandleFunc("GET /panics", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	return mux
}

func TestARequestIsLoggedWithoutWhoItIsAbout(t *testing.T) {
	w := newWatched()
	answer := w.ask("GET", "/v1/accounts/jane-doe?at=now", "", service())
	if text := w.log.String(); strings.Contains(text, "jane") || strings.Contains(text, "at=") {
		t.Errorf("the log names the account: %s", text)
	}
	lines := w.lines(t)
	if len(lines) != 1 {
		t.Fatalf("logged are %v", lines)
	}
	line := lines[0]
	id := answer.Header().Get("X-Request-Id")
	for member, want := range map[string]any{
		"level": "INFO", "msg": "request", "method": "GET", "route": "/v1/accounts/{account}", "status": 200.0, "bytes": 5.0,
		"request_id": id, "principal": "keyid",
	} {
		if line[member] != want {
			t.Errorf("%s is %v, want %v", member, line[member], want)
		}
	}
	if _, there := line["duration_ms"].(float64); !there || id == "" {
		t.Errorf("duration_ms is %v, the request id %q", line["duration_ms"], id)
	}
	if again := w.ask("GET", "/v1/accounts/jane-doe", "", service()).Header().Get("X-Request-Id"); again == id {
		t.Errorf("two requests have the id %s", id)
	}
}

func TestWhatTheClientSaysIsItsIDIsNotLogged(t *testing.T) {
	w := newWatched()
	r := httptest.NewRequest("GET", "/v1/accounts/a", nil)
	r.Header.Set("X-Request-Id", "jane-doe")
	answer := httptest.NewRecorder()
	w.Middleware(service()).ServeHTTP(answer, r)
	if strings.Contains(w.log.String(), "jane") || answer.Header().Get("X-Request-Id") == "jane-doe" {
		t.Errorf("logged is %s", w.log.String())
	}
}

func TestRequestsAreCountedByRoute(t *testing.T) {
	w := newWatched()
	for _, target := range []string{"/v1/accounts/a", "/v1/accounts/b", "/no/such/place", "/nor/this"} {
		w.ask("GET", target, "", service())
	}
	w.ask("POST", "/v1/events", "{}", service())
	w.ask("BREW", "/tea", "", service())
	shows(t, w.Metrics, map[string]float64{
		`recoup_http_requests_total{method="GET",route="/v1/accounts/{account}",status="200"}`:    2,
		`recoup_http_requests_total{method="GET",route="none",status="404"}`:                      2,
		`recoup_http_requests_total{method="POST",route="/v1/events",status="503"}`:               1,
		`recoup_http_requests_total{method="other",route="none",status="404"}`:                    1,
		`recoup_http_request_duration_seconds_count{method="GET",route="/v1/accounts/{account}"}`: 2,
		`recoup_http_request_duration_seconds_bucket{method="POST",route="/v1/events",le="+Inf"}`: 1,
		`recoup_http_requests_in_flight`:                                                          0,
	})
}

// A middleware in between that passes on another request hides the pattern, and
// Route brings it back.
func TestTheRouteIsKnownBehindOtherMiddleware(t *testing.T) {
	type key struct{}
	w := newWatched()
	w.ask("GET", "/v1/accounts/a", "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		observe.Route(service()).ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1)))
	}))
	shows(t, w.Metrics, map[string]float64{`recoup_http_requests_total{method="GET",route="/v1/accounts/{account}",status="200"}`: 1})
}

// Operations of huma know the request by its context.
func TestHumaOperationsAreWatched(t *testing.T) {
	type input struct {
		Account string `path:"account"`
	}
	mux := http.NewServeMux()
	huma.Get(humago.New(mux, huma.DefaultConfig("test", "1")), "/v1/accounts/{account}", func(ctx context.Context, _ *input) (*struct{}, error) {
		observe.Identify(ctx, "keyid "+observe.RequestID(ctx))
		return nil, huma.Error404NotFound("no such account")
	})
	w := newWatched()
	answer := w.ask("GET", "/v1/accounts/jane-doe", "", mux)
	shows(t, w.Metrics, map[string]float64{`recoup_http_requests_total{method="GET",route="/v1/accounts/{account}",status="404"}`: 1})
	if line := w.lines(t)[0]; line["principal"] != "keyid "+answer.Header().Get("X-Request-Id") {
		t.Errorf("logged is %v", line)
	}
}

func TestFailuresOnly(t *testing.T) {
	w := newWatched()
	w.FailuresOnly = true
	w.ask("GET", "/v1/accounts/a", "", service())
	w.ask("GET", "/nowhere", "", service())
	w.ask("POST", "/v1/events", "", service())
	var seen []string
	for _, line := range w.lines(t) {
		seen = append(seen, line["level"].(string)+" "+line["route"].(string))
	}
	if got := strings.Join(seen, ", "); got != "INFO none, ERROR /v1/events" {
		t.Errorf("logged are %s", got)
	}
}

// A request that fails has one line, which says why, also where its answer had begun.
func TestAFailureHasOneLine(t *testing.T) {
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		w := newWatched()
		w.FailuresOnly = true
		w.ask("GET", "/", "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			observe.Explain(r.Context(), errors.New("the disk is gone"))
		}))
		lines := w.lines(t)
		if len(lines) != 1 || lines[0]["level"] != "ERROR" || lines[0]["error"] != "the disk is gone" || lines[0]["status"] != float64(status) {
			t.Errorf("status %d: %v", status, lines)
		}
	}
	observe.Explain(context.Background(), errors.New("nobody is watching"))
}

// A client that does not wait for its answer is no failure of the service.
func TestAClientThatHasGoneIsNoError(t *testing.T) {
	w := newWatched()
	ctx, leave := context.WithCancel(context.Background())
	w.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		leave()
		w.WriteHeader(http.StatusServiceUnavailable)
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if lines := w.lines(t); len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["status"] != float64(499) {
		t.Errorf("%v", lines)
	}
}

func TestAPanicIsPassedOnAndCounted(t *testing.T) {
	w := newWatched()
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the panic was not passed on")
			}
		}()
		w.ask("GET", "/panics", "", service())
	}()
	shows(t, w.Metrics, map[string]float64{
		`recoup_http_requests_total{method="GET",route="/panics",status="500"}`: 1,
		`recoup_http_requests_in_flight`:                                        0,
	})
}

// A handler that streams needs to flush, and to read while it writes.
func TestStreamsGetThrough(t *testing.T) {
	w := newWatched()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /stream", func(rw http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(rw).EnableFullDuplex(); err != nil {
			t.Errorf("full duplex: %v", err)
		}
		rw.(http.Flusher).Flush()
		b := make([]byte, 4)
		for {
			n, err := r.Body.Read(b)
			rw.Write(b[:n])
			if err := http.NewResponseController(rw).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			if err != nil {
				return
			}
		}
	})
	server := httptest.NewServer(w.Middleware(mux))
	defer server.Close()
	in, out := io.Pipe()
	r, err := http.NewRequest("POST", server.URL+"/stream", in)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for _, word := range []string{"ping", "pong"} {
		io.WriteString(out, word)
		b := make([]byte, 4)
		if _, err := io.ReadFull(answer.Body, b); err != nil || string(b) != word {
			t.Fatalf("sent %q, got %q (%v)", word, b, err)
		}
	}
	out.Close()
	if rest, err := io.ReadAll(answer.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the end came %q (%v)", rest, err)
	}
}

func TestIdentifyWithoutMiddlewareIsNothing(t *testing.T) {
	observe.Identify(context.Background(), "keyid")
	if id := observe.RequestID(context.Background()); id != "" {
		t.Errorf("the request id is %q", id)
	}
}

func BenchmarkMiddleware(b *testing.B) {
	h := observe.HTTP{Metrics: observe.NewMetrics(), Log: observe.NewLog(io.Discard, slog.LevelInfo)}
	handler := h.Middleware(service())
	r, w := httptest.NewRequest("GET", "/v1/accounts/a", nil), httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		w.Body.Reset()
		handler.ServeHTTP(w, r)
	}
}
