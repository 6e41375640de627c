// Package recoup is a client of Recoup's API, of the standard library alone. Types and
// methods are generated from the document that the service answers with at /openapi.json:
// an operation is a method of Client. What is here besides is what no generator knows: when
// a request is sent again (Retry), events in batches (Deliver), and whether a notice is
// Recoup's (VerifyNotice).
//
// Amounts are integers in minor units, times in UTC.
package recoup

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// mostAnswer bounds what is read of an answer, in bytes.
const mostAnswer = 64 << 20

// ErrNotModified is the error where nothing has changed since the ETag of If-None-Match.
var ErrNotModified = errors.New("not modified")

// Client asks one service. It may be used by many goroutines.
type Client struct {
	// HTTP makes the requests. New sets one that waits a minute for an answer, and follows
	// no redirects.
	HTTP *http.Client
	// Retry is when a request is sent again. New sets DefaultRetry.
	Retry Retry

	base, key string
	sleep     func(context.Context, time.Duration) error
}

// New returns a client of the service at an address such as https://recoup.example.com,
// with an API key, which is empty for a service that is open (--dev).
func New(address, key string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the address of the service: expected one such as https://recoup.example.com, found %q", address)
	}
	return &Client{
		HTTP: &http.Client{
			Timeout:       time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Retry: DefaultRetry, base: strings.TrimSuffix(address, "/"), key: key, sleep: sleep,
	}, nil
}

// Header has the next answers under the context leave their headers in into: an ETag for
// If-None-Match, or Idempotency-Replayed.
func Header(ctx context.Context, into *http.Header) context.Context {
	return context.WithValue(ctx, headerKey{}, into)
}

type headerKey struct{}

// request is what a method asks for.
type request struct {
	method, path, contentType string
	values                    url.Values
	headers                   http.Header
	body                      []byte
	once                      bool // sent again after an answer was lost, it might be done twice
	failed                    error
}

// pathOf puts parameters into the places of a path, in their order.
func pathOf(template string, parameters ...any) string {
	for _, p := range parameters {
		before, rest, _ := strings.Cut(template, "{")
		_, after, _ := strings.Cut(rest, "}")
		template = before + url.PathEscape(fmt.Sprint(p)) + after
	}
	return template
}

// said is a parameter as text; there is none for a nil pointer.
func said(v any) (text string, is bool) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return "", false
		}
		r = r.Elem()
	}
	if at, is := r.Interface().(time.Time); is {
		return at.UTC().Format(time.RFC3339Nano), true
	}
	return fmt.Sprint(r.Interface()), true
}

func (r *request) query(name string, v any) {
	if text, is := said(v); is {
		if r.values == nil {
			r.values = make(url.Values)
		}
		r.values.Set(name, text)
	}
}

func (r *request) header(name string, v any) {
	if text, is := said(v); is && text != "" {
		if r.headers == nil {
			r.headers = make(http.Header)
		}
		r.headers.Set(name, text)
	}
}

// keyed gives a request an Idempotency-Key unless it has one: sent again, it is recognised.
func (r *request) keyed() {
	if r.headers.Get(idempotencyKey) == "" {
		r.header(idempotencyKey, rand.Text())
	}
}

const idempotencyKey = "Idempotency-Key"

func (r *request) json(contentType string, body any) {
	r.contentType = contentType
	r.body, r.failed = json.Marshal(body)
}

// answered makes a request whose answer is a T.
func answered[T any](ctx context.Context, c *Client, r *request) (*T, error) {
	body, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	v := new(T)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // no amount becomes a float
	if err := decoder.Decode(v); err != nil {
		return nil, fmt.Errorf("%s %s: the answer cannot be read: %w", r.method, r.path, err)
	}
	return v, nil
}

// do makes a request, again if that makes sense, and returns the body of the answer.
func (c *Client) do(ctx context.Context, r *request) ([]byte, error) {
	for part := range strings.SplitSeq(r.path[1:], "/") {
		if part == "" || part == "." || part == ".." { // it would be another path
			r.failed = fmt.Errorf("a part of the path: expected an id, found %q", part)
		}
	}
	if r.failed != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, r.failed)
	}
	for attempt := 1; ; attempt++ {
		body, err := c.attempt(ctx, r)
		if err == nil {
			return body, nil
		}
		wait, again := c.Retry.after(attempt, r.once, err)
		if !again || ctx.Err() != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		if c.sleep(ctx, wait) != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
	}
}

// attempt makes a request once. The error is an *Error if there was an answer.
func (c *Client) attempt(ctx context.Context, r *request) ([]byte, error) {
	address := c.base + r.path
	if len(r.values) > 0 {
		address += "?" + r.values.Encode()
	}
	var sent io.Reader
	if r.body != nil {
		sent = bytes.NewReader(r.body)
	}
	asked, err := http.NewRequestWithContext(ctx, r.method, address, sent)
	if err != nil {
		return nil, err
	}
	for name, values := range r.headers {
		asked.Header[name] = values
	}
	if r.contentType != "" {
		asked.Header.Set("Content-Type", r.contentType)
	}
	if c.key != "" {
		asked.Header.Set("Authorization", "Bearer "+c.key)
	}
	answer, err := c.HTTP.Do(asked)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > mostAnswer:
		return nil, &Error{Problem: Problem{Status: int64(answer.StatusCode), Title: fmt.Sprintf("the answer has more than %d bytes", mostAnswer)}}
	}
	if into, is := ctx.Value(headerKey{}).(*http.Header); is {
		*into = answer.Header
	}
	switch status := answer.StatusCode; {
	case status == http.StatusNotModified:
		return nil, ErrNotModified
	case status < 200 || status > 299:
		return nil, errorOf(answer, body)
	}
	return body, nil
}
