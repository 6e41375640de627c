package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// A key is written rk_<id>_<secret>. The id is public: 12 letters and digits, 60
// random bits. The secret is 256 random bits in base64url.
const (
	prefix       = "rk_"
	idLength     = 12
	secretBytes  = 32
	secretLength = 43
	keyLength    = len(prefix) + idLength + len("_") + secretLength
)

// newKey makes up a key and returns it with its id.
func newKey() (key, id string) {
	id = strings.ToLower(rand.Text()[:idLength])
	var secret [secretBytes]byte
	rand.Read(secret[:]) // never fails: the program ends if the system has no randomness
	return prefix + id + "_" + base64.RawURLEncoding.EncodeToString(secret[:]), id
}

// digest is what is stored of a key: the SHA-256 of all of its text. A slow,
// salted hash is for passwords, which can be guessed; 256 random bits cannot,
// however fast each guess is, and a slow hash on every request would be a way
// to overload the service. The id is hashed too, so that a hash copied to
// another row opens nothing.
type digest [sha256.Size]byte

func digestOf(key string) digest {
	var text [keyLength]byte // keeps the text off the heap
	n := copy(text[:], key)
	return sha256.Sum256(text[:n])
}

// bearer returns the key in an Authorization header, and its id. What it
// accepts has the form of a key exactly: everything else is Malformed, or
// Missing where the header is empty.
func bearer(header string) (key, id string, err error) {
	if header == "" {
		return "", "", Missing
	}
	scheme, key, _ := strings.Cut(header, " ")
	key = strings.TrimLeft(key, " ")
	if !strings.EqualFold(scheme, "Bearer") || len(key) != keyLength || key[:len(prefix)] != prefix {
		return "", "", Malformed
	}
	id, secret := key[len(prefix):len(prefix)+idLength], key[len(prefix)+idLength+1:]
	if key[len(prefix)+idLength] != '_' || !each(id, inID) || !each(secret, inSecret) {
		return "", "", Malformed
	}
	return key, id, nil
}

func each(s string, in func(byte) bool) bool {
	for i := range len(s) {
		if !in(s[i]) {
			return false
		}
	}
	return true
}

func inID(c byte) bool { return c >= 'a' && c <= 'z' || c >= '2' && c <= '7' }

func inSecret(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
