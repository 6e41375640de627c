package webhook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recoup/internal/kit/broker"
	"recoup/internal/kit/signing"
)

const (
	maxResponseHeader = 16 << 10 // bytes
	maxResponseBody   = 64 << 10 // bytes that are read to use the connection again
	maxErrorText      = 300      // bytes of an error that are kept
)

// newClient returns a client that connects only to where deliveries may go. It
// uses no proxy, which would connect in its stead.
func newClient(o *Options) *http.Client {
	dialer := &net.Dialer{Timeout: o.Timeout}
	if !o.AllowPrivate {
		dialer.Control = publicOnly
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        o.TLS,
			MaxIdleConnsPerHost:    o.PerEndpoint,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: maxResponseHeader,
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send makes one attempt. It returns the status that was answered, zero if none
// was, and an error unless the delivery was taken.
func (d *Dispatcher) send(ctx context.Context, to *target, body []byte, now time.Time) (status int, err error) {
	if err := checkURL(to.url, d.options.AllowPrivate); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	headers, err := to.headers(body, now)
	if err != nil {
		return 0, err
	}
	for _, h := range headers {
		request.Header.Set(h.Name, h.Value)
	}
	request.Header.Set("User-Agent", "Recoup-Webhooks")

	response, err := d.client.Do(request)
	if err != nil {
		// The client's error begins with the URL, in which there may be a token.
		if outer := (*url.Error)(nil); errors.As(err, &outer) {
			err = outer.Err
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %s", d.options.Timeout)
		}
		return 0, err
	}
	defer response.Body.Close()
	// What is there to read changes nothing: the answer is the status.
	io.CopyN(io.Discard, response.Body, maxResponseBody)
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		return code, nil
	case code >= 300 && code < 400:
		return code, fmt.Errorf("answered %d %s: redirects are not followed", code, http.StatusText(code))
	default:
		return code, fmt.Errorf("answered %d %s", code, http.StatusText(code))
	}
}

// headers are what goes with a body, whichever way it is sent: its type, its id, and
// signatures of it that are of now.
func (to *target) headers(body []byte, now time.Time) ([]broker.Header, error) {
	id := idOf(body)
	var signatures []string
	for _, secret := range to.secrets.signing(now) {
		signature, err := signing.Sign(secret, id, now, body)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, signature)
	}
	return []broker.Header{
		{Name: "Content-Type", Value: cmp.Or(to.contentType, "application/json")},
		{Name: signing.HeaderID, Value: id},
		{Name: signing.HeaderTimestamp, Value: strconv.FormatInt(now.Unix(), 10)},
		{Name: signing.HeaderSignature, Value: strings.Join(signatures, " ")},
	}, nil
}

// text is the error of an attempt as it is kept: what a receiver has put into it
// may be of any length and is perhaps no text.
func (a *Attempt) text() string {
	s := strings.ReplaceAll(strings.ToValidUTF8(a.Err.Error(), "?"), "\x00", "?")
	if len(s) > maxErrorText {
		s = strings.ToValidUTF8(s[:maxErrorText], "") + "…"
	}
	return s
}
