package observe

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Check is one thing that must be so for the service to take requests.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// Degraded is the error of a check of which a part fails: the service is to take requests
// all the same, since it can answer many of them.
type Degraded struct{ Err error }

// Error says what fails.
func (d *Degraded) Error() string { return d.Err.Error() }

// Unwrap returns what fails.
func (d *Degraded) Unwrap() error { return d.Err }

// Health tells load balancers whether the process lives and whether it should
// get requests. It is asked without a key, so it says which check fails and, in words that
// tell nobody anything of the inside, why; what exactly it was is in the log. However often it is asked, the checks run once a
// second at most.
type Health struct {
	checks []Check
	log    *slog.Logger

	ending atomic.Bool
	mu     sync.Mutex
	last   map[string]string
	until  time.Time // last holds until then
}

// Unready is an error of a check with a reason that anybody may be told.
type Unready struct {
	Reason string
	Err    error
}

// Error says what fails, for the log.
func (u *Unready) Error() string { return u.Err.Error() }

// Unwrap returns what is for the log.
func (u *Unready) Unwrap() error { return u.Err }

// Limits of checks.
const (
	checkPatience = 2 * time.Second
	checkHolds    = time.Second
	degraded      = "degraded"
	failed        = "failed"
)

// NewHealth returns the health of a service that is ready when all checks pass.
func NewHealth(log *slog.Logger, checks ...Check) *Health { return &Health{checks: checks, log: log} }

// End has the service not ready any more, so that load balancers stop sending
// requests while it finishes those that it has.
func (h *Health) End() { h.ending.Store(true) }

// Live answers /healthz: 200 as long as the process can answer at all.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, map[string]any{"status": "alive"})
}

// Ready answers /readyz: 200 if all checks pass, if only in part, and the service is not
// ending, otherwise 503.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	if h.ending.Load() {
		writeHealth(w, http.StatusServiceUnavailable, map[string]any{"status": "shutting down"})
		return
	}
	checks, ok := h.run(r.Context())
	if !ok {
		writeHealth(w, http.StatusServiceUnavailable, map[string]any{"status": "not ready", "checks": checks})
		return
	}
	writeHealth(w, http.StatusOK, map[string]any{"status": "ready", "checks": checks})
}

// run returns what became of each check.
func (h *Health) run(ctx context.Context) (results map[string]string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Now().After(h.until) {
		// Who asks may go away; the result is for others too.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkPatience)
		defer cancel()
		h.last = make(map[string]string, len(h.checks))
		for _, c := range h.checks {
			h.last[c.Name] = "ok"
			switch err := c.Run(ctx); {
			case err == nil:
			case errors.As(err, new(*Degraded)):
				h.last[c.Name] = degraded
				h.log.Warn("ready in part", "check", c.Name, "error", err)
			default:
				h.last[c.Name] = failed
				if u := (*Unready)(nil); errors.As(err, &u) {
					h.last[c.Name] += ": " + u.Reason
				}
				h.log.Warn("not ready", "check", c.Name, "error", err)
			}
		}
		h.until = time.Now().Add(checkHolds)
	}
	ok = true
	for _, result := range h.last {
		ok = ok && !strings.HasPrefix(result, failed)
	}
	return h.last, ok
}

func writeHealth(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
