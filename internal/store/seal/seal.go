// Package seal keeps secrets in a database that whoever reads its tables or a backup of
// it must not learn: the secrets of webhook endpoints, and events that may have the
// number of a card. They are sealed by AES-256-GCM under a key that is kept apart from
// the database, and bound to the place that they are for, so that a sealed text copied
// elsewhere does not open.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// keyBytes is the length of a key: that of AES-256.
const keyBytes = 32

// NewKey draws a key, as it stands in a file of keys.
func NewKey() string {
	b := make([]byte, keyBytes)
	rand.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)
}

// Keys are the keys that secrets are sealed with: the first seals, and all open. The nil
// Keys are none; they seal nothing, and open what is not sealed.
type Keys struct {
	first string // id
	boxes map[string]cipher.AEAD
}

// maxKeys is how many keys there may be: that in use, and those before it.
const maxKeys = 16

// Parse reads a list of keys in base64, one a line or separated by commas, the newest
// first. Empty lines and those that begin with # are passed over. An error does not
// repeat what it found.
func Parse(text string) (*Keys, error) {
	k := &Keys{boxes: make(map[string]cipher.AEAD)}
	for i, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' }) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(key) != keyBytes {
			return nil, fmt.Errorf("entry %d: expected a key of %d bytes in base64, as recoup secrets new makes them", i+1, keyBytes)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		box, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		id := idOf(key)
		if k.first == "" {
			k.first = id
		}
		k.boxes[id] = box
	}
	switch {
	case k.first == "":
		return nil, errors.New("expected at least one key, as recoup secrets new makes them")
	case len(k.boxes) > maxKeys:
		return nil, fmt.Errorf("expected at most %d keys, found %d: take out those that nothing is sealed under any more", maxKeys, len(k.boxes))
	}
	return k, nil
}

// idOf is what a key is known by, which says nothing else of it.
func idOf(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("recoup: id of a secrets key"))
	return hex.EncodeToString(mac.Sum(nil)[:6])
}

// ID returns the id of the key that seals; "" of none.
func (k *Keys) ID() string {
	if k == nil {
		return ""
	}
	return k.first
}

// prefix is what a sealed text begins with: after it the id of its key, a colon, and the
// rest in base64.
const prefix = "sealed:1:"

// IsSealed reports whether a text is sealed.
func IsSealed(text string) bool { return strings.HasPrefix(text, prefix) }

// KeyOf returns the id of the key that a text is sealed under; "": it is not sealed.
func KeyOf(text string) string {
	rest, sealed := strings.CutPrefix(text, prefix)
	if !sealed {
		return ""
	}
	id, _, _ := strings.Cut(rest, ":")
	return id
}

// Seal seals a text for a place. Without keys it is returned as it is.
func (k *Keys) Seal(place, text string) string {
	if k == nil {
		return text
	}
	sealed := k.boxes[k.first].Seal(nil, nil, []byte(text), []byte(place))
	return prefix + k.first + ":" + base64.StdEncoding.EncodeToString(sealed)
}

// MissingKeyError says that a text is sealed under a key that is not there.
type MissingKeyError struct{ Key string }

// Error implements error.
func (e *MissingKeyError) Error() string {
	return fmt.Sprintf("it is sealed under the secrets key %s, which is not among those given: name the file that has it with --secrets-key, or have it in RECOUP_SECRETS_KEY", e.Key)
}

// Open opens what Seal sealed for a place; what is not sealed is returned as it is. The
// error is a *MissingKeyError where the key is not there.
func (k *Keys) Open(place, text string) (string, error) {
	rest, sealed := strings.CutPrefix(text, prefix)
	if !sealed {
		return text, nil
	}
	id, encoded, _ := strings.Cut(rest, ":")
	if k == nil || k.boxes[id] == nil {
		return "", &MissingKeyError{id}
	}
	closed, err := base64.StdEncoding.DecodeString(encoded)
	if err == nil {
		var text []byte
		if text, err = k.boxes[id].Open(nil, nil, closed, []byte(place)); err == nil {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("what is sealed under the secrets key %s does not open: it was changed, or is of another place", id)
}
