package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"recoup/internal/kit/signing"
)

const (
	secretBytes = 32 // Standard Webhooks wants 24 to 64
)

// newSecret draws the secret of an endpoint.
func newSecret() string {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails
	return signing.SecretPrefix + base64.StdEncoding.EncodeToString(b)
}

// ringed is a secret of an endpoint, and when it ceases to sign: never for the
// newest, at the end of the overlap for one that was rotated out.
type ringed struct {
	secret string
	until  time.Time // zero: never
}

// keyring is an endpoint's secrets, newest first.
type keyring []ringed

// parseKeyring reads what String wrote.
func parseKeyring(s string) (keyring, error) {
	var ring keyring
	for part := range strings.SplitSeq(s, ",") {
		secret, until, ends := strings.Cut(part, "@")
		r := ringed{secret: secret}
		if ends {
			n, err := strconv.ParseInt(until, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("a secret ends at %q, expected nanoseconds since 1970", until)
			}
			r.until = time.Unix(0, n)
		}
		ring = append(ring, r)
	}
	return ring, nil
}

// String is the keyring as the database keeps it: secrets separated by commas,
// each followed by @ and the nanosecond at which it ceases to sign, if it does.
func (ring keyring) String() string {
	parts := make([]string, len(ring))
	for i, r := range ring {
		parts[i] = r.secret
		if !r.until.IsZero() {
			parts[i] += "@" + strconv.FormatInt(r.until.UnixNano(), 10)
		}
	}
	return strings.Join(parts, ",")
}

// signing returns the secrets that sign at a time, newest first.
func (ring keyring) signing(now time.Time) []string {
	var secrets []string
	for _, r := range ring {
		if r.until.IsZero() || now.Before(r.until) {
			secrets = append(secrets, r.secret)
		}
	}
	return secrets
}

// rotated puts a new secret in front. The others sign until the overlap ends,
// those that were to end sooner still do, and those that have ended go.
func (ring keyring) rotated(secret string, now time.Time, overlap time.Duration) keyring {
	next := keyring{{secret: secret}}
	end := now.Add(overlap)
	for _, r := range ring {
		if r.until.IsZero() || end.Before(r.until) {
			r.until = end
		}
		if now.Before(r.until) {
			next = append(next, r)
		}
	}
	return next
}
