package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"
)

// CookieName is the name of the cookie with the token, where it is not sent over TLS alone.
const CookieName = "recoup_session"

// HostPrefix is before the name of a cookie that is sent over TLS alone: browsers take one
// of such a name only from this very host, over TLS, so that nobody under a sibling of its
// name, or on the way to it, puts one in.
const HostPrefix = "__Host-"

// named is what a cookie is called here.
func (s *Sessions) named(name string) string {
	if s.secure {
		return HostPrefix + name
	}
	return name
}

// token is what a browser shows to say whose session a request is of: 256 random
// bits.
type token [32]byte

// tokens are written in base64url without padding, each in one way only.
var encoding = base64.RawURLEncoding.Strict()

func newToken() (t token) {
	rand.Read(t[:]) // never fails: the program ends if the system has no randomness
	return t
}

func (t token) String() string { return encoding.EncodeToString(t[:]) }

// parseToken reads what String writes, and nothing else.
func parseToken(text string) (t token, ok bool) {
	if len(text) != encoding.EncodedLen(len(t)) {
		return token{}, false
	}
	n, err := encoding.Decode(t[:], []byte(text))
	if err != nil || n != len(t) {
		return token{}, false
	}
	return t, true
}

// tokenOf returns the token that a request came with.
func (s *Sessions) tokenOf(r *http.Request) (token, bool) { return tokenIn(r, s.named(CookieName)) }

// tokenIn returns the token in a cookie.
func tokenIn(r *http.Request, name string) (token, bool) {
	c, err := r.Cookie(name)
	if err != nil {
		return token{}, false
	}
	return parseToken(c.Value)
}

// id is what is stored of a token: its hash, in hexadecimal. As with keys a fast hash
// will do, for nobody guesses 256 random bits.
func (t token) id() string {
	hash := sha256.Sum256(t[:])
	return hex.EncodeToString(hash[:])
}

// seal is a value for a purpose that only somebody who has the token can make, and
// from which neither the token nor its hash can be had.
func (t token) seal(purpose string) string {
	mac := hmac.New(sha256.New, t[:])
	mac.Write([]byte(purpose))
	return encoding.EncodeToString(mac.Sum(nil))
}

// Cookie returns the cookie that signs a browser in. No script can read it, and no
// other site can have it sent along with a form.
func (s *Sessions) Cookie(token string) *http.Cookie {
	return s.cookie(CookieName, token, s.lifetime)
}

// Expired returns the cookie that has a browser forget the one that signed it in.
func (s *Sessions) Expired() *http.Cookie { return s.cookie(CookieName, "", -1) }

// Named is what a cookie of the console is called in a request.
func (s *Sessions) Named(name string) string { return s.named(name) }

// Brief returns a cookie of the console, which no script can read; a negative age removes
// it.
func (s *Sessions) Brief(name, value string, age time.Duration) *http.Cookie {
	return s.cookie(name, value, age)
}

// cookie returns a cookie of the console; a negative age removes it.
func (s *Sessions) cookie(name, value string, age time.Duration) *http.Cookie {
	seconds := int(age / time.Second)
	if age < 0 {
		seconds = -1
	}
	// Lax, not Strict: who follows a link in a message to a page of the console
	// should see it, and who comes back from the provider comes from another site.
	//
	// A name with the prefix wants the whole host for its path.
	where := Path
	if s.secure {
		where = "/"
	}
	return &http.Cookie{
		Name: s.named(name), Value: value, Path: where, MaxAge: seconds,
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}
