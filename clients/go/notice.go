package recoup

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the time of a notice may be from the receiver's.
const Tolerance = 5 * time.Minute

var (
	// ErrSignature: the notice is not signed with the secret.
	ErrSignature = errors.New("no signature is right")
	// ErrTimestamp: the notice is of another time, perhaps recorded and sent again.
	ErrTimestamp = errors.New("not of this time")
)

// Notification is the body of a notice.
type Notification struct {
	// ID is the same whenever the notice is sent: remember those that were done.
	ID        string    `json:"-"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	// Data depends on the type; see docs/webhooks.md.
	Data json.RawMessage `json:"data"`
}

// VerifyNotice returns the notice of a request with these headers and this body, byte for
// byte as it came, if it was signed with the endpoint's secret (whsec_…) at most Tolerance
// from now. The error is ErrSignature or ErrTimestamp, or says what is malformed: answer it
// with 400, and do nothing.
func VerifyNotice(header http.Header, body []byte, secret string) (*Notification, error) {
	return verifyNotice(header, body, secret, time.Now())
}

func verifyNotice(header http.Header, body []byte, secret string, now time.Time) (*Notification, error) {
	encoded, is := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(key) == 0 {
		return nil, errors.New("the secret: expected whsec_ and base64, as it was shown when the endpoint was added")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("webhook-timestamp: expected seconds since 1970, found %q", timestamp)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > Tolerance || age < -Tolerance {
		return nil, ErrTimestamp
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	want := h.Sum(nil)
	for one := range strings.FieldsSeq(header.Get("webhook-signature")) {
		scheme, text, _ := strings.Cut(one, ",")
		got, err := base64.StdEncoding.DecodeString(text)
		if scheme == "v1" && err == nil && hmac.Equal(got, want) {
			n := &Notification{ID: id}
			if err := json.Unmarshal(body, n); err != nil {
				return nil, fmt.Errorf("the notice: %w", err)
			}
			return n, nil
		}
	}
	return nil, ErrSignature
}
