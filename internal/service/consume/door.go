package consume

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// answerWithin is how long the service may take for one request.
const answerWithin = 2 * time.Minute

// maxProblem is how much is read of an answer that says what was wrong, in bytes.
const maxProblem = 64 << 10

// door is the service as it is asked.
type door struct {
	base, key string
	client    *http.Client
	log       *slog.Logger
}

func newDoor(service, key string, log *slog.Logger) (*door, error) {
	u, err := url.Parse(service)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("%q: expected the address of a service, such as http://127.0.0.1:8080", service)
	}
	if strings.ContainsAny(key, "\r\n") {
		return nil, fmt.Errorf("expected a key without a line break in it")
	}
	return &door{
		base: strings.TrimSuffix(u.String(), "/"), key: key, log: log,
		client: &http.Client{Timeout: answerWithin, Transport: &http.Transport{MaxIdleConnsPerHost: sideBySide, DisableCompression: true}},
	}, nil
}

// post asks the service. An answer above 299 is a *problem.
func (d *door) post(ctx context.Context, path, contentType string, header http.Header, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		request.Header = header
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", "Recoup-Consumer")
	if d.key != "" {
		request.Header.Set("Authorization", "Bearer "+d.key)
	}
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 {
		return response, nil
	}
	defer response.Body.Close()
	p := &problem{status: response.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxProblem))
	_ = json.Unmarshal(text, p)
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		p.after = time.Duration(seconds) * time.Second
	}
	return nil, p
}

// problem is an answer of the service that says why a request failed.
type problem struct {
	status int
	after  time.Duration // that it asks to wait
	Code   string        `json:"code"`
	Detail string        `json:"detail"`
}

// Error says what was answered.
func (p *problem) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the service answers %d %s: %s", p.status, p.Code, p.Detail))
}

// passes reports whether the same request may succeed later. Otherwise it is for a person:
// the key, the address, or the name of a source is wrong.
func (p *problem) passes() bool {
	return p.status >= 500 || p.status == http.StatusTooManyRequests || p.status == http.StatusRequestTimeout || p.status == http.StatusConflict || p.status == http.StatusLocked ||
		p.Code == "body_incomplete"
}
