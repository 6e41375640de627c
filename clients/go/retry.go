package recoup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Error is an answer that is none of success. Code is what to go by; it is empty where the
// answer is not the service's, such as a proxy's.
type Error struct {
	Problem
	// RetryAfter is how long the service wants to be left alone, zero if it did not say.
	RetryAfter time.Duration
}

// Error says what the service said.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("answered %d: %s", e.Status, e.Title)
	}
	text := fmt.Sprintf("%s: %s", e.Code, e.Title)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// errorOf is the error of an answer.
func errorOf(answer *http.Response, body []byte) *Error {
	e := new(Error)
	if json.Unmarshal(body, &e.Problem) != nil || e.Code == "" {
		e.Problem = Problem{Title: http.StatusText(answer.StatusCode)}
	}
	e.Status = int64(answer.StatusCode)
	if seconds, err := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 31); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// Retry is when a request is sent again. Nothing is done twice by it: the service
// recognises events, redemptions and decisions that it has, and an operation of which it
// would not is only sent again where the answer was that nothing was done.
type Retry struct {
	// Attempts is how often a request is made at most; 1 makes each once.
	Attempts int
	// Before the attempt after the nth, the pause is drawn from zero to First times 2ⁿ⁻¹,
	// and at most Most; what the service asks for by Retry-After comes on top.
	First, Most time.Duration
	// Patience is the longest Retry-After that is waited for. If the service asks for more,
	// the caller gets its answer.
	Patience time.Duration
}

// DefaultRetry makes five attempts, within three seconds if the service does not ask for more.
var DefaultRetry = Retry{Attempts: 5, First: 200 * time.Millisecond, Most: 10 * time.Second, Patience: time.Minute}

// after says whether a request that failed is made again, and after how long. once: sent
// again after its answer was lost, it might be done twice.
func (r Retry) after(attempt int, once bool, err error) (time.Duration, bool) {
	if attempt >= r.Attempts || errors.Is(err, ErrNotModified) {
		return 0, false
	}
	var e *Error
	var asked time.Duration
	if errors.As(err, &e) {
		asked = e.RetryAfter
		switch {
		case e.Status == http.StatusRequestTimeout, e.Status == http.StatusTooManyRequests: // nothing was done
		case once, e.Code == "account_damaged": // which somebody has to mend first
			return 0, false
		case e.Status == http.StatusLocked, e.Status == http.StatusInternalServerError, e.Status == http.StatusBadGateway,
			e.Status == http.StatusServiceUnavailable, e.Status == http.StatusGatewayTimeout:
		default:
			return 0, false
		}
	} else if once {
		return 0, false
	}
	if asked > r.Patience {
		return 0, false
	}
	most := min(r.Most, r.First<<min(attempt-1, 20))
	return asked + time.Duration(rand.Int64N(int64(max(most, 0))+1)), true
}

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
