package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recoup/source"
)

// Header is the header that a signature comes in.
const Header = "Stripe-Signature"

// maxHeader is longer than the header is with the signatures of several secrets.
const maxHeader = 4 << 10

func checkSecret(secret string) error {
	if rest, ok := strings.CutPrefix(secret, "whsec_"); !ok || rest == "" {
		return errors.New("expected the signing secret of a webhook endpoint, which begins with whsec_")
	}
	return nil
}

// verify holds the signatures of the header, which are of time and body, against the secret.
// There are several while a secret is replaced.
func verify(header http.Header, body []byte, secret string, now time.Time) error {
	values := header[Header]
	if len(values) != 1 || len(values[0]) > maxHeader {
		return source.ErrSignature
	}
	var at string
	var given []string
	for part := range strings.SplitSeq(values[0], ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			if at != "" {
				return source.ErrSignature
			}
			at = value
		case "v1":
			given = append(given, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return source.ErrSignature
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > source.Tolerance || age < -source.Tolerance {
		return source.ErrSignature
	}
	want := sign(secret, at, body)
	for _, signature := range given {
		if got, err := hex.DecodeString(signature); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return source.ErrSignature
}

// sign is the signature of a body at a time.
func sign(secret, at string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(at + "."))
	h.Write(body)
	return h.Sum(nil)
}
