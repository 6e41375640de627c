package observe

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// HTTP watches requests: counts them, logs them and, where there is tracing,
// traces them. Metrics and Log must be there.
type HTTP struct {
	Metrics *Metrics
	Log     *slog.Logger
	Tracing *Tracing // nil: none
	// FailuresOnly leaves requests that succeed in less than Slow out of the log,
	// where there are too many of them to be read.
	FailuresOnly bool
}

// Slow is from when on a request is logged whatever becomes of it.
const Slow = time.Second

// Middleware watches the requests to a handler. Routes are the patterns of
// http.ServeMux; a request that reaches none of them is of the route "none".
// Every answer has an X-Request-Id, by which its line in the log is found. What
// the client sends as such is not used: it could be anything, and is logged.
func (h *HTTP) Middleware(next http.Handler) http.Handler {
	ids := requestIDs{run: strings.ToLower(rand.Text()[:8])}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Metrics.inFlight.Inc()
		defer h.Metrics.inFlight.Dec()
		rec := &record{id: ids.next()}
		ctx := context.WithValue(r.Context(), recordKey{}, rec)
		var span trace.Span
		if h.Tracing != nil {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
			ctx, span = h.Tracing.server(ctx, methodOf(r))
		}
		r = r.WithContext(ctx)
		answer := &answer{ResponseWriter: w}
		w.Header().Set("X-Request-Id", rec.id)
		start := time.Now()
		ended := false
		// Also where the handler panics, which is passed on.
		defer func() {
			h.done(r, rec, answer.result(ended), answer.written, time.Since(start), span)
		}()
		next.ServeHTTP(answer, r)
		ended = true
	})
}

// clientGone is the status that is counted and logged of a request that nobody waits for any
// more: whatever it was answered with, that is no failure of the service.
const clientGone = 499

// done counts and logs a request that has ended.
func (h *HTTP) done(r *http.Request, rec *record, status int, written int64, took time.Duration, span trace.Span) {
	if rec.failed == nil && status >= http.StatusInternalServerError && errors.Is(r.Context().Err(), context.Canceled) {
		status = clientGone
	}
	method, route := methodOf(r), routeOf(cmp.Or(rec.route, r.Pattern))
	h.Metrics.request(method, route, status, took)
	if span != nil {
		endServer(span, method, route, status)
	}
	level := slog.LevelInfo
	switch {
	case status >= http.StatusInternalServerError, rec.failed != nil:
		level = slog.LevelError
	case h.FailuresOnly && status < http.StatusBadRequest && took < Slow:
		return
	}
	attributes := []slog.Attr{
		slog.String("method", method), slog.String("route", route), slog.Int("status", status), slog.Duration("duration", took),
		slog.Int64("bytes", written), slog.String("request_id", rec.id), slog.String("principal", rec.principal),
	}
	if rec.failed != nil {
		attributes = append(attributes, slog.Any("error", rec.failed))
	}
	if span != nil {
		attributes = append(attributes, slog.String("trace_id", span.SpanContext().TraceID().String()))
	}
	h.Log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attributes...)
}

// record is what is found out about a request on its way.
type record struct {
	id, principal, route string
	failed               error // why, if it is not the client's fault
}

type recordKey struct{}

// Identify notes whose key a request came with, for its line in the log. The id
// is that of the key, which is public. It is for the goroutine of the request.
func Identify(ctx context.Context, principal string) {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		rec.principal = principal
	}
}

// Explain notes why a request fails, for its line in the log, which then is that of an
// error, also where an answer has begun. It is for the goroutine of the request.
func Explain(ctx context.Context, err error) {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		rec.failed = err
	}
}

// RequestID returns the id of the request that the context is of, "" for none.
func RequestID(ctx context.Context) string {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		return rec.id
	}
	return ""
}

// Route goes around an http.ServeMux where something between Middleware and the
// mux passes on another request than it got (as by WithContext): the pattern that
// the mux notes in its request would not be seen from outside.
func Route(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rec, ok := r.Context().Value(recordKey{}).(*record); ok {
			defer func() { rec.route = r.Pattern }()
		}
		mux.ServeHTTP(w, r)
	})
}

// requestIDs makes ids of requests that no other run of the program has.
type requestIDs struct {
	run  string
	last atomic.Uint64
}

func (ids *requestIDs) next() string { return ids.run + "-" + strconv.FormatUint(ids.last.Add(1), 36) }

// routeOf returns the pattern that a request matched, without its method. The
// path of the request would have the ids of accounts in it.
func routeOf(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		return path
	}
	return cmp.Or(pattern, "none")
}

// methodOf returns the request's method, "other" for one that HTTP does not
// have, so that nobody can make up labels.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return "other"
}

// answer remembers what was answered.
type answer struct {
	http.ResponseWriter
	status  int
	written int64
}

// result is the status that the client got. A handler that panics before it
// answers has the connection closed, which counts as an error of the server.
func (a *answer) result(ended bool) int {
	switch {
	case a.status != 0:
		return a.status
	case ended:
		return http.StatusOK
	}
	return http.StatusInternalServerError
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.written += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach what it is asked for.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush is for those who look for an http.Flusher.
func (a *answer) Flush() {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	_ = http.NewResponseController(a.ResponseWriter).Flush() // what cannot be flushed is buffered, as before
}
