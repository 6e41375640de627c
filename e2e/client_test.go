package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// client talks to a service as senders do.
type client struct {
	base string
	http http.Client
}

func newClient(base string) *client {
	return &client{base, http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: patience}}
}

// client returns one for the service, which ends with the test.
func (s *service) client(t testing.TB) *client {
	c := newClient(s.url)
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// problem is an answer that says why a request failed.
type problem struct {
	Status             int
	Code, Detail, Type string
	RetryAfter         string `json:"-"`
	media              string
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// unclear says what a client would miss in a problem that it should be able to act
// on by itself.
func (p *problem) unclear() string {
	switch {
	case p.media != "application/problem+json":
		return "it is no problem document but " + p.media
	case p.Code == "" || p.Detail == "":
		return "it has no code or no detail"
	case p.RetryAfter == "":
		return "it does not say when to try again"
	}
	return ""
}

// ask sends a request. An answer above 299 is a *problem; any other error means
// that there was no answer, or not all of it.
func (c *client) ask(method, path, media string, header http.Header, body []byte) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(context.Background(), method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if response.StatusCode <= 299 {
		return response.StatusCode, answer, err
	}
	p := &problem{RetryAfter: response.Header.Get("Retry-After"), media: response.Header.Get("Content-Type")}
	if err := json.Unmarshal(answer, p); err != nil {
		return response.StatusCode, answer, fmt.Errorf("status %d, and no problem document: %.200q", response.StatusCode, answer)
	}
	if p.Status != response.StatusCode {
		return response.StatusCode, answer, fmt.Errorf("status %d, but its problem says %d", response.StatusCode, p.Status)
	}
	return response.StatusCode, answer, p
}

// get reads something as JSON.
func (c *client) get(path string, into any) error {
	_, answer, err := c.ask(http.MethodGet, path, "", nil, nil)
	if err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("GET %s: %w in %.200q", path, err, answer)
	}
	return nil
}

// put puts a program.
func (c *client) put(program string, document []byte) error {
	if _, _, err := c.ask(http.MethodPut, "/v1/programs/"+url.PathEscape(program), "application/yaml", nil, document); err != nil {
		return fmt.Errorf("PUT program %s: %w", program, err)
	}
	return nil
}

// media is how events are sent.
type media int

const (
	single media = iota // one by one
	batch               // as an array
	lines               // as a stream of lines
)

func (m media) String() string {
	return [...]string{"application/cloudevents+json", "application/cloudevents-batch+json", "application/x-ndjson"}[m]
}

// outcome is what became of an event.
type outcome struct {
	ID      string  `json:"id"`
	Source  string  `json:"source"`
	Account string  `json:"account"`
	Outcome string  `json:"outcome"`
	Code    *string `json:"code"`
	Detail  string  `json:"detail"`
}

func (o outcome) String() string {
	if o.Code == nil {
		return o.Outcome
	}
	return o.Outcome + " " + *o.Code
}

// send sends events, each a line, and returns what was answered: with an error,
// unlocked does something again as long as its account is locked: a process that the machine
// lets wait may have it for so long that others are told to send again.
func unlocked(what func() error) error {
	err := what()
	for end, locked := time.Now().Add(patience), (*problem)(nil); errors.As(err, &locked) && locked.Code == "account_locked" && time.Now().Before(end); {
		err = what()
	}
	return err
}

// what was answered for before it.
func (c *client) send(how media, events []string) ([]outcome, error) {
	var answers []outcome
	switch how {
	case single:
		for _, e := range events {
			_, answer, err := c.ask(http.MethodPost, "/v1/events", how.String(), nil, []byte(e))
			if err != nil {
				return answers, err
			}
			var o outcome
			if err := json.Unmarshal(answer, &o); err != nil {
				return answers, fmt.Errorf("%w in the answer %.200q", err, answer)
			}
			answers = append(answers, o)
		}
	case batch:
		_, answer, err := c.ask(http.MethodPost, "/v1/events", how.String(), nil, []byte("["+strings.Join(events, ",")+"]"))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(answer, &answers); err != nil {
			return nil, fmt.Errorf("%w in the answer %.200q", err, answer)
		}
	case lines:
		_, answer, err := c.ask(http.MethodPost, "/v1/events", how.String(), nil, []byte(strings.Join(events, "\n")+"\n"))
		if p := (*problem)(nil); errors.As(err, &p) {
			return nil, err
		}
		for line := range bytes.Lines(answer) {
			if !bytes.HasSuffix(line, []byte("\n")) {
				break // cut off
			}
			var o outcome
			if err := json.Unmarshal(line, &o); err != nil {
				return answers, fmt.Errorf("%w in the line %.200q", err, line)
			}
			if o.Outcome == "failed" {
				// The stream says nothing of when to try again: the sender goes on when it likes.
				return answers, &problem{Status: http.StatusServiceUnavailable, Code: *o.Code, Detail: o.Detail, RetryAfter: "-", media: "application/problem+json"}
			}
			answers = append(answers, o)
		}
		if err != nil {
			return answers, err
		}
	}
	if len(answers) != len(events) {
		return answers, fmt.Errorf("%d answers to %d events", len(answers), len(events))
	}
	return answers, nil
}

// ready waits until the service says that it takes requests.
func (c *client) ready(t testing.TB) {
	t.Helper()
	eventually(t, "the service is ready", func() error { return c.get("/readyz", new(any)) })
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() error) {
	t.Helper()
	eventuallyWithin(t, patience, what, holds)
}

// eventuallyWithin asks less often the longer it waits, and is late by a tenth of that at most:
// many accounts asked for every moment take the processor that they are waited for with.
func eventuallyWithin(t testing.TB, limit time.Duration, what string, holds func() error) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(min(max(time.Since(began)/10, 20*time.Millisecond), time.Second)) {
		err := holds()
		if err == nil {
			return
		}
		if time.Since(began) > limit {
			t.Fatalf("%s: not within %v: %v", what, limit, err)
		}
	}
}
