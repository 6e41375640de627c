package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
)

// call is one call of the protocol.
type call struct {
	method, path string
	body         any
	account, id  string // what it is about
	// once: it may not be sent again after it may have been done.
	once bool
	// due: it brings what no program may refuse.
	due bool
}

func (k *call) String() string { return k.method + " " + k.path }

func get(path string) *call { return &call{method: http.MethodGet, path: path} }

func post(path string, body any) *call { return &call{method: http.MethodPost, path: path, body: body} }

// answer is a 2xx or a 4xx of the target, or 501.
type answer struct {
	status int
	body   []byte
	// repeated: an earlier attempt may have been done.
	repeated bool
}

func (a *answer) ok() bool { return a.status/100 == 2 }

// refusal is the answer as an error.
func (a *answer) refusal(k *call) *StatusError {
	var said Failure
	if err := json.Unmarshal(a.body, &said); err == nil && said.Error != "" {
		return &StatusError{k.String(), a.status, printable(said.Error), true}
	}
	return &StatusError{k.String(), a.status, printable(string(a.body)), false}
}

// printable is the beginning of a text that somebody else wrote.
func printable(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strings.TrimSpace(text)
}

// failure is an attempt that got no answer to rely on.
type failure struct {
	err error
	// maybeDone: the target may have done what it was asked.
	maybeDone bool
	throttled bool
	wait      time.Duration // what the target asked for, if it did
}

// errMaybeDone says that a call that may be made once only may have been made.
var errMaybeDone = errors.New("the call may have been done")

// send makes a call, again and again within the bounds of the options as long as
// that cannot do anything twice.
func (c *Client) send(k *call) (*answer, error) {
	var body []byte
	if k.body != nil {
		var err error
		if body, err = json.Marshal(k.body); err != nil {
			return nil, fmt.Errorf("probe: %s: %w", k, err)
		}
	}
	repeated := false
	for attempt := 0; ; attempt++ {
		a, f, err := c.attempt(k, body)
		if err != nil {
			return nil, fmt.Errorf("probe: %s: %w", k, err)
		}
		c.count(func(s *Stats) {
			s.Requests++
			if attempt > 0 {
				s.Retries++
			}
			if f != nil && f.throttled {
				s.Throttled++
			} else if f != nil {
				s.Failures++
			}
		})
		if f == nil {
			a.repeated = repeated
			return a, nil
		}
		if f.maybeDone && k.once {
			return nil, fmt.Errorf("probe: %s: %w: %w", k, errMaybeDone, f.err)
		}
		if attempt == c.options.Retries {
			return nil, fmt.Errorf("probe: %s: gave up after %d attempts: %w", k, attempt+1, f.err)
		}
		repeated = repeated || f.maybeDone
		if err := c.sleep(max(f.wait, c.backoff(attempt))); err != nil {
			return nil, err
		}
	}
}

// backoff doubles from attempt to attempt, and spreads so that clients do not
// come back all at once.
func (c *Client) backoff(attempt int) time.Duration {
	most := min(c.options.Backoff<<min(attempt, 16), maxWait)
	return most/2 + rand.N(most/2+1)
}

// maxWait bounds what is waited between two attempts, whatever the target asks.
const maxWait = 30 * time.Second

func (c *Client) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// attempt makes one request. It returns an answer, or a failure that may pass, or
// an error that will not.
func (c *Client) attempt(k *call, body []byte) (*answer, *failure, error) {
	if err := c.limiter.Wait(c.ctx); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.options.Timeout)
	defer cancel()
	// From when there is a connection on, nobody knows what has gone over it.
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	r, err := http.NewRequestWithContext(ctx, k.method, c.url.String()+k.path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "recoup-probe")
	if k.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.options.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	began := time.Now()
	response, err := c.http.Do(r)
	if err != nil {
		return nil, &failure{err: unwrapURL(err), maybeDone: sent.Load()}, context.Cause(c.ctx)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	c.took(k, time.Since(began))
	switch {
	case err != nil:
		return nil, &failure{err: err, maybeDone: true}, context.Cause(c.ctx)
	case len(content) > MaxBody:
		return nil, nil, fmt.Errorf("the answer is longer than %d bytes", MaxBody)
	}
	a := &answer{status: response.StatusCode, body: content}
	switch s := response.StatusCode; {
	case s == http.StatusTooManyRequests:
		return nil, &failure{err: a.refusal(k), throttled: true, wait: retryAfter(response)}, nil
	case a.ok(), s == http.StatusNotImplemented, s/100 == 4 && s != http.StatusRequestTimeout:
		return a, nil, nil
	case s/100 == 5, s == http.StatusRequestTimeout:
		return nil, &failure{err: a.refusal(k), maybeDone: true, wait: retryAfter(response)}, nil
	}
	return nil, nil, fmt.Errorf("answered %d, which is not followed", response.StatusCode)
}

// unwrapURL takes off what names the request again.
func unwrapURL(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// retryAfter is what the target asks to be waited, within reason.
func retryAfter(r *http.Response) time.Duration {
	text := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, time.Until(at)), maxWait)
	}
	return 0
}

func (c *Client) count(add func(*Stats)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	add(&c.stats)
}

func (c *Client) took(k *call, d time.Duration) {
	c.count(func(s *Stats) {
		if d > s.SlowestTook {
			s.Slowest, s.SlowestTook = k.String(), d
		}
	})
}

// read decodes the body of an answer. Members that the protocol does not have
// are the target's business, but those that it has must be there.
func (a *answer) read(k *call, v any, members ...string) error {
	var there map[string]any
	if err := json.Unmarshal(a.body, &there); err != nil {
		return fmt.Errorf("probe: %s: the answer is no JSON object: %w", k, err)
	}
	for _, m := range members {
		if there[m] == nil {
			return fmt.Errorf("probe: %s: the answer has no member %q: expected %s", k, m, strings.Join(members, ", "))
		}
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return fmt.Errorf("probe: %s: the answer is not as expected: %w", k, err)
	}
	return nil
}
