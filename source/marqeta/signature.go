package marqeta

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"hash"
	"net/http"
	"strings"
	"time"

	"recoup/source"
)

// Header is the header that a signature comes in, where the webhook has a secret.
const Header = "X-Marqeta-Signature"

// secrets are what a webhook of Marqeta is configured with: the user and password of Basic
// authentication, which it always has, and on a second line the secret of its signatures, if
// it has one.
func secrets(text string) (user, password, signing string, err error) {
	login, signing, _ := strings.Cut(text, "\n")
	user, password, ok := strings.Cut(strings.TrimSpace(login), ":")
	signing = strings.TrimSpace(signing)
	if !ok || user == "" || password == "" || strings.Contains(signing, "\n") {
		return "", "", "", errors.New("expected USER:PASSWORD of the webhook's Basic authentication, and on a second line the secret of its signatures if it has one")
	}
	return user, password, signing, nil
}

func checkSecret(text string) error {
	_, _, _, err := secrets(text)
	return err
}

// verify holds user and password against the configured ones, and the signature as well
// where there is a secret for it. Marqeta signs no time, so a recorded request is right for
// ever: what it says is known already.
func verify(header http.Header, body []byte, text string, _ time.Time) error {
	user, password, signing, err := secrets(text)
	if err != nil {
		return source.ErrSignature
	}
	given := http.Request{Header: header}
	u, p, ok := given.BasicAuth()
	if !ok || !same(u, user) || !same(p, password) {
		return source.ErrSignature
	}
	if signing == "" {
		return nil
	}
	values := header[Header]
	if len(values) != 1 {
		return source.ErrSignature
	}
	got, err := hex.DecodeString(values[0])
	if err != nil {
		return source.ErrSignature
	}
	for _, algorithm := range []func() hash.Hash{sha256.New, sha1.New} { // by the webhook's signature_algorithm
		h := hmac.New(algorithm, []byte(signing))
		h.Write(body)
		if hmac.Equal(got, h.Sum(nil)) {
			return nil
		}
	}
	return source.ErrSignature
}

// same compares two texts in a time that says nothing of either.
func same(x, y string) bool {
	a, b := sha256.Sum256([]byte(x)), sha256.Sum256([]byte(y))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
