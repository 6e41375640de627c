// Package signing is the scheme of signatures of Standard Webhooks: HMAC-SHA256 with a
// shared secret over id, time and body. Recoup signs what it sends by it, and verifies what
// processors send that sign by it.
package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a delivery, as Standard Webhooks names them.
const (
	HeaderID        = "webhook-id"        // the same on every attempt
	HeaderTimestamp = "webhook-timestamp" // seconds since 1970 of this attempt
	HeaderSignature = "webhook-signature" // one or more of "v1,base64", separated by spaces
)

// Tolerance is how far the time of a delivery may be from the receiver's, where
// a receiver has no reason for another value.
const Tolerance = 5 * time.Minute

var (
	// ErrSignature: the delivery is not signed with the receiver's secret.
	ErrSignature = errors.New("no signature of the webhook is right: it was changed on the way, or is signed with another secret")
	// ErrTimestamp: the delivery is from another time, perhaps a recorded one.
	ErrTimestamp = errors.New("the webhook is not of this time: it was recorded and is sent again, or a clock is wrong")
)

// SecretPrefix begins every secret.
const SecretPrefix = "whsec_"

// Key is the key that a secret ("whsec_" and base64) stands for.
func Key(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, SecretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) == 0 {
		return nil, fmt.Errorf("the secret of a webhook endpoint is %q followed by base64, as it was shown when the endpoint was added", SecretPrefix)
	}
	return key, nil
}

const signatureScheme = "v1,"

// Sign returns the signature of one attempt with a secret ("whsec_…").
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := Key(secret)
	if err != nil {
		return "", err
	}
	return signatureScheme + base64.StdEncoding.EncodeToString(mac(key, id, strconv.FormatInt(at.Unix(), 10), body)), nil
}

// mac is HMAC-SHA256 over id.timestamp.body.
func mac(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

// Verify is for receivers: it reports whether a request with these headers and
// this body, byte for byte as received, was signed with the secret at a time
// within the tolerance of now. The error is ErrSignature, ErrTimestamp, or says
// what is malformed. It takes as long for a wrong signature as for a right one.
func Verify(header http.Header, body []byte, secret string, now time.Time, tolerance time.Duration) error {
	key, err := Key(secret)
	if err != nil {
		return err
	}
	timestamp := header.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("header %s is %q, expected seconds since 1970", HeaderTimestamp, timestamp)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return ErrTimestamp
	}
	want := mac(key, header.Get(HeaderID), timestamp, body)
	for one := range strings.FieldsSeq(header.Get(HeaderSignature)) {
		encoded, ok := strings.CutPrefix(one, signatureScheme)
		if !ok {
			continue // of another scheme
		}
		got, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}
